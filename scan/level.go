package scan

import (
	"fmt"

	"pinion/problem"
)

// Level says how much a finding should worry whoever is about to use the
// package. High and Critical block an activation.
type Level uint8

// The levels, from something to know to something that is never legitimate. The
// zero Level is none of them: it means that nothing was set.
const (
	Info Level = iota + 1
	Low
	Medium
	High
	Critical
)

const unset Level = 0

var levelWords = [...]string{"unset", "info", "low", "medium", "high", "critical"}

// String returns the word of the JSON contract.
func (l Level) String() string {
	if int(l) < len(levelWords) {
		return levelWords[l]
	}
	return "critical"
}

// MarshalText encodes l as its word.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads one of the five words.
func (l *Level) UnmarshalText(b []byte) error {
	for i, w := range levelWords[Info:] {
		if w == string(b) {
			*l = Info + Level(i)
			return nil
		}
	}
	return fmt.Errorf("unknown level %q", b)
}

// Severity returns how a finding of this level counts among other problems: an
// error blocks.
func (l Level) Severity() problem.Severity {
	switch {
	case l >= High:
		return problem.Error
	case l == Medium:
		return problem.Warning
	}
	return problem.Note
}
