package codex

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"pinion/host"
	"pinion/manifest"
)

// InstalledPlugins returns the plugins that Codex installed, sorted, without
// those of a marketplace that Pinion made.
//
// codex 0.171.0: [plugins."NAME@MARKET"] enabled says what is installed; the
// files are in plugins/cache/MARKET/NAME/VERSION. No commit is recorded, but what
// was cloned from a repository of its own has a .git that knows it. `codex plugin
// marketplace upgrade` replaces the files by those of the new catalog.
func InstalledPlugins(ctx context.Context, pl host.Place) ([]host.Installed, error) {
	config, err := readConfig(pl)
	if err != nil || config == nil {
		return nil, err
	}
	markets, ours := known(config, pl)
	tables, _ := config["plugins"].(map[string]any)
	var out []host.Installed
	for shown, v := range tables {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, market, ok := strings.Cut(shown, "@")
		if !ok || ours[market] {
			continue
		}
		t, _ := v.(map[string]any)
		on, stated := t["enabled"].(bool)
		in := host.Installed{
			Name: name, Shown: shown, Marketplace: market, Enabled: on || !stated,
			Off: []host.Item{host.NewKey(host.At{Root: home(pl), Name: "config.toml"}, host.TOML, false, "plugins", shown, "enabled")},
		}
		if host.IsElement(market) && host.IsElement(name) {
			in.Version, in.Dir = loaded(filepath.Join(home(pl), "plugins", "cache", market, name))
		}
		if in.Dir != "" {
			in.Commit, _ = host.GitHead(in.Dir)
		}
		if i := slices.IndexFunc(markets, func(m host.Marketplace) bool { return m.Name == market }); i >= 0 {
			in.Source, in.Ref = markets[i].Source, markets[i].Ref
		}
		out = append(out, in)
	}
	slices.SortFunc(out, func(a, b host.Installed) int { return strings.Compare(a.Shown, b.Shown) })
	return out, nil
}

// loaded returns the version that Codex loads of those that it keeps: "local",
// else the highest.
func loaded(dir string) (version, at string) {
	list, err := host.ListState(dir)
	if err != nil {
		return "", ""
	}
	for _, e := range list {
		if !e.IsDir() && e.Type() != 0 || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if e.Name() == "local" {
			version = "local"
			break
		}
		if version == "" || manifest.CompareVersions(e.Name(), version) > 0 {
			version = e.Name()
		}
	}
	if version == "" {
		return "", ""
	}
	return version, filepath.Join(dir, version)
}
