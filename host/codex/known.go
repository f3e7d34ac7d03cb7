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
func Marketplaces(_ context.Context, pl host.Place) ([]host.Marketplace, error) {
	dir := pl.Env("CODEX_HOME", ".codex")
	data, err := host.ReadState(dir, "config.toml", 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, "config.toml"), err)
	}
	var config map[string]any
	if err := syntax.DecodeTOML(data, &config).Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, "config.toml"), err)
	}
	tables, _ := config["marketplaces"].(map[string]any)
	var out []host.Marketplace
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
			continue
		}
		if m.Why == "" && host.IsElement(called) {
			m.Dir = filepath.Join(dir, ".tmp", "marketplaces", called)
			m.Commit, _ = host.GitHead(m.Dir)
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b host.Marketplace) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// pathOf returns the source when it is a path.
func pathOf(kind, source string) string {
	if kind == "directory" {
		return source
	}
	return ""
}
