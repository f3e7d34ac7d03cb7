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

// installation is one plugin in config.json.
//
// copilot 1.0.102: source_sha is a hash of files and no commit; the files are in
// installed-plugins/MARKET/NAME. A local marketplace is loaded where it is.
type installation struct {
	Name        string `json:"name"`
	Marketplace string `json:"marketplace"`
	Version     string `json:"version"`
	Enabled     bool   `json:"enabled"`
}

// InstalledPlugins returns the plugins that Copilot installed, sorted, without
// those of a marketplace that Pinion made.
func InstalledPlugins(ctx context.Context, pl host.Place) ([]host.Installed, error) {
	s, err := readSettings(pl)
	if err != nil {
		return nil, err
	}
	markets, ours := s.known(pl)
	const name = "config.json"
	data, err := host.ReadState(home(pl), name, host.MaxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(home(pl), name), err)
	}
	var config struct {
		Plugins []installation `json:"installedPlugins"`
	}
	// Copilot itself writes comments into it.
	syntax.Decode(data, &config, syntax.Options{})
	var out []host.Installed
	for _, p := range config.Plugins {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ours[p.Marketplace] {
			continue
		}
		shown := p.Name
		in := host.Installed{Name: p.Name, Version: p.Version, Marketplace: p.Marketplace, Enabled: p.Enabled}
		if p.Marketplace == "" {
			in.Shown, in.Why = shown, "it was installed directly, and nothing says from where"
			out = append(out, in)
			continue
		}
		shown += "@" + p.Marketplace
		in.Shown = shown
		if on, ok := s.Enabled[shown]; ok {
			in.Enabled = on
		}
		in.Off = []host.Item{host.NewKey(host.At{Root: home(pl), Name: "settings.json"}, host.JSON, false, "enabledPlugins", shown)}
		if host.IsElement(p.Marketplace) && host.IsElement(p.Name) {
			in.Dir = filepath.Join(home(pl), "installed-plugins", p.Marketplace, p.Name)
		}
		if i := slices.IndexFunc(markets, func(m host.Marketplace) bool { return m.Name == p.Marketplace }); i >= 0 {
			in.Source, in.Ref = markets[i].Source, markets[i].Ref
		}
		out = append(out, in)
	}
	slices.SortFunc(out, func(a, b host.Installed) int { return strings.Compare(a.Shown, b.Shown) })
	return out, nil
}
