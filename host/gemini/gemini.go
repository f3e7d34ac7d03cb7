// Package gemini gives extensions to Gemini CLI.
//
// Observed with gemini 0.61.0, which decided how this is done:
//
//   - Every directory below ~/.gemini/extensions is an extension. One whose
//     .gemini-extension-install.json says "type": "link" is loaded from the
//     directory in "source", and `gemini extensions list -o json` shows that
//     path. This is what `gemini extensions link` writes.
//   - extension-enablement.json need not name it: without a line it is enabled
//     everywhere. A line that the user's own `gemini extensions disable` made
//     stays where it is, and counts.
//   - extension_integrity.json is looked at by `gemini extensions update` alone;
//     a linked extension without a line there is "already up to date".
//   - `gemini extensions uninstall` removes the directory with our one file, and
//     nothing behind it. Settings of the user (.env) are kept beside that file,
//     so a read-only tree is no hindrance.
//   - Two extensions with one name make gemini load none at all, also when one is
//     disabled.
//   - The id of an extension, under which secret settings are kept, is the hash
//     of "source". So source is a path that stays when the version changes.
package gemini

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pinion/host"
	"pinion/host/skills"
	"pinion/internal/syntax"
)

const (
	manifestFile = "gemini-extension.json"
	installFile  = ".gemini-extension-install.json"
	maxManifest  = 1 << 20
)

// Adapter is Gemini CLI's.
type Adapter struct{}

var (
	_ host.Adapter = Adapter{}
	_ host.Namer   = Adapter{}
)

// New returns the adapter.
func New() Adapter { return Adapter{} }

// Info tells what the host is called. Gemini CLI has extensions for the user
// alone; a project has skills, which the shared directory gives it.
func (Adapter) Info() host.Info {
	return host.Info{Name: "gemini", Title: "Gemini CLI", Restart: "restart Gemini CLI", Scopes: host.Scopes{User: true}}
}

// dir is Gemini CLI's directory. GEMINI_CLI_HOME takes the place of the home.
func dir(pl host.Place) string {
	if h := pl.Getenv("GEMINI_CLI_HOME"); filepath.IsAbs(h) {
		return filepath.Join(h, ".gemini")
	}
	return filepath.Join(pl.Home, ".gemini")
}

// Look says whether Gemini CLI has been used here.
func (Adapter) Look(pl host.Place) host.Presence {
	d := dir(pl)
	info, err := os.Stat(d)
	return host.Presence{Found: err == nil && info.IsDir(), Dir: d}
}

// Want links an extension directory to each plugin that has an extension's
// manifest, or skills and nothing else, for which a manifest is made.
func (Adapter) Want(pl host.Place, plugins []host.Plugin) (host.Want, error) {
	var w host.Want
	taken := map[string]string{}
	for _, p := range plugins {
		if !p.Enabled {
			continue
		}
		name, version, items, why := one(pl, p)
		if by, ok := taken[strings.ToLower(name)]; ok && why == "" {
			why = fmt.Sprintf("Gemini CLI loads nothing when two extensions have one name, and %s is %q too", by, name)
		}
		if why != "" {
			w.LeftOut = append(w.LeftOut, host.LeftOut{ID: p.ID, Reason: why})
			continue
		}
		taken[strings.ToLower(name)] = p.ID
		meta, err := syntax.Encode(install{Source: filepath.Join(pl.Own, name), Type: "link"})
		if err != nil {
			return w, err
		}
		at := host.At{Root: dir(pl), Name: "extensions/" + name + "/" + installFile}
		w.Items = append(append(w.Items, items...), host.NewFile(at, meta).For(p.ID))
		w.Shown = append(w.Shown, host.Shown{ID: p.ID, Version: version, Name: name})
	}
	return w, nil
}

// NameOf is how Gemini CLI calls a plugin, "" for one that it cannot be given.
func (Adapter) NameOf(pl host.Place, p host.Plugin) string {
	name, _, _, _ := one(pl, p)
	return name
}

// extension is the part of gemini-extension.json that is read and made.
type extension struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
}

// one returns what makes one plugin an extension, or why that cannot be.
func one(pl host.Place, p host.Plugin) (name, version string, items []host.Item, why string) {
	if p.Has(manifestFile) {
		e, err := readManifest(p.Dir)
		switch {
		case err != nil:
			return "", "", nil, fmt.Sprintf("its %s cannot be used: %v", manifestFile, err)
		case !isName(e.Name):
			return "", "", nil, fmt.Sprintf("its %s has the name %q; Gemini CLI takes letters, digits and dashes", manifestFile, e.Name)
		case e.Version == "":
			return "", "", nil, fmt.Sprintf("its %s has no version, without which Gemini CLI does not load it", manifestFile)
		}
		return e.Name, e.Version, []host.Item{skills.Put(pl, host.At{Root: pl.Own, Name: e.Name}, p, ".")}, ""
	}
	faces, rest := skills.Faces(p)
	if why := skills.Alone(faces, rest, "Gemini CLI"); why != "" {
		return "", "", nil, why
	}
	e := extension{Name: nameFor(p.ID), Version: p.Version, Description: p.Description}
	if !isName(e.Name) {
		return "", "", nil, fmt.Sprintf("Gemini CLI takes letters, digits and dashes in a name, and not %q", p.ID)
	}
	data, err := syntax.Encode(e)
	if err != nil {
		return "", "", nil, err.Error()
	}
	return e.Name, e.Version, skills.Wrap(pl, host.At{Root: pl.Own, Name: e.Name}, p, faces, map[string][]byte{manifestFile: data}), ""
}

// readManifest reads the two fields without which there is no extension.
func readManifest(dir string) (extension, error) {
	var e extension
	data, err := host.ReadState(dir, manifestFile, maxManifest)
	if err != nil {
		return e, err
	}
	// Gemini CLI reads with JSON.parse: what is no JSON is no extension. Values of
	// fields that are not read here do not matter.
	return e, syntax.Decode(data, &e, syntax.Options{}).Err()
}

// isName is gemini's own rule: validateName in 0.61.0.
func isName(s string) bool {
	return s != "" && len(s) <= 128 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == "" && !strings.HasPrefix(s, "-")
}

// nameFor makes a plugin's id a name that gemini takes.
func nameFor(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r == '+' {
			return '-'
		}
		return r
	}, id)
}
