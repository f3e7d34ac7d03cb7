// Package copilot gives plugins to GitHub Copilot CLI.
//
// The door is a generated directory marketplace. Copilot loads it live and never
// copies: what a link in it points to is what the next session has.
//
// Seen with Copilot CLI 1.0.102:
//
//   - extraKnownMarketplaces and enabledPlugins in settings.json are all it needs;
//     `copilot plugin list` shows "Live Plugins" with the version of their files.
//   - In a project whose directory is trusted it also reads
//     .github/copilot/settings.local.json, and the settings of Claude Code in the
//     same project.
//   - settings.json may have comments and trailing commas.
//   - It guards settings.json by flock(2) on settings.json.lock, which is taken here
//     too.
package copilot

import (
	"context"
	"errors"

	"pinion/host"
	"pinion/internal/syntax"
)

// Adapter is Copilot CLI.
type Adapter struct{}

var _ host.Adapter = Adapter{}

// Info returns what the host is called.
func (Adapter) Info() host.Info {
	return host.Info{Name: "copilot", Title: "Copilot CLI", Restart: "restart Copilot", Scopes: host.Scopes{User: true, Project: true}}
}

func userSettings(p host.Place) host.At { return host.At{Root: home(p), Name: "settings.json"} }

func switches(p host.Place) host.At {
	if p.Project == "" {
		return userSettings(p)
	}
	return host.At{Root: p.Project, Name: ".github/copilot/settings.local.json"}
}

// Look says whether Copilot is on this machine.
func (Adapter) Look(p host.Place) host.Presence {
	return host.Look(home(p), "copilot")
}

// Want says what has to be on the disk.
func (Adapter) Want(p host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	var seen []host.Plugin
	for _, pl := range plugins {
		switch {
		case !host.SafeName(pl.ID):
			// One bad name makes Copilot reject the whole marketplace.
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: pl.ID, Reason: "its id is no name of a plugin in Copilot: lower-case letters, digits and single hyphens"})
		case pl.Format == "native" && !pl.Has("SKILL.md") && !pl.Has(".claude-plugin/plugin.json"):
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: pl.ID, Reason: "it is a native " + string(pl.Kind) + " plugin, which Copilot cannot run by itself"})
		default:
			seen = append(seen, pl)
		}
	}
	if len(seen) == 0 {
		return w, nil
	}
	market := p.MarketName()
	var head syntax.Object
	err := errors.Join(head.SetValue("name", market), head.SetValue("owner", map[string]string{"name": "Pinion"}))
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
		w.Items = append(w.Items, key(switches(p), pl.Enabled, "enabledPlugins", name).For(pl.ID).Replacing())
		if pl.Hides {
			w.Items = append(w.Items, key(switches(p), false, "enabledPlugins", pl.ID+"@"+host.Place{}.MarketName()).For(pl.ID).Replacing())
		}
		w.Shown = append(w.Shown, host.Shown{ID: pl.ID, Version: pl.Version, Name: name})
	}
	return w, nil
}

// key is a value of one of Copilot's settings. Its lock is taken for the user's
// file, where Copilot makes it too; in a project it would be one file more for the
// owner of the repository to wonder about.
func key(at host.At, value any, path ...string) host.Item {
	item := host.NewKey(at, host.JSONC, value, path...)
	if at.Name == "settings.json" {
		return item.Guarded(host.FlockGuard)
	}
	return item
}

// Installed returns the plugins that Copilot has by itself: what it installed, and
// what its settings switch on in a live marketplace.
func (Adapter) Installed(ctx context.Context, p host.Place) ([]host.Installed, error) {
	list, err := InstalledPlugins(ctx, p)
	if err != nil {
		return nil, err
	}
	s, err := readSettings(p)
	if err != nil {
		return nil, err
	}
	return host.WithSwitches(list, s.Enabled, func(full string) host.Item {
		return key(switches(p), false, "enabledPlugins", full)
	}), nil
}
