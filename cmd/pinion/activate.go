package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"pinion"
)

// activateOptions are the flags and arguments of `pinion activate`.
type activateOptions struct {
	version string
	allow   []string
}

func newActivateCmd(e *env) *command {
	o := &activateOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "activate",
			Usage: "make an installed version the active one",
			Description: "One version of an id is active at a time; another marketplace's plugin of that id is " +
				"replaced in the same write. A plugin that runs code needs your consent to what it may do: at " +
				"the prompt, or with --allow. Consent belongs to the exact bytes and is remembered.",
			Flags: []cli.Flag{
				versionFlag(&o.version),
				allowFlag(&o.allow),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runActivate(ctx, e, lib, *o, args)
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}, {name: "VERSION", kind: anything, optional: true}},
		examples: []example{
			{"pinion activate text-tools", "the newest installed version"},
			{"pinion activate workflow-hooks 1.1.0 --allow extension --allow computer", "without being asked"},
		},
		exits:   []int{exitProblems, exitRefused, exitConsent},
		scope:   true,
		changes: true,
		result:  true,
	}
}

func runActivate(ctx context.Context, e *env, lib *pinion.Client, o activateOptions, args []string) error {
	ref, err := e.refAndVersion(args, o.version)
	if err != nil {
		return err
	}
	allow, err := grants(o.allow)
	if err != nil {
		return err
	}
	r, err := lib.Activate(ctx, ref, pinion.ActivateOptions{Project: e.opts.project, Allow: allow, DryRun: e.opts.dryRun})
	if r == nil {
		return err
	}
	return errors.Join(e.show(r, func() error {
		if err := e.sayActivated(r); err != nil {
			return err
		}
		if r.State == pinion.StateActive {
			e.nextHost(ctx, lib, r.Hosts)
		}
		return nil
	}), err)
}

// sayActivated says what is active now and how to take it back.
func (e *env) sayActivated(r *pinion.ActivateReport) error {
	word, back := e.did("active", "would be active"), ""
	switch {
	case !r.Changed:
		word = "already active"
	case r.Previous != "" && r.Previous != r.Version:
		back = "  Back: pinion rollback " + r.ID + e.projectFlag()
	}
	if err := e.line("%s: %s %s%s.%s", word, r.ID, r.Version, inScope(r.Scope), back); err != nil {
		return err
	}
	if r.Scan != "" {
		e.Note("%s %s: %s", r.ID, r.Version, r.Scan)
	}
	e.sayHosts(r.Hosts, r.ID)
	if r.State == pinion.StateDisabled {
		e.Note("%s is disabled and stays so", r.ID)
		e.Next("pinion enable %s%s", r.ID, e.projectFlag())
	}
	return nil
}
