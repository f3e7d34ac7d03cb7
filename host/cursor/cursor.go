// Package cursor gives plugins to Cursor.
//
// Cursor's documented place for plugins that come from no marketplace is
// ~/.cursor/plugins/local/<name>/, a directory or a link to one, with
// .cursor-plugin/plugin.json in it. Cursor is not a program that runs here, so
// this rests on its documentation and its published plugins, which link their
// checkouts into that directory, and not on an observation.
package cursor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pinion/host"
	"pinion/host/skills"
	"pinion/internal/syntax"
)

const (
	manifestFile = ".cursor-plugin/plugin.json"
	maxManifest  = 1 << 20
	local        = "plugins/local"
)

// Adapter is Cursor's.
type Adapter struct{}

var (
	_ host.Adapter = Adapter{}
	_ host.Namer   = Adapter{}
)

// New returns the adapter.
func New() Adapter { return Adapter{} }

// Info tells what the host is called. Cursor has no such directory in a
// project; the skills of a project are in the shared directory.
func (Adapter) Info() host.Info {
	return host.Info{Name: "cursor", Title: "Cursor", Restart: "reload the window of Cursor", Scopes: host.Scopes{User: true}}
}

func dir(pl host.Place) string { return filepath.Join(pl.Home, ".cursor") }

// Look says whether Cursor has been used here.
func (Adapter) Look(pl host.Place) host.Presence {
	info, err := os.Stat(dir(pl))
	return host.Presence{Found: err == nil && info.IsDir(), Dir: dir(pl)}
}

// plugin is the part of the manifest that is read and made. The schema is closed:
// a key that it does not know makes it invalid.
type plugin struct {
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
}

// Want links a directory to each plugin that has Cursor's manifest, or skills
// and nothing else, for which a manifest is made.
func (Adapter) Want(pl host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	taken := map[string]string{}
	for _, p := range plugins {
		if !p.Enabled {
			continue
		}
		name, items, why := one(pl, p)
		if by, ok := taken[name]; ok && why == "" {
			why = fmt.Sprintf("%s has the name %q too", by, name)
		}
		if why != "" {
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: p.ID, Reason: why})
			continue
		}
		taken[name] = p.ID
		w.Items = append(w.Items, items...)
		w.Shown = append(w.Shown, host.Shown{ID: p.ID, Version: p.Version, Name: name})
	}
	return w, nil
}

// NameOf is how Cursor calls a plugin, "" for one that it cannot be given.
func (Adapter) NameOf(pl host.Place, p host.Plugin) string {
	name, _, _ := one(pl, p)
	return name
}

func one(pl host.Place, p host.Plugin) (name string, items []host.Item, why string) {
	if p.Has(manifestFile) {
		m, err := read(p.Dir)
		if err != nil {
			return "", nil, fmt.Sprintf("its %s cannot be used: %v", manifestFile, err)
		}
		if !isName(m.Name) {
			return "", nil, fmt.Sprintf("its %s has the name %q, which Cursor does not take", manifestFile, m.Name)
		}
		return m.Name, []host.Item{skills.Put(pl, at(pl, m.Name), p, ".")}, ""
	}
	faces, rest := skills.Faces(p)
	if why := skills.Alone(faces, rest, "Cursor"); why != "" {
		return "", nil, why
	}
	m := plugin{Name: strings.ReplaceAll(p.ID, "_", "-"), Version: p.Version, Description: p.Description}
	if !isName(m.Name) {
		return "", nil, fmt.Sprintf("Cursor does not take the name %q", p.ID)
	}
	data, err := syntax.Encode(m)
	if err != nil {
		return "", nil, err.Error()
	}
	files := map[string][]byte{manifestFile: data}
	if pl.Copy {
		return m.Name, skills.Wrap(pl, at(pl, m.Name), p, faces, files), ""
	}
	items = skills.Wrap(pl, host.At{Root: pl.Own, Name: m.Name}, p, faces, files)
	return m.Name, append(items, host.NewLink(at(pl, m.Name), p.ID, filepath.Join(pl.Own, m.Name))), ""
}

func at(pl host.Place, name string) host.At {
	return host.At{Root: dir(pl), Name: local + "/" + name}
}

func read(dir string) (plugin, error) {
	var m plugin
	data, err := host.ReadState(dir, manifestFile, maxManifest)
	if err != nil {
		return m, err
	}
	return m, syntax.Decode(data, &m, syntax.Options{}).Err()
}

// isName is the pattern of Cursor's published schema.
func isName(s string) bool {
	return len(s) <= 128 && regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`).MatchString(s)
}

// Installed returns the plugins in the local directory that were not put there
// by Pinion. What Cursor got from a marketplace it keeps for itself.
func (Adapter) Installed(ctx context.Context, pl host.Place) ([]host.Installed, error) {
	root := filepath.Join(dir(pl), filepath.FromSlash(local))
	list, err := host.ListState(root)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", root, err)
	}
	var out []host.Installed
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := filepath.Join(root, e.Name())
		if pl.IsOurs(d) {
			continue
		}
		m, err := read(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		in := host.Installed{Name: e.Name(), Shown: e.Name(), Version: m.Version, Dir: d, Enabled: true, Why: "it is a local directory"}
		in.InPlace = m.Name == "" || m.Name == e.Name()
		if m.Name != "" {
			in.Name, in.Shown = m.Name, m.Name
		}
		out = append(out, in)
	}
	return out, nil
}
