package market

import (
	"fmt"
	"strings"
	"time"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/problem"
)

// Refusal is one thing a refresh would not take.
type Refusal struct {
	ID             string        `json:"id"` // "" when the whole marketplace is meant
	Version        string        `json:"version"`
	Rule           string        `json:"rule"`
	Recorded       hashes.Digest `json:"recorded"`
	RecordedCommit string        `json:"recordedCommit"`
	FirstSeen      time.Time     `json:"firstSeen,omitzero"`
	Offered        hashes.Digest `json:"offered"`
	OfferedCommit  string        `json:"offeredCommit"`
	Message        string        `json:"message"`
}

// RefusedError is a refresh or an add that was refused as a whole. The state is
// what it was. It is a security refusal: exit code 4.
type RefusedError struct {
	Market   string // alias
	Source   string
	Previous string // commit in use, "" on add
	Offered  string // commit that was refused
	Refused  []Refusal
}

// Error names the first refusal.
func (e *RefusedError) Error() string {
	r := e.Refused[0]
	what := e.Market
	if r.ID != "" {
		what += ": " + r.ID + " " + r.Version
	}
	s := fmt.Sprintf("%s: %s", what, r.Rule)
	if r.Message != "" {
		s = fmt.Sprintf("%s: %s (%s)", what, r.Message, r.Rule)
	}
	if n := len(e.Refused) - 1; n > 0 {
		s += fmt.Sprintf(", and %d more", n)
	}
	return s
}

// ExitCode is 4, verification refused.
func (e *RefusedError) ExitCode() int { return 4 }

// Rule is the rule of the first refusal.
func (e *RefusedError) Rule() string { return e.Refused[0].Rule }

// WaysOut are the commands the user can go on with, most careful first.
func (e *RefusedError) WaysOut() [][2]string {
	var out [][2]string
	rule := e.Rule()
	switch {
	case acceptable(rule) && e.Previous != "":
		out = append(out, [2]string{"take it once", fmt.Sprintf("pinion marketplace refresh %s --accept %s", e.Market, rule)})
	case e.Refused[0].ID != "" && e.Previous != "":
		out = append(out, [2]string{"without it", fmt.Sprintf("pinion marketplace refresh %s --skip-refused", e.Market)})
	}
	return append(out, [2]string{"why", "pinion explain " + rule})
}

// UnknownError is an alias nobody added. It is [ErrUnknown].
type UnknownError struct {
	Name    string
	Have    []string
	Damaged []Damage
}

// Error names the alias and, when there is one, the nearest.
func (e *UnknownError) Error() string {
	if near, ok := syntax.Nearest(e.Name, e.Have); ok {
		return fmt.Sprintf("no marketplace %q; did you mean %q?", e.Name, near)
	}
	return fmt.Sprintf("no marketplace %q", e.Name)
}

// Is makes the error [ErrUnknown].
func (e *UnknownError) Is(target error) bool { return target == ErrUnknown }

// Hint lists what there is.
func (e *UnknownError) Hint() string {
	if len(e.Damaged) > 0 {
		return "one marketplace cannot be read: " + e.Damaged[0].Err.Error()
	}
	if len(e.Have) == 0 {
		return "add one with: pinion marketplace add OWNER/REPO"
	}
	return "added are: " + strings.Join(e.Have, ", ")
}

// TakenError is an alias that another source has. It is [ErrTaken].
type TakenError struct{ Name, Source string }

// Error names the alias and who has it.
func (e *TakenError) Error() string {
	return fmt.Sprintf("the name %q belongs to %s", e.Name, e.Source)
}

// Is makes the error [ErrTaken].
func (e *TakenError) Is(target error) bool { return target == ErrTaken }

// Hint tells how to choose another.
func (e *TakenError) Hint() string { return "choose another name with --name" }

// CatalogError is a source without a usable catalog: content that was refused.
type CatalogError struct {
	Source   string
	Commit   string
	Problems problem.List
}

// Error names the first problem.
func (e *CatalogError) Error() string {
	return fmt.Sprintf("%s: %s", e.Source, (&problem.ContentError{Problems: e.Problems}).Error())
}

// Unwrap gives the findings.
func (e *CatalogError) Unwrap() error { return &problem.ContentError{Problems: e.Problems} }
