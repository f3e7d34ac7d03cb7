package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"pinion"
)

// pathOptions are the flags and arguments of `pinion path`.
type pathOptions struct {
	version string
}

func newPathCmd(e *env) *command {
	o := &pathOptions{}
	return &command{
		Command: &cli.Command{
			Name:        "path",
			Usage:       "print the directory of a plugin",
			Description: "Prints the directory of the active version, or of the only or given one.",
			Flags: []cli.Flag{
				versionFlag(&o.version),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runPath(ctx, e, lib, *o, args)
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}, {name: "VERSION", kind: anything, optional: true}},
		examples: []example{
			{"cd \"$(pinion path text-tools)\"", "look at the files"},
			{"pinion path text-tools 1.0.0", "of one version"},
		},
		scope:  true,
		result: true,
	}
}

// pathDocument is the result of `pinion path --json`.
type pathDocument struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	Path   string `json:"path"`
}

func runPath(ctx context.Context, e *env, lib *pinion.Client, o pathOptions, args []string) error {
	ref, err := e.refAndVersion(args, o.version)
	if err != nil {
		return err
	}
	dir, err := lib.Path(ctx, ref)
	if err != nil {
		return err
	}
	return e.show(pathDocument{"pinion.path/v1", ref.ID, dir}, func() error {
		// Not escaped: the line is for a program, and the directory is ours.
		_, err := fmt.Fprintln(e.Out, dir)
		return err
	})
}
