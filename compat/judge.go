package compat

import (
	"fmt"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// finding is one report of a rule, for all versions of its span.
type finding struct {
	rule   rule
	effect effect
	entry  int // index of the catalog's entry that it is about, -1 for none
	p      problem.Problem
}

// judge collects what one host says of one package or catalog.
type judge struct {
	host *host
	want Range
	// file and data are the document that [judge.at] finds positions in.
	file string
	data []byte

	unread     bool
	found      []finding
	components []manifest.Component
	entries    []EntryVerdict
}

// place is where a finding is: a file, or a value of the document.
type place struct {
	file, pointer string
	line, column  int
	located       bool
}

// report adds a finding of r at where.
func (j *judge) report(r rule, where place, format string, args ...any) *finding {
	p := problem.Problem{
		Rule: ruleID(j.host, r), Severity: r.effect.severity(), Fix: r.fix,
		Message: j.host.title + ": " + fmt.Sprintf(format, args...),
	}
	p.File, p.Line, p.Column = where.file, where.line, where.column
	if where.located && r.versions.meets(j.want) { // positions take time
		p.Line, p.Column = syntax.Locate(j.data, where.pointer)
	}
	j.found = append(j.found, finding{rule: r, effect: r.effect, entry: -1, p: p})
	return &j.found[len(j.found)-1]
}

// whole is the package as a whole.
func whole() place { return place{file: "."} }

// in is a value of the document, by its pointer.
func (j *judge) in(parts ...any) place {
	return place{file: j.file, pointer: syntax.Pointer(parts...), located: true}
}

// verdict sums up.
func (j *judge) verdict() Verdict {
	v := Verdict{Host: j.host.name, Versions: j.want, Outcome: Loads, Components: j.components, Entries: j.entries, Problems: problem.List{}}
	if j.unread {
		v.Outcome = Unread
	}
	all := func(f finding) bool { return f.entry < 0 }
	for _, f := range j.found {
		if f.rule.versions.meets(j.want) {
			v.Problems.Add(f.p)
		}
	}
	if !j.unread {
		v.Outcome = j.outcome(all)
		v.Since = j.since(fatal, all)
		v.Complete = j.since(part, func(finding) bool { return true })
	}
	for i := range v.Entries {
		e := &v.Entries[i]
		mine := func(f finding) bool { return f.entry == e.Index || f.entry < 0 && f.effect == fatal }
		e.Outcome, e.Since = j.outcome(mine), j.since(fatal, mine)
		for _, f := range j.found {
			if mine(f) && f.effect == fatal && f.rule.versions.meets(j.want) && e.Rule == "" {
				e.Rule = f.p.Rule
			}
		}
		if e.Outcome != Loads && v.Outcome == Loads {
			v.Outcome = Partly
		}
	}
	if v.Outcome == Refused || v.Outcome == Unread {
		v.Components = nil
	}
	v.Problems.Sort()
	return v
}

// outcome is the worst of the asked versions.
func (j *judge) outcome(count func(finding) bool) Outcome {
	worst := note
	for _, f := range j.found {
		if count(f) && f.rule.versions.meets(j.want) {
			worst = max(worst, f.effect)
		}
	}
	switch worst {
	case fatal:
		return Refused
	case part:
		return Partly
	}
	return Loads
}

// since returns the lowest known version from which on no counted finding of at
// least the effect holds, or zero.
func (j *judge) since(least effect, count func(finding) bool) Version {
	low := j.host.first
	for _, f := range j.found {
		if f.effect < least || !count(f) {
			continue
		}
		s := f.rule.versions
		switch {
		case s.until.IsZero() || s.until.Compare(j.host.newest) > 0:
			if s.from.Compare(j.host.newest) <= 0 {
				return Version{}
			}
		case s.until.Compare(low) > 0:
			low = s.until
		}
	}
	return low
}
