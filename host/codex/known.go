package codex

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

// Marketplaces returns the marketplaces in config.toml, sorted by name, with the
// commit that Codex's checkout of each is at.
//
// codex 0.171.0: [marketplaces.NAME] has source_type "git" or "local", source and
// ref; the checkout is ~/.codex/.tmp/marketplaces/NAME. After an upgrade it holds
// .codex-marketplace-install.json with the commit in "revision"; its .git has it
// always.
func (Adapter) Marketplaces(_ context.Context, pl host.Place) ([]host.Marketplace, error) {
	config, err := readConfig(pl)
	if err != nil {
		return nil, err
	}
	list, _ := known(config, pl)
	return list, nil
}

func home(pl host.Place) string { return pl.Env("CODEX_HOME", ".codex") }

// readConfig reads config.toml; without one it is empty.
func readConfig(pl host.Place) (map[string]any, error) {
	data, err := host.ReadState(home(pl), "config.toml", 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var config map[string]any
	if err == nil {
		err = syntax.DecodeTOML(data, &config).Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(home(pl), "config.toml"), err)
	}
	return config, nil
}

// known returns the marketplaces of a configuration, and the names of those that
// Pinion made.
func known(config map[string]any, pl host.Place) (list []host.Marketplace, ours map[string]bool) {
	tables, _ := config["marketplaces"].(map[string]any)
	ours = map[string]bool{}
	for called, v := range tables {
		t, _ := v.(map[string]any)
		text := func(key string) string { s, _ := t[key].(string); return s }
		kind, source := text("source_type"), text("source")
		if kind == "local" {
			kind = "directory"
		}
		m := host.FromSource(kind, "", source, pathOf(kind, source), text("ref"))
		m.Name = called
		if pl.Owns(m.Source) {
			ours[called] = true
			continue
		}
		if m.Why == "" && host.IsElement(called) {
			m.Dir = filepath.Join(home(pl), ".tmp", "marketplaces", called)
			m.Commit, _ = host.GitHead(m.Dir)
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b host.Marketplace) int { return strings.Compare(a.Name, b.Name) })
	return list, ours
}

// pathOf returns the source when it is a path.
func pathOf(kind, source string) string {
	if kind == "directory" {
		return source
	}
	return ""
}
