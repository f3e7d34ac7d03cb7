package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"pinion"
)

// maxOffered bounds the proposals from the catalogs: a shell shows no more.
const maxOffered = 2000

// ruleCandidates proposes the rule ids.
func ruleCandidates() []candidate {
	rules := pinion.Rules()
	out := make([]candidate, len(rules))
	for i, r := range rules {
		out[i] = candidate{r.ID, r.Title}
	}
	return out
}

// stateCandidates proposes what the home knows: installed plugins, added
// marketplaces, plugins of the local catalogs. It works offline and writes
// nothing; what cannot be read gives no proposals.
func (e *env) stateCandidates(ctx context.Context, k kind, current string) []candidate {
	cwd, err := os.Getwd()
	if err != nil {
		return nil
	}
	e.cwd, e.opts.offline, e.opts.quiet = e.at(cwd, e.opts.dir), true, true
	lib, err := e.client(ctx)
	if err != nil {
		return nil
	}
	switch k {
	case marketplace:
		return marketCandidates(ctx, lib)
	case installed:
		return installedCandidates(ctx, lib)
	}
	return offeredCandidates(ctx, lib, current)
}

func marketCandidates(ctx context.Context, lib *pinion.Client) []candidate {
	r, err := lib.MarketplaceList(ctx)
	if err != nil {
		return nil
	}
	var out []candidate
	for _, m := range r.Marketplaces {
		out = append(out, candidate{m.Name, m.Source})
	}
	return out
}

func installedCandidates(ctx context.Context, lib *pinion.Client) []candidate {
	r, err := lib.List(ctx)
	if err != nil {
		return nil
	}
	var out []candidate
	for _, p := range r.Plugins {
		same := func(c candidate) bool { return c.value == p.ID }
		if !slices.ContainsFunc(out, same) {
			out = append(out, candidate{p.ID, join(" ", string(p.State), p.Version)})
		}
	}
	return out
}

// offeredCandidates proposes the plain id, and the one with the marketplace
// where several have it or the marketplace is being typed.
func offeredCandidates(ctx context.Context, lib *pinion.Client, current string) []candidate {
	r, err := lib.Search(ctx, nil)
	if err != nil {
		return nil
	}
	markets := map[string][]string{}
	for _, p := range r.Plugins {
		if !slices.Contains(markets[p.ID], p.Marketplace) {
			markets[p.ID] = append(markets[p.ID], p.Marketplace)
		}
	}
	seen := map[string]bool{}
	var out []candidate
	for _, p := range r.Plugins {
		value := p.ID
		if len(markets[p.ID]) > 1 || strings.Contains(current, "@") {
			value += "@" + p.Marketplace
		}
		if seen[value] || len(out) == maxOffered || !strings.HasPrefix(value, current) {
			continue
		}
		seen[value] = true
		out = append(out, candidate{value, firstSentence(p.Description)})
	}
	return out
}

// firstSentence keeps a description short enough for a shell's list.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, ". ")
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return text
}
