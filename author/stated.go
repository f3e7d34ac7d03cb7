package author

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// Limits of the files that are read, in bytes.
const (
	maxManifest = 4 << 20
	maxCatalog  = 128 << 20
)

// sibling is a file of a package that may state its version.
type sibling struct {
	path  string
	first bool // may name the old version
	equal bool // is changed only when it states the old version
}

// siblings lists the files in the order in which they are asked for the old
// version.
func siblings() []sibling {
	return []sibling{
		{path: "pinion-plugin.json", first: true},
		{path: "shinbot-plugin.json", first: true},
		{path: ".claude-plugin/plugin.json", first: true},
		{path: ".codex-plugin/plugin.json", first: true},
		{path: ".cursor-plugin/plugin.json", first: true},
		{path: ".plugin/plugin.json", first: true},
		{path: ".github/plugin/plugin.json", first: true},
		{path: "plugin.json", first: true},
		{path: "gemini-extension.json", first: true},
		{path: "package.json", equal: true},
	}
}

// collect reads every file that may state the version.
func (b *bump) collect(ctx context.Context, catalogs []string) error {
	for _, s := range siblings() {
		if err := b.manifest(s); err != nil {
			return err
		}
	}
	if err := b.skill(); err != nil {
		return err
	}
	for dir := b.pkg; ; dir = path.Dir(dir) {
		for _, c := range catalogs {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.catalog(dir, path.Join(dir, c)); err != nil {
				return err
			}
		}
		if dir == "." {
			return nil
		}
	}
}

// jsonString is the value of one JSON string, named by its pointer.
type jsonString string

func (p jsonString) set(data []byte, version string) ([]byte, error) {
	value, err := syntax.Compact(version)
	if err != nil {
		return nil, err
	}
	return syntax.Replace(data, string(p), value)
}

func (b *bump) manifest(s sibling) error {
	at := b.at(s.path)
	data, ok, err := b.read(at, maxManifest)
	if err != nil || !ok {
		return err
	}
	var doc struct {
		Version syntax.Raw `json:"version"`
	}
	if err := decode(at, data, &doc); err != nil {
		return err
	}
	if s.first {
		b.manifests = append(b.manifests, at)
	}
	version, ok := text(doc.Version)
	if !ok {
		return nil
	}
	b.statements = append(b.statements, statement{
		path: at, data: data, version: version, where: jsonString("/version"), first: s.first, equal: s.equal,
	})
	return nil
}

// decode reads the parts of a JSON file that v names. Duplicate keys and a byte
// order mark, which some hosts accept, are no reason to refuse an edit.
func decode(at string, data []byte, v any) error {
	found := syntax.Decode(data, v, syntax.Options{AllowDuplicates: true, AllowBOM: true})
	for i := range found {
		found[i].File = at
	}
	return problem.List(found).Err()
}

// text returns a JSON string that may be a version. Anything else states none.
func text(raw syntax.Raw) (string, bool) {
	if raw.Kind() != '"' {
		return "", false
	}
	var s string
	if len(syntax.Decode(raw, &s, syntax.Options{})) > 0 || s == "" {
		return "", false
	}
	return s, true
}

// entry is one entry of a catalog, as much of it as is needed.
type entry struct {
	Name    syntax.Raw `json:"name"`
	Version syntax.Raw `json:"version"`
	Source  syntax.Raw `json:"source"`
	Hash    syntax.Raw `json:"hash"`
}

// catalog finds the entry of the package in a catalog of the directory root.
func (b *bump) catalog(root, at string) error {
	data, ok, err := b.read(at, maxCatalog)
	if err != nil || !ok {
		return err
	}
	var doc struct {
		Metadata syntax.Raw   `json:"metadata"`
		Plugins  []syntax.Raw `json:"plugins"`
	}
	if err := decode(at, data, &doc); err != nil {
		return err
	}
	base := pluginRoot(doc.Metadata)
	var found []statement
	for i, raw := range doc.Plugins {
		var e entry
		if len(syntax.Decode(raw, &e, syntax.Options{AllowDuplicates: true})) > 0 || !e.leadsTo(root, base, b.pkg) {
			continue
		}
		version, ok := text(e.Version)
		if !ok {
			continue
		}
		if e.Hash != nil {
			b.rebuild = append(b.rebuild, at)
			continue
		}
		found = append(found, statement{
			path: at, data: data, version: version, where: jsonString(fmt.Sprintf("/plugins/%d/version", i)), first: true,
		})
	}
	if len(found) > 1 {
		// Several plugins share the directory, each with a version of its own.
		for i := range found {
			found[i].first, found[i].equal = false, true
		}
	}
	b.statements = append(b.statements, found...)
	return nil
}

