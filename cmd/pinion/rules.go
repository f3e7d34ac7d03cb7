package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
	"pinion/problem"
)

func newRulesCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "rules",
			Usage:       "list every rule",
			Description: "Lists the id, severity and title of every rule that a problem can have.",
			Action:      func(c *cli.Context) error { return runRules(c.Context, e) },
		},
		section: authors,
		examples: []example{
			{"pinion rules", "all of them"},
			{"pinion rules | grep ^files/", "for scripts: tab-separated"},
		},
		result: true,
	}
}

// rulesDocument is the result of `pinion rules --json`.
type rulesDocument struct {
	Schema string    `json:"schema"`
	Rules  []ruleDoc `json:"rules"`
}

// ruleDoc is one rule in a document.
type ruleDoc struct {
	ID       string           `json:"id"`
	Severity problem.Severity `json:"severity"`
	Title    string           `json:"title"`
	Help     string           `json:"help"`
	Fix      string           `json:"fix"`
	Example  string           `json:"example"`
	Since    string           `json:"since"`
}

func runRules(_ context.Context, e *env) error {
	doc := rulesDocument{Schema: "pinion.rules/v1", Rules: []ruleDoc{}}
	t := ui.NewTable(ui.Column{Title: "RULE", Keep: true}, ui.Column{Title: "SEVERITY", Keep: true, Paint: severityColor}, ui.Column{Title: "MEANING"})
	for _, r := range pinion.Rules() {
		doc.Rules = append(doc.Rules, ruleDoc(r))
		t.Row(r.ID, r.Severity.String(), r.Title)
	}
	return e.show(doc, func() error {
		if err := t.Write(e.Out); err != nil {
			return err
		}
		e.Next("pinion explain RULE tells more of one")
		return nil
	})
}

func severityColor(cell string) ui.Color {
	switch cell {
	case "error":
		return ui.Red
	case "warning":
		return ui.Yellow
	}
	return ui.Plain
}
