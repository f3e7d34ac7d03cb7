package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newHostListCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "host list",
			Usage: "list the programs that plugins can be given to",
			Description: "Columns: name, program, state (linked, found, not found), plugins it shows, its directory. " +
				"Hosts that are not on this machine come last, and with --project those that know no projects are left out.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				r, err := lib.HostList(ctx, e.opts.project)
				if err != nil {
					return err
				}
				return e.show(r, func() error { return e.sayHostList(r) })
			}),
		},
		section: users,
		examples: []example{
			{"pinion host list", ""},
			{"pinion host list --project", "what is linked for this project"},
		},
		scope:  true,
		result: true,
	}
}

func (e *env) sayHostList(r *pinion.HostListReport) error {
	t := ui.NewTable(ui.Column{Title: "HOST", Keep: true}, ui.Column{Title: "PROGRAM", Keep: true}, ui.Column{Title: "STATE", Keep: true},
		ui.Column{Title: "PLUGINS", Keep: true}, ui.Column{Title: "DIRECTORY"})
	linked := 0
	hosts := slices.Clone(r.Hosts)
	slices.SortStableFunc(hosts, func(a, b pinion.ListedHost) int { return cmp.Compare(rank(a), rank(b)) })
	for _, h := range hosts {
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
		case !h.Found:
			state = "not found"
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

// rank puts the hosts that are linked first, and those that are not here last.
func rank(h pinion.ListedHost) int {
	switch {
	case h.Linked:
		return 0
	case h.Found:
		return 1
	}
	return 2
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
		e.Next("pinion host list names the programs that can be shown what is active")
	case 1:
		e.Next("pinion host link %s%s lets it see what is active", found[0], e.projectFlag())
	default:
		e.Next("pinion host link HOST%s lets one of these see what is active: %s", e.projectFlag(), strings.Join(found, ", "))
	}
}
