// Package vscode gives plugins to Visual Studio Code and its variants.
//
// It uses the setting chat.pluginLocations, a map of directories to on or off in
// the user's settings.json, and not the file agent-plugins/installed.json: the
// setting is documented and shown to the user, has a switch for each plugin,
// asks for no marketplace, and is at the same place in every variant. Editors
// without a screen do not run here, so this rests on the documentation and on
// the sources of 2026 and not on an observation.
//
// The directory is named as the store has it, with its version, and not by way
// of a link: so nothing depends on how links are watched, it works where there
// are none, and another version is a new directory that the editor trusts
// anew.
package vscode

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pinion/host"
	"pinion/host/skills"
	"pinion/internal/syntax"
)

const (
	settingsFile = "settings.json"
	setting      = "chat.pluginLocations"
	maxSettings  = 8 << 20
	// schemaURL names the kind of a manifest of Agent Plugins 1.0; it is never
	// fetched.
	schemaURL = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
)

// Variant is one edition of the editor.
type Variant struct {
	Name   string // in commands
	Title  string
	Folder string // of its own data: "Code"
}

// Variants returns the editions, the most common first.
func Variants() []Variant {
	return []Variant{
		{"vscode", "Visual Studio Code", "Code"},
		{"vscode-insiders", "Visual Studio Code Insiders", "Code - Insiders"},
		{"vscodium", "VSCodium", "VSCodium"},
		{"vscode-oss", "Code - OSS", "Code - OSS"},
	}
}

// Adapter is that of one edition.
type Adapter struct {
	v  Variant
	os string
}

var _ host.Adapter = Adapter{}

// New returns the adapter of an edition on this system.
func New(v Variant) Adapter { return Adapter{v, runtime.GOOS} }

// Info tells what the host is called. The setting counts for the user alone: a
// repository must not bring plugins of its own.
func (a Adapter) Info() host.Info {
	return host.Info{Name: a.v.Name, Title: a.v.Title, Restart: "reload the window of " + a.v.Title, Scopes: host.Scopes{User: true}}
}

// dir is where the edition keeps the user's settings. VSCODE_PORTABLE takes the
// place of all of them.
func (a Adapter) dir(pl host.Place) string {
	if d := pl.Getenv("VSCODE_PORTABLE"); filepath.IsAbs(d) {
		return filepath.Join(d, "user-data", "User")
	}
	switch a.os {
	case "darwin":
		return filepath.Join(pl.Home, "Library", "Application Support", a.v.Folder, "User")
	case "windows":
		return filepath.Join(pl.Env("APPDATA", "AppData", "Roaming"), a.v.Folder, "User")
	}
	return filepath.Join(pl.Env("XDG_CONFIG_HOME", ".config"), a.v.Folder, "User")
}

// Look says whether the edition has been used here.
func (a Adapter) Look(pl host.Place) host.Presence {
	d := a.dir(pl)
	info, err := os.Stat(d)
	return host.Presence{Found: err == nil && info.IsDir(), Dir: d}
}

// manifests are the files by which the editor knows a plugin.
func manifests() []string {
	return []string{"plugin.json", ".plugin/plugin.json", ".github/plugin/plugin.json", ".claude-plugin/plugin.json"}
}

// Want sets one key for each plugin. One that has skills and no manifest which
// the editor knows gets a directory with a manifest of Agent Plugins 1.0.
func (a Adapter) Want(pl host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	at := host.At{Root: a.dir(pl), Name: settingsFile}
	for _, p := range plugins {
		if !p.Enabled {
			continue
		}
		dir, items, why := one(pl, p)
		if why != "" {
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: p.ID, Reason: why})
			continue
		}
		w.Items = append(append(w.Items, items...), host.NewKey(at, host.JSONC, true, setting, dir).For(p.ID).Replacing())
		w.Shown = append(w.Shown, host.Shown{ID: p.ID, Version: p.Version, Name: p.ID})
	}
	return w, nil
}

// plugin is a manifest of Agent Plugins 1.0.
type plugin struct {
	Schema      string `json:"$schema"`
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
}

func one(pl host.Place, p host.Plugin) (dir string, items []host.Item, why string) {
	if slices.ContainsFunc(manifests(), p.Has) {
		return p.Dir, nil, ""
	}
	faces, rest := skills.Faces(p)
	if why := skills.Alone(faces, rest, "Visual Studio Code"); why != "" {
		return "", nil, why
	}
	m := plugin{Schema: schemaURL, Name: strings.ReplaceAll(p.ID, "_", "-"), Version: p.Version, Description: p.Description}
	data, err := syntax.Encode(m)
	if err != nil {
		return "", nil, err.Error()
	}
	name := p.ID + "-" + p.Version
	return filepath.Join(pl.Own, name), skills.Wrap(pl, host.At{Root: pl.Own, Name: name}, p, faces, map[string][]byte{"plugin.json": data}), ""
}

// Installed returns the directories in the setting that were not put there by
// Pinion. What the editor got from a marketplace it keeps for itself.
func (a Adapter) Installed(_ context.Context, pl host.Place) ([]host.Installed, error) {
	dir := a.dir(pl)
	data, err := host.ReadState(dir, settingsFile, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, settingsFile), err)
	}
	var s struct {
		Locations map[string]bool `json:"chat.pluginLocations"`
	}
	// Comments and commas at the end are findings, and what they stand around is
	// read all the same.
	syntax.Decode(data, &s, syntax.Options{})
	var out []host.Installed
	for at, on := range s.Locations {
		if pl.Owns(at) {
			continue
		}
		out = append(out, host.Installed{
			Name: filepath.Base(at), Shown: at, Dir: at, Enabled: on, Why: "it is a local directory",
			Off: []host.Item{host.NewKey(host.At{Root: dir, Name: settingsFile}, host.JSONC, false, setting, at)},
		})
	}
	slices.SortFunc(out, func(a, b host.Installed) int { return strings.Compare(a.Shown, b.Shown) })
	return out, nil
}
