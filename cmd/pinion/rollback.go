package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"pinion"
)

// rollbackOptions are the flags of `pinion rollback`.
type rollbackOptions struct {
	allow []string
}

func newRollbackCmd(e *env) *command {
	o := &rollbackOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "rollback",
			Usage: "go back to the version active before",
			Description: "Activates the version that was active before, and run again goes further back. The version " +
				"you left is passed over by upgrade unless you name it.",
			Flags: []cli.Flag{
				allowFlag(&o.allow),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runRollback(ctx, e, lib, *o, args[0])
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}},
		examples: []example{
			{"pinion rollback workflow-hooks", "1.1.0 back to 1.0.0"},
		},
		exits:   []int{exitConsent},
		scope:   true,
		changes: true,
		result:  true,
	}
}

func runRollback(ctx context.Context, e *env, lib *pinion.Client, o rollbackOptions, text string) error {
	ref, err := e.ref(text)
	if err != nil {
		return err
	}
	allow, err := grants(o.allow)
	if err != nil {
		return err
	}
	r, err := lib.Rollback(ctx, ref, pinion.ActivateOptions{Project: e.opts.project, Allow: allow, DryRun: e.opts.dryRun})
	if r == nil {
		return err
	}
	return errors.Join(e.show(r, func() error {
		if err := e.line("%s: %s %s%s, was %s.", e.did("active", "would be active"), r.ID, r.Version, inScope(r.Scope), r.Previous); err != nil {
			return err
		}
		if r.Scan != "" {
			e.Note("%s %s: %s", r.ID, r.Version, r.Scan)
		}
		if !e.opts.dryRun {
			e.Note("upgrade passes over %s %s until you name it", r.ID, r.Previous)
		}
		e.sayHosts(r.Hosts, r.ID)
		return nil
	}), err)
}
