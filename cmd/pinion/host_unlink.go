package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newHostUnlinkCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "host unlink",
			Usage: "take back what host link put into a host",
			Description: "Removes what is still as Pinion put it there, and puts back what was there before: values, " +
				"files, plugins that were switched off. What the host or you changed since stays.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				r, err := lib.HostUnlink(ctx, args[0], pinion.HostOptions{Project: e.opts.project, DryRun: e.opts.dryRun})
				if err != nil {
					return err
				}
				return e.show(r, func() error {
					if err := e.saySteps(r.Steps); err != nil {
						return err
					}
					word := e.did("unlinked", "would unlink")
					if !r.Changed {
						word = "not linked"
					}
					for _, s := range r.Steps {
						if s.Aside != "" {
							e.Note("%s %s; it is kept at %s", s.Path, s.Why, s.Aside)
						}
					}
					return e.line("%s: %s%s", word, r.Title, inScope(r.Scope))
				})
			}),
		},
		section: users,
		args:    []arg{{name: "HOST", kind: hostName}},
		examples: []example{
			{"pinion host unlink claude", ""},
		},
		scope:   true,
		changes: true,
		result:  true,
	}
}
