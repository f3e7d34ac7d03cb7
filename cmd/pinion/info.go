package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
	"pinion/manifest"
	"pinion/market"
)

// infoOptions are the flags and arguments of `pinion info`.
type infoOptions struct {
	capabilities bool
	version      string
}

func newInfoCmd(e *env) *command {
	o := &infoOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "info",
			Usage: "show one plugin",
			Description: "Shows what the catalog says of a plugin, its versions, and which of them is installed and " +
				"active; works offline.",
			Flags: []cli.Flag{
				boolFlag(&o.capabilities, "capabilities", "show what it adds: hooks, tools, commands, settings, permissions"),
				versionFlag(&o.version),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runInfo(ctx, e, lib, *o, args)
			}),
		},
		section: markets,
		args:    []arg{{name: "REF", kind: offered}, {name: "VERSION", kind: anything, optional: true}},
		examples: []example{
			{"pinion info text-tools", ""},
			{"pinion info text-tools@acme --capabilities", "before you install it"},
		},
		result: true,
		scope:  true,
	}
}

func runInfo(ctx context.Context, e *env, lib *pinion.Client, o infoOptions, args []string) error {
	ref, err := e.refAndVersion(args, o.version)
	if err != nil {
		return err
	}
	r, err := lib.Info(ctx, ref)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		if o.capabilities {
			return e.capabilities(r)
		}
		return e.infoFacts(r)
	})
}

func (e *env) infoFacts(r *pinion.InfoReport) error {
	digest := r.Digest.String()
	switch {
	case digest != "" && r.Published:
		digest += "  published by the catalog"
	case digest != "" && r.Commit != "":
		digest += "  recorded when first seen"
	}
	status := ""
	if r.Status != market.Ready {
		status = join(": ", string(r.Status), r.Why)
	}
	if r.Rewritten {
		status = join(", ", status, "other bytes were seen under this version before")
	}
	content := ""
	if r.Files > 0 {
		content = ui.Count(r.Files, "file") + ", " + size(r.Bytes)
	}
	err := e.facts([][2]string{
		{"id", r.ID}, {"name", r.Title}, {"version", r.Version}, {"about", r.Description}, {"kind", string(r.Kind)},
		{"licence", r.License}, {"marketplace", r.Marketplace}, {"source", r.Source}, {"commit", r.Commit}, {"path", r.Path},
		{"format", r.Format}, {"content", content}, {"digest", digest}, {"status", status},
		{"adds", count(r.Components)}, {"installed", strings.Join(r.Installed, ", ")}, {"active", r.Active}, {"seen", knownVersions(r.Known)},
	})
	if err != nil {
		return err
	}
	switch {
	case !r.Status.Installable():
	case len(r.Installed) == 0 && r.Marketplace != "local":
		e.Next("pinion install %s@%s", r.ID, r.Marketplace)
	case r.Active == "" && len(r.Installed) > 0:
		e.Next("pinion activate %s", r.ID)
	}
	return nil
}

// count sums up components: "2 skills, 1 hook".
func count(components []manifest.Component) string {
	var order []string
	n := map[string]int{}
	for _, c := range components {
		if n[string(c.Type)]++; n[string(c.Type)] == 1 {
			order = append(order, string(c.Type))
		}
	}
	out := ""
	for _, t := range order {
		out = join(", ", out, ui.Count(n[t], t))
	}
	return out
}

// knownVersions lists what the ledger remembers, each version once.
func knownVersions(known []pinion.KnownVersion) string {
	out, last := "", ""
	for _, k := range known {
		if k.Version != last {
			out = join(", ", out, k.Version+" ("+k.FirstSeen.UTC().Format("2006-01-02")+")")
		}
		last = k.Version
	}
	return out
}

// capabilities lists everything that a plugin adds.
func (e *env) capabilities(r *pinion.InfoReport) error {
	t := ui.NewTable(ui.Column{Title: "TYPE", Keep: true}, ui.Column{Title: "NAME"}, ui.Column{Title: "FILE"}, ui.Column{Title: "RUNS"})
	for _, c := range r.Components {
		t.Row(string(c.Type), c.Name, c.Path, c.Detail)
	}
	if err := t.Write(e.Out); err != nil {
		return err
	}
	switch {
	case r.Status == market.Elsewhere:
		e.Note("%s lives in another repository and was not fetched yet; pinion marketplace refresh --deep, or installing it, does", r.ID)
	case t.Len() == 0:
		e.Note("%s adds nothing that Pinion knows of", r.ID)
	case r.Kind.Executable():
		e.Note("it runs with your files and network once it is active")
	}
	return nil
}
