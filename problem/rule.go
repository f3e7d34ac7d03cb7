package problem

import "fmt"

// Rule is the definition of one kind of finding. It sits next to the code that
// reports it; docs/rules.md and `pinion explain` are made from it.
//
// ID is "group/name" in lower case and permanent: scripts and baselines key on
// it, so a retired id is never used again.
type Rule struct {
	ID       string   // "files/undeclared"
	Severity Severity // the usual weight; a report may carry another
	Title    string   // what is wrong, one line
	Help     string   // what it means and why it matters
	Fix      string   // what to do, in general
	Example  string   // content that shows it, and the cure; may be empty
	Since    string   // the version of Pinion that first reported it
}

// Report returns a finding of this rule with a message for this occurrence.
// Position and the particular fix are added with [Problem.At] and
// [Problem.WithFix].
func (r Rule) Report(format string, args ...any) Problem {
	return Problem{Rule: r.ID, Severity: r.Severity, Message: fmt.Sprintf(format, args...), Fix: r.Fix}
}
