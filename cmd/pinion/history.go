package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newHistoryCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "history",
			Usage:       "which versions were active, and when",
			Description: "Lists the versions that were active, newest first.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runHistory(ctx, e, lib, args[0])
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}},
		examples: []example{
			{"pinion history workflow-hooks", ""},
		},
		scope:  true,
		result: true,
	}
}

func runHistory(ctx context.Context, e *env, lib *pinion.Client, text string) error {
	ref, err := e.ref(text)
	if err != nil {
		return err
	}
	r, err := lib.History(ctx, ref, e.opts.project)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		t := ui.NewTable(versionColumn(), digestColumn(), ui.Column{Title: "ACTIVE SINCE", Keep: true}, ui.Column{Title: "BY", Keep: true}, ui.Column{Title: "NOTE"})
		for _, s := range r.Steps {
			by := s.Why
			if s.Back {
				by = "rollback"
			}
			note := ""
			if s.Current {
				note = "current"
			}
			t.Row(s.Version, s.Digest.String(), stamp(s.At), by, note)
		}
		if t.Len() == 0 {
			e.Note("%s was never active%s", r.ID, inScope(r.Scope))
			e.Next("pinion activate %s%s", r.ID, e.projectFlag())
		}
		return t.Write(e.Out)
	})
}
