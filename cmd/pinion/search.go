package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newSearchCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "search",
			Usage: "find plugins in the added marketplaces",
			Description: "Searches ids, names, descriptions and keywords of the local catalogs; works offline. Without " +
				"QUERY everything is listed.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runSearch(ctx, e, lib, args)
			}),
		},
		section: markets,
		args:    []arg{{name: "QUERY", kind: anything, optional: true, many: true}},
		examples: []example{
			{"pinion search csv", "what has to do with CSV"},
			{"pinion search --json", "everything, for a script"},
		},
		result: true,
	}
}

func runSearch(ctx context.Context, e *env, lib *pinion.Client, words []string) error {
	r, err := lib.Search(ctx, words)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		t := ui.NewTable(idColumn(), versionColumn(), marketColumn(), ui.Column{Title: "KIND", Keep: true}, ui.Column{Title: "NOTE"}, ui.Column{Title: "ABOUT"})
		for _, p := range r.Plugins {
			note := ""
			switch {
			case p.Installed:
				note = "installed"
			case !p.Status.Installable():
				note = string(p.Status)
			}
			t.Row(p.ID, p.Version, p.Marketplace, string(p.Kind), note, p.Description)
		}
		if err := t.Write(e.Out); err != nil {
			return err
		}
		e.sumUpSearch(r)
		return nil
	})
}

func (e *env) sumUpSearch(r *pinion.SearchReport) {
	switch {
	case r.Marketplaces == 0:
		e.Note("no marketplace has been added, so there is nothing to search")
		e.Next("pinion marketplace add OWNER/REPO")
	case len(r.Plugins) == 0:
		e.Note("nothing found in %s", ui.Count(r.Marketplaces, "marketplace"))
		e.Next("pinion marketplace refresh asks for news")
	default:
		e.Note("%s in %s", ui.Count(len(r.Plugins), "plugin"), ui.Count(r.Marketplaces, "marketplace"))
		e.Next("pinion info %s@%s", r.Plugins[0].ID, r.Plugins[0].Marketplace)
	}
}
