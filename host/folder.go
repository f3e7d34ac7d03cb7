package host

import (
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
)

// MarketName is how a host calls the marketplace that is generated for a scope:
// "pinion" for the user, and for a project a name of its own, because hosts
// register marketplaces for the whole machine.
func (p Place) MarketName() string {
	if p.Project == "" {
		return "pinion"
	}
	return "pinion-" + ScopeName(p.Project)[:8]
}

// Folder is a generated marketplace: a directory with a catalog, whose entries
// are links into the store, or copies.
type Folder struct {
	// Catalog is the slash path of the catalog in the directory.
	Catalog string
	// Head are the catalog's members before "plugins", in order.
	Head syntax.Object
	// Entry makes the catalog's entry of a plugin, whose directory is source.
	Entry func(pl Plugin, source string) (syntax.Object, error)
}

// Items returns what the marketplace consists of. Plugins that are not enabled are
// in it too: a host lists them as switched off.
func (f Folder) Items(p Place, plugins []Plugin) ([]Item, error) {
	var items []Item
	entries := []syntax.Object{}
	for _, pl := range plugins {
		at := At{Root: p.Own, Name: path.Join("plugins", pl.ID)}
		if p.Copy {
			items = append(items, NewCopy(at, pl, nil))
		} else {
			items = append(items, NewLink(at, pl.ID, pl.Dir))
		}
		entry, err := f.Entry(pl, "./plugins/"+pl.ID)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	doc := syntax.Object{}
	for _, key := range f.Head.Keys() {
		v, _ := f.Head.Get(key)
		doc.Set(key, v)
	}
	if err := doc.SetValue("plugins", entries); err != nil {
		return nil, err
	}
	text, err := syntax.Encode(doc)
	if err != nil {
		return nil, err
	}
	return append(items, NewFile(At{Root: p.Own, Name: f.Catalog}, text)), nil
}

// SafeName reports whether every host takes a name: lower-case letters, digits
// and single hyphens, at most 64.
func SafeName(s string) bool {
	if s == "" || len(s) > 64 || strings.Contains(s, "--") || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || 'z' < c) && (c < '0' || '9' < c) && c != '-' })
}

// componentFields are the members of a Claude catalog's entry that say what the
// plugin adds.
func componentFields() []string {
	return []string{"skills", "commands", "agents", "workflows", "hooks", "mcpServers", "lspServers", "outputStyles", "experimental", "userConfig", "channels", "dependencies"}
}

// ClaudeEntry is a plugin's entry in the form that Claude Code, Copilot and Codex
// share. What the catalog it came from said stays, apart from the source.
func ClaudeEntry(pl Plugin, source string) (syntax.Object, error) {
	var o syntax.Object
	err := o.SetValue("name", pl.ID)
	if err == nil {
		err = o.SetValue("source", source)
	}
	if err == nil && pl.Description != "" {
		err = o.SetValue("description", pl.Description)
	}
	if err == nil {
		err = o.SetValue("version", pl.Version)
	}
	if err != nil {
		return o, err
	}
	was := entryOf(pl)
	keep := append(componentFields(), "strict")
	for _, key := range was.Keys() {
		if v, _ := was.Get(key); slices.Contains(keep, key) {
			o.Set(key, v)
		}
	}
	return o, nil
}

// entryOf reads the catalog's entry of a plugin; without one it is empty.
func entryOf(pl Plugin) syntax.Object {
	var was syntax.Object
	if pl.Entry == nil || pl.Format != "claude" || syntax.Decode(pl.Entry, &was, syntax.Options{AllowDuplicates: true}).HasErrors() {
		return syntax.Object{}
	}
	return was
}

// IsOurs reports whether a host's marketplace is one that [Place.MarketName]
// names.
func IsOurs(market string) bool {
	if market == (Place{}).MarketName() {
		return true
	}
	hex, ok := strings.CutPrefix(market, "pinion-")
	return ok && len(hex) == 8 && strings.Trim(hex, "0123456789abcdef") == ""
}

// WithSwitches adds to what a host installed what its settings switch on or off
// beside that, by full name, and says for each how it is switched off. Ours are
// left out.
func WithSwitches(list []Installed, on map[string]bool, off func(full string) Item) []Installed {
	var out []Installed
	seen := map[string]bool{}
	for _, in := range list {
		if IsOurs(in.Marketplace) {
			continue
		}
		seen[in.Shown] = true
		if in.Marketplace != "" {
			in.Off = []Item{off(in.Shown)}
		}
		out = append(out, in)
	}
	for full, enabled := range on {
		name, market, ok := strings.Cut(full, "@")
		if !ok || seen[full] || IsOurs(market) || market == "builtin" {
			continue
		}
		out = append(out, Installed{Name: name, Shown: full, Marketplace: market, Enabled: enabled, Off: []Item{off(full)}})
	}
	slices.SortFunc(out, func(a, b Installed) int { return strings.Compare(a.Shown, b.Shown) })
	return out
}
