package compat

import (
	"cmp"
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

// weigh gives a finding another weight than its rule has.
func (f *finding) weigh(e effect) { f.effect, f.p.Severity = e, e.severity() }

// judge collects what one host says of one package or catalog.
type judge struct {
	host *host
	want Range
	// file and data are the document that [judge.at] finds positions in.
	file string
	data []byte

	unread     bool
	searched   int // bytes that were read to find positions
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
	if where.located && r.versions.meets(j.want) && j.searched <= maxSearched {
		j.searched += len(j.data)
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

// Bounds of what one hostile file can make Pinion look for and print. Looking
// for a position reads the document again, so it is bytes that are counted.
const (
	maxSearched = 32 << 20
	maxProblems = 1000
)

// summary is what some findings come to.
type summary struct {
	worst effect // among the asked versions
	rule  string // of the first fatal finding there
	// since is the lowest known version from which on no fatal finding holds,
	// complete the same for every finding that takes something away; zero when
	// one holds for the newest.
	since, complete Version
}

func (j *judge) sum(found []finding) summary {
	s := summary{since: j.host.first, complete: j.host.first}
	for _, f := range found {
		if f.rule.versions.meets(j.want) {
			s.worst = max(s.worst, f.effect)
			if f.effect == fatal && s.rule == "" {
				s.rule = f.p.Rule
			}
		}
		if f.effect == fatal {
			s.since = j.after(s.since, f.rule.versions)
		}
		if f.effect != note {
			s.complete = j.after(s.complete, f.rule.versions)
		}
	}
	return s
}

// after returns the lowest version at or above low from which on a span is over,
// zero when it is not over with the newest version, or when low is zero already.
func (j *judge) after(low Version, s span) Version {
	switch {
	case low.IsZero() || s.from.Compare(j.host.newest) > 0:
		return low
	case s.until.IsZero() || s.until.Compare(j.host.newest) > 0:
		return Version{}
	case s.until.Compare(low) > 0:
		return s.until
	}
	return low
}

// later returns the higher of two versions, zero when one of them is.
func later(v, w Version) Version {
	if v.IsZero() || w.IsZero() {
		return Version{}
	}
	if v.Compare(w) > 0 {
		return v
	}
	return w
}

// outcome is the word for what an effect leaves.
func (e effect) outcome() Outcome {
	switch e {
	case fatal:
		return Refused
	case part:
		return Partly
	}
	return Loads
}

// verdict sums up.
func (j *judge) verdict() Verdict {
	v := Verdict{Host: j.host.name, Versions: j.want, Outcome: Loads, Components: j.components, Entries: j.entries, Problems: problem.List{}}
	// One pass each, since a catalog may have very many entries and findings.
	var all, kills []finding
	mine := map[int][]finding{}
	for _, f := range j.found {
		if f.rule.versions.meets(j.want) && len(v.Problems) < maxProblems {
			v.Problems.Add(f.p)
		}
		switch {
		case f.entry >= 0:
			mine[f.entry] = append(mine[f.entry], f)
		default:
			all = append(all, f)
			if f.effect == fatal {
				kills = append(kills, f)
			}
		}
	}
	v.Problems.Sort()
	if j.unread {
		v.Outcome, v.Components = Unread, nil
		return v
	}
	whole, killed := j.sum(all), j.sum(kills)
	v.Outcome, v.Since, v.Complete = whole.worst.outcome(), whole.since, j.sum(j.found).complete
	for i := range v.Entries {
		e := &v.Entries[i]
		own := j.sum(mine[e.Index])
		e.Outcome, e.Since, e.Rule = max(own.worst, killed.worst).outcome(), later(own.since, killed.since), cmp.Or(own.rule, killed.rule)
		if e.Outcome != Loads && v.Outcome == Loads {
			v.Outcome = Partly
		}
	}
	if v.Outcome == Refused {
		v.Components = nil
	}
	return v
}
