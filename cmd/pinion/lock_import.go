package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newLockImportCmd(e *env) *command {
	o := &pinion.ImportLockOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "lock import",
			Usage: "take over the plugins of another lock file",
			Description: "Reads FILE and pins the same plugins here, beside those that are locked already. FILE is the " +
				"pinion.lock of another project, of which nothing is fetched and which one plugin with another " +
				"digest stops; or skills-lock.json, .skill-lock.json (skills, gh skill), apm.lock.yaml or apm.yml: " +
				"then each package is fetched for its digest, at the commit that the file names or, where it names " +
				"none, at that of now, which is said. What cannot be taken over is listed with the reason. Files " +
				"with another digest than the lock states are refused.",
			Flags: []cli.Flag{
				boolFlag(&o.SkipRefused, "skip-refused", "take the rest when the files of some have another digest"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runLockImport(ctx, e, lib, args[0], *o)
			}),
		},
		section: projects,
		args:    []arg{{name: "FILE", kind: onDisk}},
		examples: []example{
			{"pinion lock import ../other/pinion.lock", ""},
			{"pinion lock import skills-lock.json", "what npx skills installed in this project"},
			{"pinion lock import ~/.agents/.skill-lock.json", "what it installed for you"},
			{"pinion lock import apm.lock.yaml", ""},
		},
		exits:   []int{exitProblems, exitRefused},
		changes: true,
		result:  true,
	}
}

func runLockImport(ctx context.Context, e *env, lib *pinion.Client, file string, o pinion.ImportLockOptions) error {
	o.DryRun = e.opts.dryRun
	r, err := lib.ImportLock(ctx, file, o)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		if err := e.sayTakenOver(r); err != nil {
			return err
		}
		if err := e.sayLocked(r, false); err != nil {
			return err
		}
		if r.Changed && !e.opts.dryRun {
			e.Next("pinion sync installs and activates it for this project")
		}
		return nil
	})
}

// sayTakenOver says what became of each entry of another tool's lock file.
func (e *env) sayTakenOver(r *pinion.LockReport) error {
	if r.Imported == nil {
		return nil
	}
	for _, in := range r.Imported {
		what := e.did("taken over", "would take over")
		if in.Already {
			what = "locked already"
		}
		note := ""
		if in.Resolved {
			note = ", the lock names no commit: this is the one of now"
		}
		if in.Hash == "same" {
			note += ", digest compared"
		} else if in.HashWhy != "" {
			note += ", digest not compared: " + in.HashWhy
		}
		if err := e.line("%s: %s %s from %s at %s%s", what, in.ID, in.Version, in.Source, shortCommit(in.Commit), note); err != nil {
			return err
		}
	}
	for _, l := range r.Left {
		if err := e.line("left out: %s: %s", l.Name, l.Why); err != nil {
			return err
		}
	}
	if n := len(r.Left); n > 0 {
		e.warn("%s of the lock file could not be taken over", ui.Count(n, "item"))
	}
	return nil
}
