// Package claude gives plugins to Claude Code.
//
// The door is a generated directory marketplace, which Claude Code reads in
// place: nothing is copied, and a link in it that points to another version is
// what the next session loads. It is declared in the user's settings.json, also
// for a project, and plugins are switched on in the settings of their scope.
//
// Seen with Claude Code 2.1.332:
//
//   - A marketplace under extraKnownMarketplaces of the user's settings is loaded
//     from its directory by the next session, and entries may be links out of it.
//     For one that only a project's settings declare, or only
//     known_marketplaces.json has, such links are refused ("does not stay inside
//     its marketplace directory"); so a project's is declared by the user too.
//   - `claude plugin list` shows the records of installed_plugins.json, whatever
//     the settings say, with the version of the record. No session changes a
//     record that is there, none copies a plugin that has one, and `plugin
//     uninstall` removes the record and leaves the directory alone. So there is a
//     record for each plugin.
//   - Claude Code guards both files with a directory FILE.lock, which is taken here
//     too: they are never written while it writes them.
//   - A plugin without .claude-plugin/plugin.json has the version of its entry.
package claude

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"pinion/host"
	"pinion/internal/syntax"
)

// Adapter is Claude Code.
type Adapter struct{}

var (
	_ host.Adapter = Adapter{}
	_ host.Sweeper = Adapter{}
)

// Info returns what the host is called.
func (Adapter) Info() host.Info {
	return host.Info{Name: "claude", Title: "Claude Code", Restart: "restart Claude Code", Scopes: host.Scopes{User: true, Project: true}}
}

func dir(p host.Place) string { return p.Env("CLAUDE_CONFIG_DIR", ".claude") }

func userSettings(p host.Place) host.At { return host.At{Root: dir(p), Name: "settings.json"} }

// settings are those of the scope. A project's are the ones that are not shared,
// because what they switch on is only on this machine.
func settings(p host.Place) host.At {
	if p.Project == "" {
		return userSettings(p)
	}
	return host.At{Root: p.Project, Name: ".claude/settings.local.json"}
}

func installed(p host.Place) host.At {
	return host.At{Root: pluginsDir(p), Name: "installed_plugins.json"}
}

// Look says whether Claude Code is on this machine.
func (Adapter) Look(p host.Place) host.Presence {
	return host.Look(dir(p), "claude")
}

// Want says what has to be on the disk.
func (Adapter) Want(p host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	var seen []host.Plugin
	for _, pl := range plugins {
		if why := refuse(pl); why != "" {
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: pl.ID, Reason: why})
			continue
		}
		seen = append(seen, pl)
	}
	if len(seen) == 0 {
		return w, nil
	}
	market := p.MarketName()
	head, err := head(market)
	if err != nil {
		return w, err
	}
	f := host.Folder{Catalog: ".claude-plugin/marketplace.json", Head: head, Entry: host.ClaudeEntry}
	if w.Items, err = f.Items(p, seen); err != nil {
		return w, err
	}
	source := map[string]any{"source": "directory", "path": p.Own}
	w.Items = append(w.Items, key(userSettings(p), source, "extraKnownMarketplaces", market, "source"))
	for _, pl := range seen {
		name := pl.ID + "@" + market
		record := map[string]any{"scope": "user", "installPath": filepath.Join(p.Own, "plugins", pl.ID), "version": pl.Version}
		if p.Project != "" {
			record["scope"], record["projectPath"] = "local", p.Project
		}
		w.Items = append(w.Items,
			key(settings(p), pl.Enabled, "enabledPlugins", name).For(pl.ID).Replacing(),
			key(installed(p), []any{record}, "plugins", name).For(pl.ID).Replacing())
		if pl.Hides {
			w.Items = append(w.Items, key(settings(p), false, "enabledPlugins", pl.ID+"@"+host.Place{}.MarketName()).For(pl.ID).Replacing())
		}
		w.Shown = append(w.Shown, host.Shown{ID: pl.ID, Version: pl.Version, Name: name})
	}
	// The first session notes every marketplace that settings declare, and keeps it
	// when they no longer do: it would go on as one whose directory is missing.
	w.Items = append(w.Items, key(host.At{Root: pluginsDir(p), Name: "known_marketplaces.json"}, source, market, "source").Echoed())
	// Claude Code takes no list of records that does not say its version.
	w.Items = append(w.Items, key(installed(p), 2, "version").Basic())
	return w, nil
}

func key(at host.At, value any, path ...string) host.Item {
	return host.NewKey(at, host.JSON, value, path...).Guarded(host.DirGuard)
}

func head(market string) (syntax.Object, error) {
	var o syntax.Object
	return o, errors.Join(
		o.SetValue("name", market),
		o.SetValue("owner", map[string]string{"name": "Pinion"}),
		o.SetValue("description", "The plugins that are active in Pinion. This directory is generated."),
	)
}

// refuse says why Claude Code cannot load a plugin, "" when it can.
func refuse(pl host.Plugin) string {
	switch {
	case strings.ContainsAny(pl.ID, " @/\\"):
		return "its id is no name of a plugin in Claude Code"
	case pl.Format == "native" && !pl.Has("SKILL.md") && !pl.Has(".claude-plugin/plugin.json"):
		return "it is a native " + string(pl.Kind) + " plugin, which Claude Code cannot run by itself"
	}
	return ""
}

// Installed returns the plugins that Claude Code has by itself: what it installed,
// and what its settings switch on.
func (Adapter) Installed(ctx context.Context, p host.Place) ([]host.Installed, error) {
	list, err := InstalledPlugins(ctx, p)
	if err != nil {
		return nil, err
	}
	return host.WithSwitches(list, enabled(p), func(full string) host.Item {
		return key(settings(p), false, "enabledPlugins", full)
	}), nil
}
