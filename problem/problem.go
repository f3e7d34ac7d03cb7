// Package problem is the vocabulary of findings about user content: what is
// wrong, where, how bad it is, and what to do about it.
//
// A finding is data. It never stops a run by itself and is never turned into
// an error except by [List.Err], at the edge where a caller needs one. A
// failure of the run (no disk, no network) is an ordinary error and does not
// belong here.
package problem

import (
	"fmt"
	"strconv"
	"strings"
)

// Severity says what a finding means for the content it is about.
type Severity uint8

// Note is information, Warning is something that works but should change,
// Error is content that Pinion refuses.
const (
	Note Severity = iota
	Warning
	Error
)

// String returns "note", "warning" or "error", the words of the JSON contract.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// MarshalText encodes s as its word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the words "note", "warning" and "error".
func (s *Severity) UnmarshalText(b []byte) error {
	switch string(b) {
	case "note":
		*s = Note
	case "warning":
		*s = Warning
	case "error":
		*s = Error
	default:
		return fmt.Errorf("unknown severity %q", b)
	}
	return nil
}

// Problem is one finding. Line and Column are 1-based, Column in code points;
// zero means the part is unknown. File is a slash-separated path relative to
// what the user named, or the path the user typed.
type Problem struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
	// Tolerated is true for an error in a part of a package that the host of its
	// format leaves out, or does not look at, while it loads the rest: wrong for
	// whoever publishes it, no reason to refuse the package to a user.
	Tolerated bool `json:"-"`
}

// Position returns "file:line:col" without the parts that are unknown.
func (p Problem) Position() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		if b.Len() > 0 {
			b.WriteByte(':')
		}
		b.WriteString(strconv.Itoa(p.Line))
		if p.Column > 0 {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(p.Column))
		}
	}
	return b.String()
}

// String returns the one-line form "file:line:col: severity: message (rule)".
func (p Problem) String() string {
	pos := p.Position()
	if pos != "" {
		pos += ": "
	}
	return fmt.Sprintf("%s%s: %s (%s)", pos, p.Severity, p.Message, p.Rule)
}

// At returns p with its position set.
func (p Problem) At(file string, line, column int) Problem {
	p.File, p.Line, p.Column = file, line, column
	return p
}

// WithFix returns p with the advice on what to do.
func (p Problem) WithFix(format string, args ...any) Problem {
	p.Fix = fmt.Sprintf(format, args...)
	return p
}

// Survived returns p as something that the host tolerates.
func (p Problem) Survived() Problem {
	p.Tolerated = true
	return p
}

// As returns p with another severity, for a rule whose weight depends on the
// format or the host.
func (p Problem) As(s Severity) Problem {
	p.Severity = s
	return p
}
