// Package mcpregistry reads the server.json of the MCP registry: which packages
// and addresses a server is reached by. Such a package has no server in it; what
// runs is fetched when a host starts it, so every package is listed as the
// command that fetches it.
//
// Rules follow the registry's schema of 2025-12-11, which is what a server.json
// is checked with when it is published: what the registry refuses is an error.
// Schemas are never fetched; a file of another date is read as one of this.
package mcpregistry

import (
	"bytes"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
	"pinion/tree"
)

// ManifestPath is the file that describes the server.
const ManifestPath = "server.json"

// schemas is what the addresses of the registry's schemas begin with, and
// schema the one of them that is read here.
const (
	schemas = "https://static.modelcontextprotocol.io/schemas/"
	schema  = schemas + "2025-12-11/server.schema.json"
)

// Format reads server.json files. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "mcp-registry".
func (*Format) Name() string { return "mcp-registry" }

// Detect reports whether a directory with these top-level names may be of the
// format; [Format.Recognize] says whether it is.
func (*Format) Detect(top []string) bool {
	return slices.Contains(top, ManifestPath)
}

// Recognize reports whether the server.json that read returns is one of the
// registry: many programs have a file of this name.
func (*Format) Recognize(read func(path string) ([]byte, bool)) bool {
	data, _ := read(ManifestPath)
	var head struct {
		Schema   syntax.Raw `json:"$schema"`
		Name     syntax.Raw `json:"name"`
		Packages syntax.Raw `json:"packages"`
		Remotes  syntax.Raw `json:"remotes"`
	}
	_ = syntax.Decode(data, &head, syntax.Options{AllowDuplicates: true, AllowBOM: true})
	if syntax.TooDeep(data) {
		return bytes.Contains(data, []byte(`"packages"`)) || bytes.Contains(data, []byte(`"remotes"`)) || bytes.IndexByte(data, '\\') >= 0
	}
	is := func(raw syntax.Raw, kind byte) bool { return len(raw) > 0 && byte(raw.Kind()) == kind }
	text := func(raw syntax.Raw) (s string) {
		if is(raw, '"') {
			_ = syntax.Decode(raw, &s, syntax.Options{}) // it may be escaped
		}
		return s
	}
	return strings.HasPrefix(text(head.Schema), schemas) ||
		strings.Contains(text(head.Name), "/") && (is(head.Packages, '[') || is(head.Remotes, '['))
}

// Profile returns what may be in such a directory.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}
}

// Load reads the server.json in t. entry is what a catalog says of it, or nil.
// The ID is the entry's name, else the part of the server's name after its
// namespace.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{
		Reader: component.New(t, &component.Host{Manifest: ManifestPath, Rules: component.Shared()}),
		m:      &manifest.Manifest{Format: f.Name(), Path: ManifestPath},
	}
	root, ok := l.JSON(ManifestPath, manifest.ServerComponent, syntax.Options{AllowDuplicates: true})
	switch {
	case t.Lookup(ManifestPath) == nil:
		l.Add(ruleMissing.Report("there is no %s", ManifestPath).At(ManifestPath, 1, 1))
	case ok:
		l.server(root, entry)
	}
	l.Executables("")
	l.m.Components, l.m.Kind = l.Components, component.Kind(l.Components)
	if l.m.Kind == manifest.Skill {
		l.m.Kind = manifest.MCP // one without packages is a server all the same
	}
	return l.m, l.Found // the schema has no place for a licence, so none is missed
}

// loader is one reading of one file.
type loader struct {
	*component.Reader
	m *manifest.Manifest
}

func (l *loader) server(root component.Value, entry *manifest.Entry) {
	l.Check(root, "", serverShape(), shapeRules())
	name, _ := root.Get("name")
	version, _ := root.Get("version")
	title, _ := root.Get("title")
	description, _ := root.Get("description")
	id := component.Identity{Version: version, Title: title.Text(), Description: description.Text()}
	if id.Title == "" {
		id.Title = name.Text()
	}
	if s := name.Text(); shapeOfName(s) == "" {
		id.Name = name.Tail(strings.IndexByte(s, '/') + 1)
	}
	l.Identify(l.m, id, entry, ruleName, ruleVersion)
	if s, ok := root.Get("$schema"); ok && s.Kind() == '"' && s.Text() != schema {
		l.Report(s, ruleSchema.Report("the file is written for another schema than that of 2025-12-11"))
	}
	packages, _ := root.Get("packages")
	for _, p := range packages.Elements() {
		l.pkg(p)
	}
	remotes, _ := root.Get("remotes")
	for _, r := range remotes.Elements() {
		l.remote(r)
	}
	if len(packages.Elements()) == 0 && len(remotes.Elements()) == 0 {
		l.Report(root, ruleNothing.Report("the server has neither packages nor remotes: no host can reach it"))
	}
}

// remote lists a server at an address.
func (l *loader) remote(r component.Value) {
	link, _ := r.Get("url")
	text := link.Text()
	if text == "" {
		return
	}
	if u := strings.ToLower(text); !strings.HasPrefix(u, "https://") && !strings.HasPrefix(u, "{") {
		l.Report(link, ruleAddress.Report("the address %q is not https", component.Clip(text)))
	}
	l.Component(manifest.Component{Type: manifest.ServerComponent, Name: l.called(), Path: ManifestPath, Detail: text})
	headers, _ := r.Get("headers")
	l.settings(headers)
	variables, _ := r.Get("variables")
	for _, v := range variables.Members() {
		l.setting(v.Key, v.Value)
	}
}

// called is what a host calls the server.
func (l *loader) called() string {
	if l.m.ID != "" {
		return l.m.ID
	}
	return "server"
}

// settings lists the values that a user gives: variables and headers without a
// fixed value.
func (l *loader) settings(list component.Value) {
	for _, v := range list.Elements() {
		name, _ := v.Get("name")
		if _, fixed := v.Get("value"); !fixed && name.Text() != "" {
			l.setting(name.Text(), v)
		}
		variables, _ := v.Get("variables")
		for _, m := range variables.Members() {
			l.setting(m.Key, m.Value)
		}
	}
}

func (l *loader) setting(key string, v component.Value) {
	about, _ := v.Get("description")
	secret, _ := v.Get("isSecret")
	required, _ := v.Get("isRequired")
	l.m.Settings = append(l.m.Settings, manifest.Setting{
		Key: key, Description: about.Text(), Secret: secret.Kind() == 't', Required: required.Kind() == 't',
	})
	l.Component(manifest.Component{Type: manifest.SettingComponent, Name: key, Path: ManifestPath})
}
