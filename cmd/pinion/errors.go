package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pinion"
	"pinion/hashes"
	"pinion/internal/ui"
	"pinion/market"
	"pinion/problem"
	"pinion/source"
)

// usageError is a command line that has no meaning.
type usageError struct{ msg, hint string }

// Error says what is wrong with it.
func (e *usageError) Error() string { return e.msg }

// Hint says what would be right.
func (e *usageError) Hint() string { return e.hint }

// ExitCode is 2.
func (e *usageError) ExitCode() int { return exitUsage }

func usagef(hint, format string, args ...any) error {
	return &usageError{msg: fmt.Sprintf(format, args...), hint: hint}
}

// maxListed is how many problems of refused content an error lists.
const maxListed = 20

// errorDocument is the one JSON object on stderr.
type errorDocument struct {
	Schema   string       `json:"schema"`
	Error    string       `json:"error"`
	Rule     string       `json:"rule"`
	Hint     string       `json:"hint"`
	Exit     int          `json:"exit"`
	Problems problem.List `json:"problems"`
}

// describe collects what an error says beyond its text.
func describe(err error) errorDocument {
	d := errorDocument{
		Schema: "pinion.error/v1", Error: err.Error(),
		Rule: ruleOf(err), Hint: hintOf(err), Exit: exitOf(err),
		Problems: problem.List{},
	}
	var content *problem.ContentError
	if errors.As(err, &content) {
		d.Problems = content.Problems
	}
	if errors.Is(err, context.Canceled) {
		d.Error = "interrupted"
	}
	return d
}

// ruleOf returns the rule that an error is an instance of, or "".
func ruleOf(err error) string {
	var (
		ruled    interface{ Rule() string }
		mismatch *hashes.MismatchError
		moved    *source.MovedError
		content  *problem.ContentError
	)
	switch {
	case errors.As(err, &ruled):
		return ruled.Rule()
	case errors.As(err, &mismatch):
		return "hash/mismatch"
	case errors.As(err, &moved):
		return "source/moved"
	case errors.As(err, &content):
		if p, ok := content.Problems.First(); ok {
			return p.Rule
		}
	}
	return ""
}

// hintOf returns the next step that an error proposes, or "".
func hintOf(err error) string {
	if hint := pinion.Hint(err); hint != "" {
		return hint
	}
	if rule := ruleOf(err); rule != "" {
		return "pinion explain " + rule
	}
	return ""
}

// printError writes an error to stderr: one line, the problems of refused
// content, and the next step; with --json one object.
func printError(c *ui.Console, asJSON bool, err error) {
	var silent codeError
	if errors.As(err, &silent) {
		return
	}
	d := describe(err)
	if asJSON {
		// stderr is the last place to report to: an error here has no other.
		_ = ui.WriteJSON(c.Err, d)
		return
	}
	var refused *market.RefusedError
	if errors.As(err, &refused) {
		printRefused(c, refused)
		return
	}
	text := d.Error
	if d.Rule != "" && !strings.Contains(text, d.Rule) {
		text += " (" + d.Rule + ")"
	}
	fmt.Fprintf(c.Err, "%s %s\n", c.Err.Paint(ui.Red, "pinion:"), ui.Escape(text))
	if len(d.Problems) > 1 {
		_ = ui.WriteText(c.Err, d.Problems[:min(len(d.Problems), maxListed)])
	}
	for line := range strings.Lines(d.Hint) {
		fmt.Fprintf(c.Err, "  %s\n", ui.Escape(strings.TrimSuffix(line, "\n")))
	}
}
