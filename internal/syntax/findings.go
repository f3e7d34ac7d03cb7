package syntax

import (
	"cmp"
	"slices"

	"pinion/problem"
)

// finding is a problem whose position is still a byte offset.
type finding struct {
	offset  int
	problem problem.Problem
}

// findings collects the faults of one document. Offsets become lines and
// columns once, at the end, in one pass over the text.
type findings struct {
	opts Options
	all  []finding
}

func (f *findings) add(r problem.Rule, offset int, fix, format string, args ...any) {
	if f.full() {
		return
	}
	p := r.Report(format, args...).As(f.opts.severity(r))
	if fix != "" {
		p.Fix = fix
	}
	f.all = append(f.all, finding{offset, p})
}

// full reports that no more findings are taken, so that callers can save the
// work of wording them.
func (f *findings) full() bool { return len(f.all) >= maxProblems }

// has reports whether a finding of rule r is there.
func (f *findings) has(r problem.Rule) bool {
	return slices.ContainsFunc(f.all, func(x finding) bool { return x.problem.Rule == r.ID })
}

// list returns the findings in the order of their position in data, nil when
// there are none.
func (f *findings) list(data []byte) problem.List {
	if len(f.all) == 0 {
		return nil
	}
	slices.SortStableFunc(f.all, func(a, b finding) int { return cmp.Compare(a.offset, b.offset) })
	c := cursorAt(data)
	out := make(problem.List, 0, len(f.all))
	for _, x := range f.all {
		line, col := c.advance(x.offset)
		out = append(out, x.problem.At("", line, col))
	}
	return out
}
