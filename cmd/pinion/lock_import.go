package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newLockImportCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "lock import",
			Usage:       "take over another tool's lock file",
			Description: "Reads FILE, which another tool wrote, and pins the same plugins in this project.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runLockImport(ctx, e, lib, args[0])
			}),
		},
		section: projects,
		args:    []arg{{name: "FILE", kind: onDisk}},
		examples: []example{
			{"pinion lock import skills-lock.json", ""},
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
