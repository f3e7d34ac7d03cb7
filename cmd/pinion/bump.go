package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
)

// bumpOptions are the flags of `pinion bump`.
type bumpOptions struct {
	force bool
}

func newBumpCmd(e *env) *command {
	o := &bumpOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "bump",
			Usage: "write a new version everywhere it is stated",
			Description: "Raises the version of the package at PATH, in every file of it that states the version. A " +
				"version is higher than the one before, or it is refused.",
			Flags: []cli.Flag{
				boolFlag(&o.force, "force", "also a version that is not higher"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runBump(ctx, e, lib, *o, args[0], args[1])
			}),
		},
		section: authors,
		args:    []arg{{name: "PATH", kind: onDisk}, {name: "patch|minor|major|VERSION", kind: level}},
		examples: []example{
			{"pinion bump plugins/text-tools minor", "1.0.3 becomes 1.1.0"},
			{"pinion bump . 2.0.0-rc.1", "a version you choose"},
		},
		changes: true,
		result:  true,
	}
}

func runBump(ctx context.Context, e *env, lib *pinion.Client, o bumpOptions, dir, how string) error {
	r, err := lib.Bump(ctx, dir, how, o.force, e.opts.dryRun)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		if err := e.line("%s → %s  %s %s", r.From, r.To, e.did("in", "would change"), strings.Join(r.Files, ", ")); err != nil {
			return err
		}
		if len(r.Rebuild) > 0 {
			e.Next("pinion build-catalog writes %s again", strings.Join(r.Rebuild, ", "))
		}
		return nil
	})
}
