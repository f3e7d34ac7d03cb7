package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/host"
	"pinion/internal/ui"
)

func newHostStatusCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "host status",
			Usage: "compare linked hosts with what should be there",
			Description: "Looks at every file, link and value that a link put into a host: ok, missing, changed by the " +
				"host or its user, stale, orphaned. Exit 3 when something is not ok. Nothing is changed.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				r, err := lib.HostStatus(ctx, args, e.opts.project)
				if err != nil {
					return err
				}
				if err := e.show(r, func() error { return e.sayHostStatus(r) }); err != nil {
					return err
				}
				if !r.OK {
					return codeError(exitProblems)
				}
				return nil
			}),
		},
		section: users,
		args:    []arg{{name: "HOST", kind: hostName, optional: true}},
		examples: []example{
			{"pinion host status", "every linked host"},
			{"pinion host status codex", ""},
		},
		exits:  []int{exitProblems},
		scope:  true,
		result: true,
	}
}

func (e *env) sayHostStatus(r *pinion.HostStatusReport) error {
	if len(r.Hosts) == 0 {
		e.Note("no host is linked")
		e.Next("pinion host link HOST")
		return nil
	}
	t := ui.NewTable(ui.Column{Title: "HOST", Keep: true}, ui.Column{Title: "STATE", Keep: true, Paint: hostColor}, ui.Column{Title: "PLUGIN", Keep: true},
		ui.Column{Title: "WHERE"}, ui.Column{Title: "WHAT"})
	for _, s := range r.Hosts {
		name := s.Host
		if s.Scope != "user" {
			name += " --project"
		}
		switch {
		case !s.Linked:
			t.Row(name, "not linked", "", s.Dir, "")
		case s.State == host.OK:
			t.Row(name, "ok", "", s.Dir, ui.Count(len(s.Shown), "plugin"))
		}
		for _, f := range s.Findings {
			where := f.Path
			if f.Key != "" {
				where += ": " + f.Key
			}
			t.Row(name, string(f.State), f.Plugin, where, f.Detail)
		}
		if s.Problem != "" {
			t.Row(name, string(s.State), "", s.Dir, s.Problem)
		}
		for _, l := range s.LeftOut {
			e.Note("%s does not see %s: %s", s.Title, l.ID, l.Reason)
		}
	}
	if err := t.Write(e.Out); err != nil {
		return err
	}
	for _, s := range r.Hosts {
		if s.Fix != "" {
			e.Next("%s puts it right", s.Fix)
		}
	}
	return nil
}

func hostColor(cell string) ui.Color {
	if cell == "ok" || cell == "not linked" {
		return ui.Green
	}
	return ui.Red
}
