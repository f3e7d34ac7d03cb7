package compat

import (
	"fmt"

	"pinion/problem"
)

// effect is what a finding does to the package or catalog that has it.
type effect uint8

const (
	note  effect = iota // nothing: it is worth knowing
	part                // a part of it is left out
	fatal               // the host does not load it
)

func (e effect) severity() problem.Severity {
	switch e {
	case fatal:
		return problem.Error
	case part:
		return problem.Warning
	}
	return problem.Note
}

// span are the versions for which a rule holds: from from, below until. A zero
// end is open.
type span struct{ from, until Version }

// before is the span of versions below v.
func before(major, minor, patch int) span {
	return span{until: Version{major, minor, patch}}
}

// meets reports whether some version of r lies in s.
func (s span) meets(r Range) bool {
	return r.High.Compare(s.from) >= 0 && (s.until.IsZero() || r.Low.Compare(s.until) < 0)
}

// rule is one thing that a host does, and since or until when.
type rule struct {
	id       string // after "host/HOST-"
	effect   effect
	versions span
	title    string
	help     string
	fix      string
	// evidence is how it is known: the version that was tried, the host's
	// source, documentation or changelog, or an issue.
	evidence string
}

// public returns the rule as people see it.
func (r rule) public(h *host) problem.Rule {
	when := ""
	if u := r.versions.until; !u.IsZero() {
		when = fmt.Sprintf(" It holds below %s %s.", h.title, u)
	} else if f := r.versions.from; !f.IsZero() {
		when = fmt.Sprintf(" It holds from %s %s on.", h.title, f)
	}
	return problem.Rule{
		ID: ruleID(h, r), Severity: r.effect.severity(), Since: "0.3.0",
		Title: r.title, Help: r.help + when + " Evidence: " + r.evidence + ".", Fix: r.fix,
	}
}

func ruleID(h *host, r rule) string { return "host/" + string(h.name) + "-" + r.id }
