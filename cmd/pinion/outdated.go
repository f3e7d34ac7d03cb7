package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// outdatedOptions are the flags and arguments of `pinion outdated`.
type outdatedOptions struct {
	failOn string
}

func newOutdatedCmd(e *env) *command {
	o := &outdatedOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "outdated",
			Usage: "list plugins with a newer version",
			Description: "Refreshes the catalogs first, except with --offline. Exit 0 in either case, unless --fail-on " +
				"any is given.",
			Flags: []cli.Flag{
				stringFlag(&o.failOn, "fail-on", "exit 3 on `WHAT`: any"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runOutdated(ctx, e, lib, *o)
			}),
		},
		section: users,
		examples: []example{
			{"pinion outdated", ""},
			{"pinion outdated --fail-on any", "in a scheduled job"},
		},
		exits:  []int{exitProblems},
		scope:  true,
		result: true,
	}
}

func runOutdated(ctx context.Context, e *env, lib *pinion.Client, o outdatedOptions) error {
	if o.failOn != "" && o.failOn != "any" {
		return unknownWord("--fail-on", o.failOn, []string{"any"})
	}
	r, err := lib.Outdated(ctx, e.opts.project)
	if err != nil {
		return err
	}
	err = e.show(r, func() error {
		t := ui.NewTable(idColumn(), ui.Column{Title: "ACTIVE", Keep: true}, ui.Column{Title: "NEWEST", Keep: true}, marketColumn(), ui.Column{Title: "KIND", Keep: true}, ui.Column{Title: "NOTE"})
		for _, p := range r.Plugins {
			t.Row(p.ID, p.Active, p.Newest, p.Marketplace, string(p.Kind), p.Passed)
		}
		if err := t.Write(e.Out); err != nil {
			return err
		}
		if t.Len() == 0 && len(r.Failed) == 0 {
			e.Note("everything that is active is the newest")
		} else if t.Len() > 0 {
			e.Note("%d outdated", t.Len())
			e.nextUpgrade(r.Plugins)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.failures(r.Failed, worst(r.Failed)); err != nil {
		return err
	}
	if o.failOn == "any" && len(r.Plugins) > 0 {
		return codeError(exitProblems)
	}
	return nil
}

// nextUpgrade names the command that takes what is there: a bare upgrade passes
// over what was held or rolled back from.
func (e *env) nextUpgrade(list []pinion.Outdated) {
	for _, p := range list {
		if p.Passed == "" {
			e.Next("pinion upgrade%s", e.projectFlag())
			return
		}
	}
	e.Next("pinion upgrade %s%s", list[0].ID, e.projectFlag())
}
