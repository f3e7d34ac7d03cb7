package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
	"pinion/market"
)

func newMarketplaceInfoCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "marketplace info",
			Usage:       "show one marketplace",
			Description: "Shows source, ref, commit, owner, when it was checked, and every plugin it offers.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runMarketplaceInfo(ctx, e, lib, args[0])
			}),
		},
		section: markets,
		args:    []arg{{name: "NAME", kind: marketplace}},
		examples: []example{
			{"pinion marketplace info acme", ""},
		},
		result: true,
	}
}

func runMarketplaceInfo(ctx context.Context, e *env, lib *pinion.Client, name string) error {
	r, err := lib.MarketplaceInfo(ctx, name)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		if e.Out.Terminal {
			if err := e.marketFacts(r); err != nil {
				return err
			}
		}
		t := ui.NewTable(idColumn(), versionColumn(), ui.Column{Title: "KIND", Keep: true}, digestColumn(), ui.Column{Title: "NOTE"})
		for _, p := range r.Entries {
			t.Row(p.ID, p.Version, string(p.Kind), p.Digest.String(), pluginNote(p))
		}
		return t.Write(e.Out)
	})
}

// marketFacts writes what is known of a marketplace besides its plugins.
func (e *env) marketFacts(r *pinion.MarketplaceDetail) error {
	digests := "recorded by Pinion when first seen"
	if r.Digests {
		digests = "published by the catalog"
	}
	accepted := ""
	for _, a := range r.Accepted {
		accepted = join(", ", accepted, a.Rule+" on "+a.At.UTC().Format("2006-01-02"))
	}
	err := e.facts([][2]string{
		{"name", r.Name}, {"source", r.Source}, {"ref", shortRef(r.Ref)}, {"commit", r.Commit}, {"catalog", r.Catalog},
		{"owner", r.Owner}, {"about", r.Description}, {"digests", digests}, {"history", r.Ancestry}, {"accepted", accepted},
		{"checked", age(e.now(), r.Checked)}, {"changed", age(e.now(), r.Changed)},
	})
	if err != nil || len(r.Entries) == 0 {
		return err
	}
	return e.line("")
}

// pluginNote says in a few words what there is to say of a listed plugin.
func pluginNote(p market.Plugin) string {
	note := ""
	switch p.Status {
	case market.Unavailable:
		note = "unavailable: " + p.Rule
	case market.Unsupported:
		note = "unsupported: " + p.Why
	case market.Elsewhere:
		note = "lives in " + p.Origin.Spec
	}
	if p.Rewritten {
		note = join(", ", note, "rewritten")
	}
	if p.Kept != "" {
		note = join(", ", note, "newer bytes refused: "+p.Kept)
	}
	return note
}
