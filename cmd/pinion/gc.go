package main

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// gcOptions are the flags and arguments of `pinion gc`.
type gcOptions struct {
	keep int
}

func newGCCmd(e *env) *command {
	o := &gcOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "gc",
			Usage: "remove versions nobody needs",
			Description: "Keeps what is active, pinned by a session, held, in a project, and the last ones that were " +
				"active before; removes the rest and says how much that was.",
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "keep", Usage: "keep `N` versions before the active one", Value: 1, Destination: &o.keep},
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runGC(ctx, e, lib, *o)
			}),
		},
		section: projects,
		examples: []example{
			{"pinion gc --dry-run", "what would go"},
			{"pinion gc --keep 3", ""},
		},
		changes: true,
		result:  true,
	}
}

func runGC(ctx context.Context, e *env, lib *pinion.Client, o gcOptions) error {
	if o.keep < 0 {
		return usagef("", "--keep %d: a number from 0", o.keep)
	}
	r, err := lib.GC(ctx, o.keep, e.opts.dryRun)
	if err != nil {
		return err
	}
	e.damaged(r.Damaged)
	return e.show(r, func() error {
		t := ui.NewTable(idColumn(), versionColumn(), ui.Column{Title: "SIZE", Keep: true, Short: shortSize}, ui.Column{Title: "RESULT", Keep: true})
		for _, it := range r.Removed {
			t.Row(it.ID, it.Version, strconv.FormatInt(it.Bytes, 10), e.did("removed", "would remove"))
		}
		for _, it := range r.Kept {
			t.Row(it.ID, it.Version, strconv.FormatInt(it.Bytes, 10), "kept: "+it.Why)
		}
		if err := t.Write(e.Out); err != nil {
			return err
		}
		left := ""
		if n := len(r.Garbage); n > 0 {
			left = ui.Count(n, "left-over directory")
			if n > 1 {
				left = strconv.Itoa(n) + " left-over directories"
			}
		}
		e.Note("%s", join(", ", e.did("freed ", "would free ")+size(r.Freed), ui.Count(len(r.Removed), "version"), left))
		for _, root := range r.Orphans {
			e.Note("%s is gone; what is active for it was kept", root)
		}
		return nil
	})
}

// shortSize writes a number of bytes with a unit.
func shortSize(cell string) string {
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil {
		return cell
	}
	return size(n)
}
