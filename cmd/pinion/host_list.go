package main

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// hostListOptions are the flags of `pinion host list`.
type hostListOptions struct{ all bool }

func newHostListCmd(e *env) *command {
	o := &hostListOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "host list",
			Usage: "list the programs that plugins can be given to",
			Description: "Columns: name, program, state (linked, found, absent), plugins it shows, its directory. " +
				"Hosts that are not on this machine are left out without --all.",
			Flags: []cli.Flag{boolFlag(&o.all, "all", "also those that are not on this machine")},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				r, err := lib.HostList(ctx, e.opts.project)
				if err != nil {
					return err
				}
				return e.show(r, func() error { return e.sayHostList(r, o.all) })
			}),
		},
		section: users,
		examples: []example{
			{"pinion host list", ""},
			{"pinion host list --all", ""},
		},
		scope:  true,
		result: true,
	}
}

func (e *env) sayHostList(r *pinion.HostListReport, all bool) error {
	t := ui.NewTable(ui.Column{Title: "HOST", Keep: true}, ui.Column{Title: "PROGRAM", Keep: true}, ui.Column{Title: "STATE", Keep: true},
		ui.Column{Title: "PLUGINS", Keep: true}, ui.Column{Title: "DIRECTORY"})
	linked := 0
	for _, h := range r.Hosts {
		state, shown := "found", ""
		switch {
		case h.Problem != "":
			state = "damaged"
			e.warn("%s", h.Problem)
		case h.Linked:
			state, shown = "linked", strconv.Itoa(len(h.Shown))
			linked++
		case !h.Found && !all:
			continue
		case !h.Found:
			state = "absent"
		}
		t.Row(h.Name, h.Title, state, shown, h.Dir)
	}
	if err := t.Write(e.Out); err != nil {
		return err
	}
	e.Note("%d linked", linked)
	if linked == 0 {
		e.Next("pinion host link HOST")
	}
	return nil
}
