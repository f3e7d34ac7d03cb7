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
func (Adapter) Marketplaces(_ context.Context, pl host.Place) ([]host.Marketplace, error) {
	s, err := readSettings(pl)
	if err != nil {
		return nil, err
	}
	list, _ := s.known(pl)
	return list, nil
}

func home(pl host.Place) string { return pl.Env("COPILOT_HOME", ".copilot") }

// settings is the part of settings.json that is read.
type settings struct {
	Known map[string]struct {
		Source struct {
			Source string `json:"source"`
			Repo   string `json:"repo"`
			URL    string `json:"url"`
			Path   string `json:"path"`
			Ref    string `json:"ref"`
		} `json:"source"`
	} `json:"extraKnownMarketplaces"`
	Enabled map[string]bool `json:"enabledPlugins"`
}

// readSettings reads settings.json; without one it is empty.
func readSettings(pl host.Place) (settings, error) {
	var s settings
	data, err := host.ReadState(home(pl), "settings.json", host.MaxState)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read %s: %w", filepath.Join(home(pl), "settings.json"), err)
	}
	// Copilot takes comments and trailing commas.
	doc, err := syntax.ReadConfig(data, host.JSONC)
	if err != nil {
		return s, fmt.Errorf("read %s: %w", filepath.Join(home(pl), "settings.json"), err)
	}
	text, err := syntax.ConfigText(doc)
	if err == nil {
		// A value of another type switches nothing.
		syntax.Decode(text, &s, syntax.Options{})
	}
	return s, err
}

// known returns the marketplaces, and the names of those that Pinion made.
func (s settings) known(pl host.Place) (list []host.Marketplace, ours map[string]bool) {
	ours = map[string]bool{}
	for called, k := range s.Known {
		f := k.Source
		m := host.FromSource(f.Source, f.Repo, f.URL, f.Path, f.Ref)
		m.Name = called
		if pl.Owns(m.Source) {
			ours[called] = true
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
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b host.Marketplace) int { return strings.Compare(a.Name, b.Name) })
	return list, ours
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
