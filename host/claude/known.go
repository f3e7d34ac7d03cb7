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

// marketSource is a marketplace's source as Claude Code writes it, in
// known_marketplaces.json and in settings; Copilot writes the same in its own
// settings.
//
// claude 2.1.332: {"source": "github", "repo", "ref"?}, {"source": "git", "url",
// "ref"?}, {"source": "directory", "path"}, {"source": "file", "path"},
// {"source": "url", "url"}, {"source": "npm", "package"}.
type marketSource struct {
	Source string `json:"source"`
	Repo   string `json:"repo"`
	URL    string `json:"url"`
	Path   string `json:"path"`
	Ref    string `json:"ref"`
}

// Marketplaces returns the marketplaces that Claude Code knows, sorted by name,
// with the commit that its clone of each is at. The clone is looked for where
// Claude Code puts it, and not where the file says: that could be anywhere.
func (Adapter) Marketplaces(_ context.Context, pl host.Place) ([]host.Marketplace, error) {
	list, _, err := known(pluginsDir(pl), pl)
	return list, err
}

// pluginsDir is where Claude Code keeps everything of plugins.
func pluginsDir(pl host.Place) string {
	if d := pl.Getenv("CLAUDE_CODE_PLUGIN_CACHE_DIR"); filepath.IsAbs(d) {
		return d
	}
	return filepath.Join(pl.Env("CLAUDE_CONFIG_DIR", ".claude"), "plugins")
}

// known reads the marketplaces, and the names of those that Pinion made.
func known(dir string, pl host.Place) (list []host.Marketplace, ours map[string]bool, err error) {
	const name = "known_marketplaces.json"
	data, err := host.ReadState(dir, name, host.MaxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	var file map[string]struct {
		Source marketSource `json:"source"`
	}
	if problems := syntax.Decode(data, &file, syntax.Options{}); file == nil {
		return nil, nil, fmt.Errorf("read %s: %w", filepath.Join(dir, name), problems.Err())
	}
	ours = map[string]bool{}
	for called, k := range file {
		m := host.FromSource(k.Source.Source, k.Source.Repo, k.Source.URL, k.Source.Path, k.Source.Ref)
		m.Name = called
		if pl.Owns(m.Source) {
			ours[called] = true
			continue
		}
		if m.Why == "" && host.IsElement(called) {
			m.Dir = filepath.Join(dir, "marketplaces", called)
			m.Commit, _ = host.GitHead(m.Dir)
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b host.Marketplace) int { return strings.Compare(a.Name, b.Name) })
	return list, ours, nil
}
