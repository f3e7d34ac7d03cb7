package problem

import (
	"cmp"
	"fmt"
	"slices"
)

// List is a list of findings, in the order they were found until [List.Sort].
type List []Problem

// Add appends findings.
func (l *List) Add(p ...Problem) { *l = append(*l, p...) }

// Sort orders by file, line, column, rule and message, so that two runs over
// the same content print the same text.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
}

// Count returns how many findings have exactly severity s.
func (l List) Count(s Severity) int {
	n := 0
	for _, p := range l {
		if p.Severity == s {
			n++
		}
	}
	return n
}

// HasErrors reports whether any finding is an [Error].
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(p Problem) bool { return p.Severity == Error })
}

// First returns the first finding of severity [Error].
func (l List) First() (Problem, bool) {
	for _, p := range l {
		if p.Severity == Error {
			return p, true
		}
	}
	return Problem{}, false
}

// Only returns the findings of some rules, in order.
func (l List) Only(rules ...string) List {
	return slices.DeleteFunc(slices.Clone(l), func(p Problem) bool { return !slices.Contains(rules, p.Rule) })
}

// Under returns a copy whose files are prefixed with dir and a slash. An empty
// or "." dir changes nothing; a finding without a file, or in ".", gets dir
// itself.
func (l List) Under(dir string) List {
	out := slices.Clone(l)
	if dir == "" || dir == "." {
		return out
	}
	for i := range out {
		if out[i].File == "" || out[i].File == "." {
			out[i].File = dir
		} else {
			out[i].File = dir + "/" + out[i].File
		}
	}
	return out
}

// Strict returns a copy in which every warning is an error.
func (l List) Strict() List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Severity == Warning {
			out[i].Severity = Error
		}
	}
	return out
}

// ForUse returns a copy as it counts for somebody who uses the package instead
// of publishing it: errors that the host tolerates are warnings.
func (l List) ForUse() List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Severity == Error && out[i].Tolerated {
			out[i].Severity = Warning
		}
	}
	return out
}

// Err returns nil when l has no error, else a [*ContentError] with the list.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return &ContentError{Problems: l}
}

// ContentError is content that was refused. It is the only bridge from
// findings to errors; commands exit with 3 for it.
type ContentError struct{ Problems List }

// Error names the first refused thing and how many more there are.
func (e *ContentError) Error() string {
	p, ok := e.Problems.First()
	if !ok {
		return "content refused"
	}
	if n := e.Problems.Count(Error); n > 1 {
		return fmt.Sprintf("%s, and %d more", p, n-1)
	}
	return p.String()
}
