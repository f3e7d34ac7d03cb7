package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/capability"
	"pinion/internal/ui"
	"pinion/manifest"
	"pinion/market"
	"pinion/scan/launch"
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
				"active; works offline. REF may be a path. --capabilities reads the plugin's files and lists what it may do: " +
				"what runs and when, servers, tools, network hosts, environment variables, secrets, what is fetched at launch and " +
				"whether a version pins it, and its licence, declared and found. It is a list of facts, not a judgement (pinion scan), " +
				"and cannot see what code puts together while it runs. Of a plugin that was never fetched it tells what the catalog knows, and says so.",
			Flags: []cli.Flag{
				boolFlag(&o.capabilities, "capabilities", "show what it may do: hooks, servers, tools, hosts, settings, fetches, licence"),
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
	info := lib.Info
	if o.capabilities {
		info = lib.InfoCapabilities
	}
	r, err := info(ctx, ref)
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

// capabilities lists what a plugin may do, the most powerful kinds first.
func (e *env) capabilities(r *pinion.InfoReport) error {
	c := r.Capabilities
	t := ui.NewTable(ui.Column{Title: "CAPABILITY", Keep: true}, ui.Column{Title: "NAME"}, ui.Column{Title: "DETAIL"})
	last := ""
	for _, k := range c.Entries {
		if k.What == "license" || k.What == "fetch" {
			continue // they have more to say below
		}
		what := k.What
		if what == last && e.Out.Terminal {
			what = "" // for people, each kind is named once
		}
		t.Row(what, k.Name, k.Value)
		last = k.What
	}
	for _, f := range c.Fetches {
		t.Row("fetch", string(f.Ecosystem)+" "+f.Name, fetchWords(f))
	}
	if c.Read || r.License != "" {
		t.Row("licence", "declared", cmp.Or(c.License.Declared, "none"))
	}
	if c.Read {
		found := cmp.Or(c.License.Found, "no text that is known")
		if c.License.File != "" {
			found += " in " + c.License.File
		}
		t.Row("licence", "found", found)
	}
	if err := t.Write(e.Out); err != nil {
		return err
	}
	switch {
	case !c.Read:
		e.Note("the bytes of %s were not read, so this is what the catalog knows: %s", r.ID, c.Why)
	case c.Truncated:
		e.Note("there is more than is listed")
	case r.Kind.Executable():
		e.Note("it runs with your files and network once it is active")
	}
	return nil
}

// fetchWords says when something is fetched and whether its bytes are settled.
func fetchWords(f capability.Fetch) string {
	s := "pinned to " + f.Version
	switch {
	case !f.Pinned && f.Version == "":
		s = "not pinned: whatever is newest"
	case !f.Pinned:
		s = "not pinned: " + f.Version
	case f.Version == "":
		s = "pinned"
	}
	if f.Starts == launch.Host {
		return s + ", when the host starts it"
	}
	return s + ", when it is used"
}
