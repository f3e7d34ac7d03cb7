package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// lockOptions are the flags and arguments of `pinion lock`.
type lockOptions struct {
	check bool
}

func newLockCmd(e *env) *command {
	o := &lockOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "lock",
			Usage: "write or check the project's lock file",
			Description: "pinion.lock is the project's state: source, commit and digest of each plugin. install, " +
				"activate, upgrade and uninstall write it with --project; this command writes it anew from " +
				"the project's state, never from your own plugins.",
			Flags: []cli.Flag{
				boolFlag(&o.check, "check", "write nothing; exit 3 when the file differs"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runLock(ctx, e, lib, *o)
			}),
		},
		section: projects,
		examples: []example{
			{"pinion lock", "write pinion.lock"},
			{"pinion lock --check", "in a CI job"},
		},
		exits:   []int{exitProblems},
		changes: true,
		result:  true,
	}
}

func runLock(ctx context.Context, e *env, lib *pinion.Client, o lockOptions) error {
	r, err := lib.WriteLock(ctx, o.check, e.opts.dryRun)
	if err != nil {
		return err
	}
	err = e.show(r, func() error {
		if o.check || e.opts.dryRun {
			if err := ui.WriteText(e.Out, r.Problems); err != nil {
				return err
			}
		}
		return e.sayLocked(r, o.check)
	})
	if err == nil && o.check && len(r.Problems) > 0 {
		return codeError(exitProblems)
	}
	return err
}

// sayLocked says what became of the lock file.
func (e *env) sayLocked(r *pinion.LockReport, check bool) error {
	word := e.did("wrote", "would write")
	switch {
	case check && len(r.Problems) > 0:
		e.Next("pinion sync brings the project to the lock file, pinion lock the lock file to the project")
		return nil
	case check || !r.Changed:
		word = "up to date:"
	}
	return e.line("%s %s (%s)", word, e.brief(r.Path), ui.Count(len(r.Plugins), "plugin"))
}