func pluginRoot(raw syntax.Raw) string {
	var m struct {
		PluginRoot syntax.Raw `json:"pluginRoot"`
	}
	if raw.Kind() == '{' && len(syntax.Decode(raw, &m, syntax.Options{AllowDuplicates: true})) == 0 {
		s, _ := text(m.PluginRoot)
		return s
	}
	return ""
}

// leadsTo reports whether the entry's source is the directory pkg. root is
// where the catalog's paths start and base where bare names do.
func (e entry) leadsTo(root, base, pkg string) bool {
	source, ok := text(e.Source)
	if !ok && e.Source.Kind() == '{' {
		var local struct {
			Source syntax.Raw `json:"source"`
			Path   syntax.Raw `json:"path"`
		}
		if len(syntax.Decode(e.Source, &local, syntax.Options{AllowDuplicates: true})) > 0 {
			return false
		}
		if kind, _ := text(local.Source); kind == "local" {
			source, ok = text(local.Path)
		}
	}
	if !ok || strings.Contains(source, ":") || strings.HasPrefix(source, "/") {
		return false
	}
	if base != "" && !strings.Contains(source, "/") && source != "." {
		source = path.Join(base, source)
	}
	return path.Join(root, source) == pkg
}

// skill finds the version in the frontmatter of SKILL.md.
func (b *bump) skill() error {
	at := b.at("SKILL.md")
	data, ok, err := b.read(at, maxManifest)
	if err != nil || !ok {
		return err
	}
	for _, where := range []frontField{{"version"}, {"metadata", "version"}} {
		if version, _, ok := where.find(data); ok {
			b.statements = append(b.statements, statement{
				path: at, data: data, version: version, where: where,
				// Beside a manifest it may be the version of the text only.
				first: len(b.manifests) == 0, equal: true,
			})
		}
	}
	return nil
}

// frontField is a key of the frontmatter, or a key below one.
type frontField []string

// find returns the value and the offset of its text, when it is a version on
// one line.
func (k frontField) find(data []byte) (version string, offset int, ok bool) {
	front, _ := syntax.Frontmatter(data)
	if !front.Found || front.Lenient {
		return "", 0, false
	}
	fields := front.Fields
	var f syntax.Field
	for _, key := range k {
		at := -1
		for i := range fields {
			if fields[i].Key == key {
				at = i
			}
		}
		if at < 0 {
			return "", 0, false
		}
		f, fields = fields[at], fields[at].Items
	}
	if f.Value == "" || f.Kind == syntax.List || f.Kind == syntax.Map {
		return "", 0, false
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if f.ValueLine < 1 || f.ValueLine > len(lines) {
		return "", 0, false
	}
	for _, l := range lines[:f.ValueLine-1] {
		offset += len(l)
	}
	// The column counts characters, and what stands before the value may be
	// quoted or flow text, so the value itself is looked for from there.
	line := []rune(string(lines[f.ValueLine-1]))
	if f.ValueColumn < 1 || f.ValueColumn > len(line)+1 {
		return "", 0, false
	}
	before := len(string(line[:f.ValueColumn-1]))
	rest := lines[f.ValueLine-1][before:]
	i := bytes.Index(rest, []byte(f.Value))
	if i < 0 || i > 1 { // only a quotation mark may come first
		return "", 0, false
	}
	return f.Value, offset + before + i, true
}

func (k frontField) set(data []byte, version string) ([]byte, error) {
	old, at, ok := k.find(data)
	if !ok {
		return nil, fmt.Errorf("frontmatter %s: %w", strings.Join(k, "."), syntax.ErrNotFound)
	}
	if !manifest.ValidVersion(version) {
		return nil, fmt.Errorf("version %q could change the YAML", version)
	}
	return bytes.Join([][]byte{data[:at], []byte(version), data[at+len(old):]}, nil), nil
}
