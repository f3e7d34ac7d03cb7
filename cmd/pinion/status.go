package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newStatusCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "status",
			Usage: "compare every layer of a plugin",
			Description: "Shows side by side what upstream offers, what the catalog says and how old it is, what is " +
				"stored, what is active and what each host sees; says what differs and the command for it.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runStatus(ctx, e, lib, args)
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed, optional: true}},
		examples: []example{
			{"pinion status", "everything installed"},
			{"pinion status text-tools", "one plugin"},
		},
		scope:  true,
		result: true,
	}
}

func runStatus(ctx context.Context, e *env, lib *pinion.Client, args []string) error {
	var ref pinion.Ref
	if len(args) > 0 {
		var err error
		if ref, err = e.ref(args[0]); err != nil {
			return err
		}
	}
	r, err := lib.Status(ctx, ref)
	if err != nil {
		return err
	}
	e.damaged(r.Damaged)
	return e.show(r, func() error { return e.sayStatus(r) })
}

// sayStatus prints the marketplaces, then the plugins. Piped, the first column
// says which of the two a row is.
func (e *env) sayStatus(r *pinion.StatusReport) error {
	if len(r.Marketplaces)+len(r.Plugins) == 0 {
		e.Note("nothing is installed and no marketplace has been added")
		e.Next("pinion marketplace add OWNER/REPO")
		return nil
	}
	what := func(word string) []string {
		if e.Out.Terminal {
			return nil
		}
		return []string{word}
	}
	var lead []ui.Column
	if !e.Out.Terminal {
		lead = []ui.Column{{Title: "WHAT"}}
	}
	markets := ui.NewTable(slices.Concat(lead, []ui.Column{
		{Title: "MARKET", Keep: true}, commitColumn("UPSTREAM"), commitColumn("CATALOG"), {Title: "CHECKED", Short: e.shortAge}, {Title: "DIFFERS"}, {Title: "COMMAND", Keep: true},
	})...)
	for _, m := range r.Marketplaces {
		differs := m.Asked
		if m.Next != "" {
			differs = "upstream has news"
		}
		markets.Row(append(what("marketplace"), m.Name, m.Upstream, m.Commit, stamp(m.Checked), differs, m.Next)...)
	}
	plugins := ui.NewTable(slices.Concat(lead, []ui.Column{
		idColumn(), marketColumn(), {Title: "CATALOG", Keep: true}, {Title: "STORED"}, {Title: "ACTIVE", Keep: true}, {Title: "PROJECT", Keep: true}, {Title: "HOSTS"}, {Title: "DIFFERS"}, {Title: "COMMAND", Keep: true},
	})...)
	for _, p := range r.Plugins {
		plugins.Row(append(what("plugin"), p.ID, p.Marketplace, p.Catalog, strings.Join(p.Stored, ", "), p.Active, p.Project, inHosts(p.Hosts), p.Differs, p.Next)...)
	}
	if err := markets.Write(e.Out); err != nil {
		return err
	}
	if e.Out.Terminal && markets.Len() > 0 && plugins.Len() > 0 {
		if err := e.line(""); err != nil {
			return err
		}
	}
	return plugins.Write(e.Out)
}

// inHosts says what each host sees: "claude 1.0.0, codex 1.0.0 (changed)".
func inHosts(views []pinion.HostView) string {
	var out []string
	for _, v := range views {
		state := v.State
		switch state {
		case "ok":
			state = ""
		case "own":
			state = "its own"
		case "off":
			state = "its own, off"
		}
		if state != "" {
			state = "(" + state + ")"
		}
		out = append(out, join(" ", v.Host, v.Version, state))
	}
	return strings.Join(out, ", ")
}
