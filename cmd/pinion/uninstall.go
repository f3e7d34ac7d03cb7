package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"pinion"
)

// uninstallOptions are the flags and arguments of `pinion uninstall`.
type uninstallOptions struct {
	force   bool
	version string
}

func newUninstallCmd(e *env) *command {
	o := &uninstallOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "uninstall",
			Usage: "remove an installed plugin",
			Description: "Removes one version, or every version without one, and leaves nothing behind. The active " +
				"version is removed only with --force.",
			Flags: []cli.Flag{
				boolFlag(&o.force, "force", "remove the active version too"),
				versionFlag(&o.version),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runUninstall(ctx, e, lib, *o, args)
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}, {name: "VERSION", kind: anything, optional: true}},
		examples: []example{
			{"pinion uninstall text-tools@1.0.0", "one version"},
			{"pinion uninstall text-tools --force", "everything of it"},
		},
		scope:   true,
		changes: true,
		result:  true,
	}
}

func runUninstall(ctx context.Context, e *env, lib *pinion.Client, o uninstallOptions, args []string) error {
	ref, err := e.refAndVersion(args, o.version)
	if err != nil {
		return err
	}
	r, err := lib.Uninstall(ctx, []pinion.Ref{ref}, pinion.UninstallOptions{Force: o.force, Project: e.opts.project, DryRun: e.opts.dryRun})
	if r == nil {
		return err
	}
	return errors.Join(e.show(r, func() error {
		for _, in := range r.Removed {
			if err := e.line("%s: %s %s (%s)", e.did("uninstalled", "would uninstall"), in.ID, in.Version, size(in.Bytes)); err != nil {
				return err
			}
		}
		e.sayHosts(r.Hosts)
		return nil
	}), err)
}
