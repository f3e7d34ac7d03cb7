// Package codex gives plugins to OpenAI's Codex.
//
// Codex needs three things: a local marketplace in config.toml with an entry for
// the plugin, the plugin switched on in config.toml, and a copy of its files in
// Codex's cache. The copy is made here, verified file by file, and refreshed with
// each activation.
//
// Seen with Codex 0.171.0:
//
//   - `codex plugin list` shows a plugin that has all three, with the version that
//     is the name of the directory in the cache. Codex never compares the cache with
//     the marketplace again.
//   - A link in the place of the version's directory is not followed, and links in
//     a plugin are left out: only real files count.
//   - Of several versions the highest is loaded, so there is one.
//   - Without a manifest a plugin is not loaded; `codex plugin add` makes one from
//     the catalog's entry, and turns commands into skills. A skill at the root of a
//     plugin is not loaded. So a manifest and those skills are put into the copy.
//   - In a trusted project .codex/config.toml switches plugins on and off, of a
//     marketplace that the user's config.toml declares.
//   - The name in the manifest must be that of the entry.
package codex

import (
	"path"
	"strings"

	"pinion/host"
	"pinion/internal/syntax"
)

// Adapter is Codex.
type Adapter struct{}

var _ host.Adapter = Adapter{}

// Info returns what the host is called.
func (Adapter) Info() host.Info {
	return host.Info{Name: "codex", Title: "Codex", Restart: "restart Codex", Scopes: host.Scopes{User: true, Project: true}}
}

func userConfig(p host.Place) host.At { return host.At{Root: home(p), Name: "config.toml"} }

// switches is the file in which plugins of the scope are switched on and off.
func switches(p host.Place) host.At {
	if p.Project == "" {
		return userConfig(p)
	}
	return host.At{Root: p.Project, Name: ".codex/config.toml"}
}

// Look says whether Codex is on this machine.
func (Adapter) Look(p host.Place) host.Presence {
	return host.Look(home(p), "codex")
}

// Want says what has to be on the disk.
func (Adapter) Want(p host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	var seen []host.Plugin
	market := p.MarketName()
	var copies []host.Item
	for _, pl := range plugins {
		c, why := shape(pl)
		if why != "" {
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: pl.ID, Reason: why})
			continue
		}
		at := host.At{Root: home(p), Name: path.Join("plugins/cache", market, pl.ID, pl.Version)}
		item := host.NewCopy(at, pl, c.extra)
		item.Under = c.under
		copies = append(copies, item)
		seen = append(seen, pl)
	}
	if len(seen) == 0 {
		return w, nil
	}
	var head syntax.Object
	if err := head.SetValue("name", market); err != nil {
		return w, err
	}
	if err := head.SetValue("interface", map[string]string{"displayName": "Pinion"}); err != nil {
		return w, err
	}
	f := host.Folder{Catalog: ".agents/plugins/marketplace.json", Head: head, Entry: entry}
	var err error
	if w.Items, err = f.Items(p, seen); err != nil {
		return w, err
	}
	w.Items = append(w.Items, copies...)
	w.Items = append(w.Items,
		host.NewKey(userConfig(p), host.TOML, "local", "marketplaces", market, "source_type"),
		host.NewKey(userConfig(p), host.TOML, p.Own, "marketplaces", market, "source"))
	for _, pl := range seen {
		name := pl.ID + "@" + market
		w.Items = append(w.Items, host.NewKey(switches(p), host.TOML, pl.Enabled, "plugins", name, "enabled").For(pl.ID).Replacing())
		if pl.Hides {
			mine := pl.ID + "@" + host.Place{}.MarketName()
			w.Items = append(w.Items, host.NewKey(switches(p), host.TOML, false, "plugins", mine, "enabled").For(pl.ID).Replacing())
		}
		w.Shown = append(w.Shown, host.Shown{ID: pl.ID, Version: pl.Version, Name: name})
	}
	return w, nil
}

// entry is a plugin in Codex's catalog.
func entry(pl host.Plugin, source string) (syntax.Object, error) {
	var o syntax.Object
	for _, m := range []struct {
		key   string
		value any
	}{
		{"name", pl.ID},
		{"source", map[string]string{"source": "local", "path": source}},
		{"policy", map[string]string{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}},
		{"category", "Productivity"},
	} {
		if err := o.SetValue(m.key, m.value); err != nil {
			return o, err
		}
	}
	return o, nil
}

// validSegment reports whether Codex takes a name as a part of a path.
func validSegment(s, more string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= 128 && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) && (c < '0' || '9' < c) && !strings.ContainsRune(more, c)
	})
}
