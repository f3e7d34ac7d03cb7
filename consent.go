package pinion

import (
	"context"
	"errors"
	"slices"

	"pinion/capability"
	"pinion/hashes"
	"pinion/manifest"
)

// Grant is one thing a user agrees to. It is also the word after --allow.
type Grant string

// The grants (SB-066). Consent belongs to exact bytes and is remembered with
// the activation.
const (
	GrantExtension     Grant = "extension"      // adds hooks, tools or UI to the agent
	GrantComputer      Grant = "computer"       // runs programs with the user's files and network
	GrantNewCapability Grant = "new-capability" // more than was agreed to before
	GrantRewritten     Grant = "rewritten"      // other bytes under a known version
)

// Grants lists every grant, for help and for checking flags.
func Grants() []Grant {
	return []Grant{GrantExtension, GrantComputer, GrantNewCapability, GrantRewritten}
}

// Question is what a user is asked: what would be allowed, and for which bytes.
type Question struct {
	Title   string
	ID      string
	Version string
	From    string // the version active now, "" for none
	Source  string // where it comes from, with the commit
	Digest  hashes.Digest
	Kind    manifest.Kind
	License string
	Scan    string // what the scan says, in one line
	Needs   []Grant
	Lines   []Line
	// Skippable says that [Skip] can be answered.
	Skippable bool
	// Show returns what changed, line by line in the form of a unified diff, or,
	// where there is nothing to compare with, the lines that run. Nil when there
	// is nothing to show.
	Show func(ctx context.Context) ([]string, error)
}

// Answer is what a user says to a [Question].
type Answer uint8

// The answers. Skip means not this version, neither now nor when an upgrade
// finds it again without being named.
const (
	No Answer = iota
	Yes
	Skip
)

// Line is one capability in a [Question].
type Line struct {
	New  bool   // not agreed to before
	What string // "hook before_tool", "mcp-server mail"
	Text string // file, command or URL
}

// errSkipped is a question that was answered with [Skip]. It does not leave the
// package: an upgrade remembers it.
var errSkipped = errors.New("the version was skipped")

// ask puts the question, and returns a [*ConsentError] when nobody agreed.
func (c *Client) ask(q Question) error {
	if c.o.Ask != nil {
		answer, err := c.o.Ask(q)
		switch {
		case err != nil:
			return err
		case answer == Yes:
			return nil
		case answer == Skip && q.Skippable:
			return errSkipped
		}
	}
	err := &ConsentError{What: q.Title, Needs: q.Needs}
	if q.ID != "" {
		err.Tip = "pinion info " + q.ID + " --capabilities shows what it may do"
	}
	return err
}

func granted(allow []Grant, needs ...Grant) bool {
	return !slices.ContainsFunc(needs, func(g Grant) bool { return !slices.Contains(allow, g) })
}

// missing returns what of needs is not in allow.
func missing(allow, needs []Grant) []Grant {
	return slices.DeleteFunc(slices.Clone(needs), func(g Grant) bool { return slices.Contains(allow, g) })
}

// summary lists what a package may do, what it could not before marked as new.
// A first activation has no before: everything is new, so nothing is marked.
func summary(now capability.Summary, before *capability.Summary) (lines []Line, anyNew bool) {
	known := map[capability.Entry]bool{}
	if before != nil {
		for _, e := range before.Entries() {
			known[e] = true
		}
		for _, ch := range capability.Diff(*before, now) {
			anyNew = anyNew || ch.Widens
		}
	}
	for _, e := range now.Entries() {
		if e.What == "license" && before == nil {
			continue // a question says it by itself; a new one is a change
		}
		lines = append(lines, Line{New: before != nil && !known[e], What: e.What + " " + e.Name, Text: e.Value})
	}
	slices.SortStableFunc(lines, func(a, b Line) int {
		switch {
		case a.New == b.New:
			return 0
		case a.New:
			return -1
		}
		return 1
	})
	return lines, anyNew
}
