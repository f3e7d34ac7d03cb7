package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

// packOptions are the flags and arguments of `pinion pack`.
type packOptions struct {
	output string
}

func newPackCmd(e *env) *command {
	o := &packOptions{}
	return &command{
		Command: &cli.Command{
			Name:        "pack",
			Usage:       "write a package as one archive",
			Description: "Writes a deterministic archive: the same package gives the same bytes on every machine.",
			Flags: []cli.Flag{
				stringFlag(&o.output, "output", "write to `FILE` (default ID-VERSION.tar.gz)", "o"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runPack(ctx, e, lib, *o, args[0])
			}),
		},
		section: authors,
		args:    []arg{{name: "DIR", kind: onDisk}},
		examples: []example{
			{"pinion pack plugins/text-tools", "text-tools-1.0.0.tar.gz"},
			{"pinion pack . -o /tmp/out.tar.gz", "at another place"},
		},
		exits:   []int{exitProblems},
		changes: true,
		result:  true,
	}
}

func runPack(ctx context.Context, e *env, lib *pinion.Client, o packOptions, dir string) error {
	r, err := lib.Pack(ctx, dir, o.output, e.opts.dryRun)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		return e.line("%s%s  %s  %s", e.did("", "would write "), e.brief(r.Path), size(r.Bytes), r.Digest)
	})
}
