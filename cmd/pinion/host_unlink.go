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
					e.sayAside(r.Steps)
					if err := e.line("%s: %s%s", word, r.Title, inScope(r.Scope)); err != nil {
						return err
					}
					if !r.Changed {
						e.nextUnlink(ctx, lib, r.Host)
					}
					return nil
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

// nextUnlink names the command for a host that is linked in the other scope.
func (e *env) nextUnlink(ctx context.Context, lib *pinion.Client, name string) {
	other, err := lib.HostList(ctx, !e.opts.project)
	if err != nil {
		return // outside of a project there is no other scope
	}
	for _, h := range other.Hosts {
		if h.Name != name || !h.Linked {
			continue
		}
		if e.opts.project {
			e.Next("pinion host unlink %s", name)
		} else {
			e.Next("pinion host unlink %s --project", name)
		}
	}
}
