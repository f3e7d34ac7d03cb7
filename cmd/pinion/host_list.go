package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

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
				"Hosts that are not on this machine are left out without --all, and with --project those that know no projects.",
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
	linked, hidden := 0, 0
	for _, h := range r.Hosts {
		state, shown := "found", ""
		switch {
		case e.opts.project && !h.Project && !h.Linked:
			continue
		case h.Problem != "":
			state = "damaged"
			e.warn("%s", h.Problem)
		case h.Linked:
			state, shown = "linked", strconv.Itoa(len(h.Shown))
			linked++
		case !h.Found && !all:
			hidden++
			continue
		case !h.Found:
			state = "absent"
		}
		t.Row(h.Name, h.Title, state, shown, h.Dir)
	}
	if err := t.Write(e.Out); err != nil {
		return err
	}
	note := strconv.Itoa(linked) + " linked"
	if hidden > 0 {
		note += fmt.Sprintf("; %d more are not on this machine, host list --all shows them", hidden)
	}
	e.Note("%s", note)
	if linked == 0 {
		e.Next("pinion host link HOST")
	}
	return nil
}

// nextHost names the step after an activation that no host sees, because none is
// linked.
func (e *env) nextHost(ctx context.Context, lib *pinion.Client, seen []pinion.HostChange) {
	if len(seen) > 0 || e.opts.dryRun || e.asJSON() || !e.Err.Terminal {
		return
	}
	r, err := lib.HostList(ctx, e.opts.project)
	if err != nil {
		return // what was asked for is done
	}
	var found []string
	for _, h := range r.Hosts {
		// The shared directory of skills is there on every machine.
		if can := h.User && !e.opts.project || h.Project && e.opts.project; h.Found && can && h.Name != "skills" {
			found = append(found, h.Name)
		}
	}
	switch len(found) {
	case 0:
		e.Next("pinion host list --all names the programs that can be shown what is active")
	case 1:
		e.Next("pinion host link %s%s lets it see what is active", found[0], e.projectFlag())
	default:
		e.Next("pinion host link HOST%s lets one of these see what is active: %s", e.projectFlag(), strings.Join(found, ", "))
	}
}
