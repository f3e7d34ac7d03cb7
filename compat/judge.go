package compat

import (
	"fmt"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// maxShown bounds what one host says of one package or catalog. All findings count
// for the outcome.
const maxShown = 200

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
	shown      int  // findings of the asked versions
	fatal      bool // one of them keeps the host from loading
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
	first := r.effect == fatal && !j.fatal && r.versions.meets(j.want)
	if where.located && (j.shown < maxShown && r.versions.meets(j.want) || first) { // positions take time
		p.Line, p.Column = syntax.Locate(j.data, where.pointer)
	}
	if r.versions.meets(j.want) {
		j.shown++
		j.fatal = j.fatal || first
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
	var whole, any, fatals sum
	own := make([]sum, len(v.Entries))
	place := make(map[int]int, len(v.Entries))
	for i, e := range v.Entries {
		place[e.Index] = i
	}
	for i, f := range j.found {
		if f.rule.versions.meets(j.want) && len(v.Problems) <= maxShown {
			if len(v.Problems) == maxShown {
				f.p.Message = fmt.Sprintf("%s: %d more findings are not listed", j.host.title, j.shown-maxShown)
				f.p.Fix = ""
			}
			v.Problems.Add(f.p)
		}
		if any.add(j, i); any.first == i+1 && len(v.Problems) > maxShown {
			v.Problems.Add(f.p) // what keeps the host from loading is always listed
		}
		if f.entry < 0 {
			whole.add(j, i)
			if f.effect == fatal {
				fatals.add(j, i)
			}
		} else if at, ok := place[f.entry]; ok {
			own[at].add(j, i)
		}
	}
	if !j.unread {
		v.Outcome = whole.outcome()
		v.Since = whole.since(j, fatal)
		v.Complete = any.since(j, part)
	}
	for i := range v.Entries {
		e, mine := &v.Entries[i], own[i].with(fatals)
		e.Outcome, e.Since = mine.outcome(), mine.since(j, fatal)
		if mine.first > 0 {
			e.Rule = j.found[mine.first-1].p.Rule
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

// sum is what some findings come to together.
type sum struct {
	worst effect // of the asked versions
	// until is, for findings of at least an effect, the version from which on none
	// holds, zero for the first known one; never is true where the newest has one.
	until [fatal + 1]Version
	never [fatal + 1]bool
	first int // 1 + the index of the first fatal one of the asked versions
}

// add counts the finding with index i.
func (s *sum) add(j *judge, i int) {
	f := j.found[i]
	if f.rule.versions.meets(j.want) {
		s.worst = max(s.worst, f.effect)
		if f.effect == fatal && s.first == 0 {
			s.first = i + 1
		}
	}
	held := f.rule.versions
	for e := note; e <= f.effect; e++ {
		switch {
		case held.until.IsZero() || held.until.Compare(j.host.newest) > 0:
			s.never[e] = s.never[e] || held.from.Compare(j.host.newest) <= 0
		case held.until.Compare(s.until[e]) > 0:
			s.until[e] = held.until
		}
	}
}

// with returns the sum of both.
func (s sum) with(o sum) sum {
	s.worst = max(s.worst, o.worst)
	for e := range s.until {
		if o.until[e].Compare(s.until[e]) > 0 {
			s.until[e] = o.until[e]
		}
		s.never[e] = s.never[e] || o.never[e]
	}
	if s.first == 0 || o.first > 0 && o.first < s.first {
		s.first = o.first
	}
	return s
}

func (s sum) outcome() Outcome {
	switch s.worst {
	case fatal:
		return Refused
	case part:
		return Partly
	}
	return Loads
}

// since returns the lowest known version from which on no finding of at least the
// effect holds, or zero.
func (s sum) since(j *judge, least effect) Version {
	switch {
	case s.never[least]:
		return Version{}
	case s.until[least].Compare(j.host.first) > 0:
		return s.until[least]
	}
	return j.host.first
}
