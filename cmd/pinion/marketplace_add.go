package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
	"pinion/market"
	"pinion/source"
)

// marketplaceAddOptions are the flags and arguments of `pinion marketplace add`.
type marketplaceAddOptions struct {
	name    string
	catalog string
}

func newMarketplaceAddCmd(e *env) *command {
	o := &marketplaceAddOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "marketplace add",
			Usage: "add a marketplace",
			Description: "SPEC is owner/repo[@ref] on GitHub, a git URL, file://…, or a directory. One commit is " +
				"resolved and verified, then it is recorded. The alias is --name, else the catalog's name, " +
				"else the repository's; a taken one is refused before anything is fetched. Prints name, " +
				"commit, number of packages and the line that installs one.",
			Flags: []cli.Flag{
				stringFlag(&o.name, "name", "call it `ALIAS`"),
				stringFlag(&o.catalog, "catalog", "read the catalog at `PATH` in the repository"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runMarketplaceAdd(ctx, e, lib, *o, args[0])
			}),
		},
		section: markets,
		args:    []arg{{name: "SPEC", kind: onDisk}},
		examples: []example{
			{"pinion marketplace add acme/agent-plugins", "from GitHub"},
			{"pinion marketplace add https://git.example.org/tools.git --name tools", "any git repository"},
			{"pinion marketplace add ./my-plugins", "a directory, while you write"},
		},
		exits:   []int{exitProblems, exitRefused},
		changes: true,
		result:  true,
	}
}

// addDocument is the result of `pinion marketplace add --json`.
type addDocument struct {
	Schema string `json:"schema"`
	*market.Report
	DryRun bool `json:"dryRun"`
}

func runMarketplaceAdd(ctx context.Context, e *env, lib *pinion.Client, o marketplaceAddOptions, spec string) error {
	r, err := lib.MarketplaceAdd(ctx, spec, market.AddOptions{
		Name: o.name, Catalog: o.catalog, RefreshOptions: market.RefreshOptions{DryRun: e.opts.dryRun},
	})
	var unclear *source.SpecError
	if errors.As(err, &unclear) && !strings.HasPrefix(spec, ".") {
		if info, serr := os.Stat(e.path(spec)); serr == nil && info.IsDir() {
			return usagef("did you mean ./"+spec+"?", "%q is a directory; a path begins with ./", spec)
		}
	}
	if err != nil {
		return err
	}
	return e.show(addDocument{"pinion.marketplace-add/v1", r, e.opts.dryRun}, func() error { return e.sayAdded(r) })
}

// sayAdded says what was added, and how to install from it.
func (e *env) sayAdded(r *market.Report) error {
	word := e.did("added", "would add")
	switch {
	case r.Unchanged:
		word = "already added"
	case r.Previous != "" && r.Previous != r.Commit:
		word = e.did("now at", "would be at")
	}
	if err := e.line("%s %s from %s", word, addedFacts(r), r.Source); err != nil {
		return err
	}
	if r.Former != "" {
		if err := e.line("%s: %s, until now %s", e.did("renamed", "would rename"), r.Name, r.Former); err != nil {
			return err
		}
	}
	e.noteUnavailable(r)
	if e.opts.dryRun {
		return nil
	}
	if id := firstUsable(r); id != "" {
		return e.line("install from it with: pinion install %s@%s", id, r.Name)
	}
	return e.line("see what it offers with: pinion marketplace info %s", r.Name)
}

// addedFacts is the name, the commit where there is one, and the number of
// plugins.
func addedFacts(r *market.Report) string {
	return join("  ", r.Name, shortCommit(r.Commit), ui.Count(r.Plugins, "plugin"))
}

// firstUsable is a plugin for the example line.
func firstUsable(r *market.Report) string {
	bad := map[string]bool{}
	for _, c := range r.Unavailable {
		bad[c.ID] = true
	}
	for _, c := range r.Added {
		if !bad[c.ID] {
			return c.ID
		}
	}
	return ""
}

// noteUnavailable counts what cannot be installed.
func (e *env) noteUnavailable(r *market.Report) {
	if n := len(r.Unavailable); n > 0 {
		e.Note("%d of them cannot be installed; pinion marketplace info %s says why", n, r.Name)
	}
}
