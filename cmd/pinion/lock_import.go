package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newLockImportCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "lock import",
			Usage: "take over the plugins of another lock file",
			Description: "Reads FILE, the pinion.lock of another project, and pins the same plugins here, beside those " +
				"that are locked already; one that is locked with another digest stops it. Nothing is fetched.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runLockImport(ctx, e, lib, args[0])
			}),
		},
		section: projects,
		args:    []arg{{name: "FILE", kind: onDisk}},
		examples: []example{
			{"pinion lock import ../other/pinion.lock", ""},
		},
		exits:   []int{exitProblems, exitRefused},
		changes: true,
		result:  true,
	}
}

func runLockImport(ctx context.Context, e *env, lib *pinion.Client, file string) error {
	r, err := lib.ImportLock(ctx, file, e.opts.dryRun)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		if err := e.sayLocked(r, false); err != nil {
			return err
		}
		if r.Changed && !e.opts.dryRun {
			e.Next("pinion sync installs and activates it for this project")
		}
		return nil
	})
}
