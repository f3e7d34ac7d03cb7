package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/author"
	"pinion/manifest"
)

// initOptions are the flags and arguments of `pinion init`.
type initOptions struct {
	license string
}

func newInitCmd(e *env) *command {
	o := &initOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "init",
			Usage: "make a new plugin that validates at once",
			Description: "Writes the files of a new package of KIND skill, mcp or extension: into plugins/ID inside a " +
				"git repository, else into ./ID, or into DIR. Nothing that exists is overwritten.",
			Flags: []cli.Flag{
				stringFlag(&o.license, "license", "the SPDX id of the `LICENSE`, whose text is written too (default MIT)"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runInit(ctx, e, lib, *o, args)
			}),
		},
		section: authors,
		args:    []arg{{name: "KIND", kind: packageKind}, {name: "ID", kind: anything}, {name: "DIR", kind: onDisk, optional: true}},
		examples: []example{
			{"pinion init skill writing-style", "plugins/writing-style, ready to edit"},
			{"pinion init mcp text-tools ./text-tools --license Apache-2.0", "an MCP server in another directory"},
		},
		changes: true,
		result:  true,
	}
}

func runInit(ctx context.Context, e *env, lib *pinion.Client, o initOptions, args []string) error {
	in := author.InitOptions{Kind: manifest.Kind(args[0]), ID: args[1], License: o.license, DryRun: e.opts.dryRun}
	if len(args) > 2 {
		in.Dir = args[2]
	}
	r, err := lib.Init(ctx, in)
	if err != nil {
		return err
	}
	dir := e.brief(r.Dir)
	return e.show(r, func() error {
		if err := e.line("%s %s in %s: %s", e.did("made", "would make"), r.ID, dir, strings.Join(r.Files, ", ")); err != nil {
			return err
		}
		e.Next("edit the files, then: pinion validate %s", dir)
		return nil
	})
}
