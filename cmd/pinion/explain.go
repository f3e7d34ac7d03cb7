package main

import (
	"bytes"
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newExplainCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "explain",
			Usage:       "what a rule means and how to fix it",
			Description: "Tells what the rule means, why it exists, how to fix it, with an example.",
			Action:      func(c *cli.Context) error { return runExplain(c.Context, e, c.Args().First()) },
		},
		section: authors,
		args:    []arg{{name: "RULE", kind: ruleID}},
		examples: []example{
			{"pinion explain files/undeclared", "the rule in parentheses behind a problem"},
		},
		result: true,
	}
}

// explainDocument is the result of `pinion explain --json`.
type explainDocument struct {
	Schema string `json:"schema"`
	ruleDoc
}

func runExplain(_ context.Context, e *env, id string) error {
	r, err := pinion.Explain(id)
	if err != nil {
		return err
	}
	return e.show(explainDocument{"pinion.explain/v1", ruleDoc(r)}, func() error {
		var b bytes.Buffer
		b.WriteString(e.Out.Paint(ui.Bold, r.ID) + " (" + e.Out.Paint(severityColor(r.Severity.String()), r.Severity.String()) + "): " + r.Title + "\n\n")
		writeHanging(&b, "", "", r.Help)
		if r.Fix != "" {
			b.WriteString("\n")
			writeHanging(&b, "", "fix: ", r.Fix)
		}
		if r.Example != "" {
			b.WriteString("\nexample:\n")
			for line := range strings.Lines(r.Example) {
				b.WriteString("    " + strings.TrimSuffix(line, "\n") + "\n")
			}
		}
		b.WriteString("\nsince Pinion " + r.Since + "\n")
		_, err := e.Out.Write(b.Bytes())
		return err
	})
}
