package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/host"
	"pinion/internal/ui"
)

func newListCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "list",
			Usage: "list what is installed",
			Description: "Columns: id, version, marketplace, kind, state (active, installed, disabled), digest, note. " +
				"Piped, the columns are separated by tabs, whole and without header.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runList(ctx, e, lib)
			}),
		},
		section: users,
		examples: []example{
			{"pinion list", "for this user"},
			{"pinion list --project", "for this project"},
			{"pinion list --json", "for a script"},
		},
		scope:  true,
		result: true,
	}
}

func runList(ctx context.Context, e *env, lib *pinion.Client) error {
	root := ""
	if e.opts.project {
		var err error
		if root, err = lib.Project(); err != nil {
			return err
		}
	}
	r, err := lib.List(ctx)
	if err != nil {
		return err
	}
	if e.opts.project {
		r.Plugins = slices.DeleteFunc(r.Plugins, func(p pinion.Listed) bool { return p.Scope != root })
	}
	e.damaged(r.Damaged)
	return e.show(r, func() error {
		t := ui.NewTable(idColumn(), versionColumn(), marketColumn(), ui.Column{Title: "KIND", Keep: true}, stateColumn(), digestColumn(), ui.Column{Title: "NOTE"})
		for _, p := range r.Plugins {
			notes := p.Notes
			if p.Scope != "" && p.Scope != "user" && !e.opts.project {
				notes = append([]string{"this project"}, notes...)
			}
			t.Row(p.ID, p.Version, p.Marketplace, string(p.Kind), string(p.State), p.Digest.String(), strings.Join(notes, ", "))
		}
		if err := t.Write(e.Out); err != nil {
			return err
		}
		e.sumUpList(r)
		return nil
	})
}

// sumUpList counts what is active, and says how old the catalogs are.
func (e *env) sumUpList(r *pinion.ListReport) {
	if len(r.Plugins) == 0 {
		e.Note("nothing is installed%s", map[bool]string{true: " for this project"}[e.opts.project])
		e.Next("pinion search finds plugins; pinion marketplace add OWNER/REPO adds more of them")
		return
	}
	active := 0
	for _, p := range r.Plugins {
		if p.State == pinion.StateActive {
			active++
		}
	}
	catalogs := ""
	if !r.Checked.IsZero() {
		catalogs = "catalogs checked just now"
		if old := howOld(e.now(), r.Checked); old != "" {
			catalogs = "catalogs " + old + " old"
		}
	}
	seen := strconv.Itoa(active) + " active"
	if active > 0 && len(r.Hosts) > 0 {
		seen += ", seen by " + host.Words(r.Hosts)
	}
	e.Note("%s", join("; ", seen, catalogs))
}
