package claude

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

// record is one installation in installed_plugins.json.
//
// claude 2.1.332: gitCommitSha is the commit of the marketplace for a plugin in
// it, and of the plugin's own repository for one that lives elsewhere. A plugin of
// a directory has the commit of the directory's repository, or none.
type record struct {
	Scope       string `json:"scope"` // user, project, local, managed
	ProjectPath string `json:"projectPath"`
	InstallPath string `json:"installPath"`
	Version     string `json:"version"`
	Commit      string `json:"gitCommitSha"`
}

// InstalledPlugins returns the plugins that Claude Code installed in the scope of
// the place, sorted, without those of a marketplace that Pinion made.
func InstalledPlugins(ctx context.Context, pl host.Place) ([]host.Installed, error) {
	dir := pluginsDir(pl)
	const name = "installed_plugins.json"
	data, err := host.ReadState(dir, name, host.MaxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	var file struct {
		Plugins map[string][]record `json:"plugins"`
	}
	if problems := syntax.Decode(data, &file, syntax.Options{}); file.Plugins == nil && len(problems) > 0 {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, name), problems.Err())
	}
	markets, ours, err := known(dir, pl)
	if err != nil {
		return nil, err
	}
	on := enabled(pl)
	var out []host.Installed
	for shown, records := range file.Plugins {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		plugin, market, _ := strings.Cut(shown, "@")
		if ours[market] {
			continue
		}
		for _, r := range records {
			if !inScope(pl, r) {
				continue
			}
			in := host.Installed{
				Name: plugin, Shown: shown, Version: r.Version, Marketplace: market, Commit: r.Commit,
				Dir: cacheDir(dir, market, plugin, r), Enabled: on[shown],
				Off: []host.Item{host.NewKey(settingsAt(pl), host.JSON, false, "enabledPlugins", shown)},
			}
			if i := slices.IndexFunc(markets, func(m host.Marketplace) bool { return m.Name == market }); i >= 0 {
				in.Source, in.Ref = markets[i].Source, markets[i].Ref
			}
			out = append(out, in)
			break // one installation for each scope
		}
	}
	slices.SortFunc(out, func(a, b host.Installed) int { return strings.Compare(a.Shown, b.Shown) })
	return out, nil
}

func inScope(pl host.Place, r record) bool {
	if pl.Project == "" {
		return r.Scope == "user" || r.Scope == ""
	}
	return (r.Scope == "project" || r.Scope == "local") && filepath.Clean(r.ProjectPath) == filepath.Clean(pl.Project)
}

// cacheDir is where Claude Code keeps the files. The recorded path counts only
// when it lies in the cache: the record could name any directory of the machine.
func cacheDir(dir, market, plugin string, r record) string {
	cache := filepath.Join(dir, "cache")
	if rel, err := filepath.Rel(cache, r.InstallPath); err == nil && filepath.IsAbs(r.InstallPath) && filepath.IsLocal(rel) && rel != "." {
		return filepath.Clean(r.InstallPath)
	}
	if host.IsElement(market) && host.IsElement(plugin) && host.IsElement(r.Version) {
		return filepath.Join(cache, market, plugin, r.Version)
	}
	return ""
}

// settingsAt is the file in which plugins of the scope are switched on and off.
func settingsAt(pl host.Place) host.At {
	if pl.Project != "" {
		return host.At{Root: pl.Project, Name: ".claude/settings.json"}
	}
	return host.At{Root: pl.Env("CLAUDE_CONFIG_DIR", ".claude"), Name: "settings.json"}
}

// enabled reads which plugins are switched on: a project's settings go before
// the user's, and its local ones before both.
func enabled(pl host.Place) map[string]bool {
	at := []host.At{{Root: pl.Env("CLAUDE_CONFIG_DIR", ".claude"), Name: "settings.json"}}
	if pl.Project != "" {
		at = append(at, host.At{Root: pl.Project, Name: ".claude/settings.json"}, host.At{Root: pl.Project, Name: ".claude/settings.local.json"})
	}
	out := map[string]bool{}
	for _, a := range at {
		data, err := host.ReadState(a.Root, a.Name, host.MaxState)
		if err != nil {
			continue
		}
		var s struct {
			Enabled map[string]bool `json:"enabledPlugins"`
		}
		// A value of another type switches nothing.
		syntax.Decode(data, &s, syntax.Options{})
		for name, v := range s.Enabled {
			out[name] = v
		}
	}
	return out
}
