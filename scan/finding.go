package scan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pinion/hashes"
	"pinion/problem"
)

// Finding is one thing that should worry a user, at one place. Line and Column
// are 1-based, Column in code points; zero means the file or package as a whole.
type Finding struct {
	Rule     string      `json:"rule"`
	Level    Level       `json:"level"`
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Column   int         `json:"column"`
	Message  string      `json:"message"`
	Evidence string      `json:"evidence"` // escaped, at most 160 characters, secrets hidden
	Window   hashes.Sum  `json:"window"`   // of the lines around it, what an acceptance is bound to
	More     int         `json:"more"`     // further places in this file that are not listed
	Scanner  string      `json:"scanner"`  // "" for Pinion's own rules, else the name of an external scanner
	Accepted *Acceptance `json:"accepted,omitzero"`

	fix string
}

// Blocks reports whether the finding keeps the package from being activated
// under the usual policy: high or critical, and not accepted (SB-067).
func (f Finding) Blocks() bool { return f.Level >= High && f.Accepted == nil }

// Problem returns the finding as one of the whole tool. An accepted one is a
// note that says who accepted it.
func (f Finding) Problem() problem.Problem {
	p := problem.Problem{
		Rule: f.Rule, Severity: f.Level.Severity(), File: f.File, Line: f.Line, Column: f.Column,
		Message: f.Level.String() + ": " + f.Message, Fix: f.fix,
	}
	if f.Evidence != "" {
		p.Message += ": " + f.Evidence
	}
	if f.More > 0 {
		p.Message += fmt.Sprintf(" (and %d more in this file)", f.More)
	}
	if f.Accepted != nil {
		p.Severity = problem.Note
		p.Message += fmt.Sprintf(" (accepted by %s: %s)", f.Accepted.By, f.Accepted.Reason)
	}
	return p
}

func sortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message),
		)
	})
}

// Escape makes text of a package safe for a terminal, a log and a model that
// reads the report: everything that is not printable is written as \u{…}, and
// it is cut to at most limit characters.
func Escape(s string, limit int) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		var w string
		switch {
		case r == utf8.RuneError && size == 1:
			w = fmt.Sprintf(`\x%02x`, s[i])
		case r == '\t' || r == ' ':
			w = " "
		case r == '\n':
			w = `\n`
		case r == '\r':
			w = `\r`
		case !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			w = fmt.Sprintf(`\u{%X}`, r)
		default:
			w = s[i : i+size]
		}
		if n += utf8.RuneCountInString(w); n > limit-1 {
			b.WriteString("…")
			break
		}
		b.WriteString(w)
		i += size
	}
	return b.String()
}

// evidence returns the line around data[start:end], cut so that the place is in
// it. With hide the place itself is replaced.
func evidence(data []byte, start, end int, hide bool) string {
	from, to := lineAround(data, start)
	to = max(to, min(end, len(data)))
	from = max(from, start-maxEvidence/3)
	to = min(to, max(end, start)+maxEvidence)
	before, found, after := string(data[from:start]), string(data[start:end]), string(data[end:max(to, end)])
	if hide {
		found = redact(found)
		after = "" // what stands behind a secret is often another part of it
	}
	return Escape(strings.TrimSpace(before+found+after), maxEvidence)
}

// redact keeps the first characters of a secret, which name its kind.
func redact(s string) string {
	keep := min(4, len(s)/4)
	return s[:keep] + "[hidden]"
}

// window identifies the line of a finding and the one before and after it. An
// acceptance holds as long as they are the same.
func window(data []byte, start, end int) hashes.Sum {
	from, _ := lineAround(data, start)
	if from > 0 {
		from, _ = lineAround(data, from-1)
	}
	_, to := lineAround(data, end)
	if to < len(data) {
		_, to = lineAround(data, to+1)
	}
	return hashes.Of(data[from:to])
}
