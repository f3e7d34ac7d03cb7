package copilot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pinion/host"
	"pinion/internal/syntax"
)

// Marketplaces returns the marketplaces in settings.json, sorted by name, with
// the commit that Copilot's clone of each is at.
//
// copilot 1.0.102: extraKnownMarketplaces.NAME.source is written like Claude
// Code's; the clone is ~/.copilot/.cache/copilot/marketplaces/SLUG, where every
// character of the repository's name or URL that is no letter or digit is a
// dash. The caches of older versions are looked at too.
func Marketplaces(_ context.Context, pl host.Place) ([]host.Marketplace, error) {
	dir := pl.Env("COPILOT_HOME", ".copilot")
	data, err := host.ReadState(dir, "settings.json", host.MaxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, "settings.json"), err)
	}
	var settings struct {
		Known map[string]struct {
			Source struct {
				Source string `json:"source"`
				Repo   string `json:"repo"`
				URL    string `json:"url"`
				Path   string `json:"path"`
				Ref    string `json:"ref"`
			} `json:"source"`
		} `json:"extraKnownMarketplaces"`
	}
	// Comments are findings, and what stands around them is read all the same.
	syntax.Decode(data, &settings, syntax.Options{})
	var out []host.Marketplace
	for called, k := range settings.Known {
		s := k.Source
		m := host.FromSource(s.Source, s.Repo, s.URL, s.Path, s.Ref)
		m.Name = called
		if pl.Owns(m.Source) {
			continue
		}
		if m.Why == "" {
			for _, cache := range caches(pl) {
				at := filepath.Join(cache, slug(m.Source))
				if c, _ := host.GitHead(at); c != "" {
					m.Dir, m.Commit = at, c
					break
				}
			}
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b host.Marketplace) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// caches are where Copilot keeps its clones of marketplaces.
func caches(pl host.Place) []string {
	return []string{
		filepath.Join(pl.Env("COPILOT_HOME", ".copilot"), ".cache", "copilot", "marketplaces"),
		filepath.Join(pl.Env("COPILOT_CACHE_HOME", ".cache", "copilot"), "marketplaces"),
		filepath.Join(pl.Home, "Library", "Caches", "copilot", "marketplaces"),
		filepath.Join(pl.Env("LOCALAPPDATA", "AppData", "Local"), "copilot", "marketplaces"),
	}
}

func slug(source string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, source)
}
