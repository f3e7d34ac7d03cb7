package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// verifyOptions are the flags and arguments of `pinion verify`.
type verifyOptions struct {
	repair bool
}

func newVerifyCmd(e *env) *command {
	o := &verifyOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "verify",
			Usage: "re-hash what is installed",
			Description: "Reads the stored files again and compares them with their receipts; exit 4 on any " +
				"difference.",
			Flags: []cli.Flag{
				boolFlag(&o.repair, "repair", "fetch what differs again"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runVerify(ctx, e, lib, *o, args)
			}),
		},
		section: projects,
		args:    []arg{{name: "REF", kind: installed, optional: true, many: true}},
		examples: []example{
			{"pinion verify", "everything"},
			{"pinion verify text-tools --repair", ""},
		},
		exits:   []int{exitRefused},
		changes: true,
		reports: true,
	}
}

func runVerify(ctx context.Context, e *env, lib *pinion.Client, o verifyOptions, args []string) error {
	refs, err := e.refs(args, "")
	if err != nil {
		return err
	}
	begun := e.now()
	r, err := lib.Verify(ctx, refs, o.repair && !e.opts.dryRun)
	if err != nil {
		return err
	}
	for _, ref := range r.Repaired {
		e.Note("repaired %s", ref)
	}
	for _, text := range r.Failed {
		e.warn("could not repair %s", text)
	}
	err = e.reportAs(e.Out, &ui.Report{
		Command: "verify", Problems: r.Problems(), Checked: ui.Count(r.Checked, "installed version"), Elapsed: e.now().Sub(begun), Document: r,
	}, r.OK, exitRefused)
	switch {
	case !o.repair && len(r.Differences) > 0:
		e.Next("pinion verify --repair")
	case len(r.Hosts) > 0:
		e.Next("pinion host status") // what differs in a host is repaired by linking it again
	}
	return err
}
