// Package cursor reads Cursor plugins: a directory with .cursor-plugin/plugin.json
// and components at fixed places, or where the manifest names them instead.
//
// Cursor does not run without its account, so severities follow what it
// publishes: its schema of the manifest and its reference of plugins. The schema
// is closed, but published plugins that break it load (names in capitals, an
// author with a url), so what only the schema refuses is a warning. An error is
// a manifest or a component field that cannot be understood.
package cursor

import (
	"slices"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
	"pinion/tree"
)

// ManifestPath is where a plugin's description is.
const ManifestPath = ".cursor-plugin/plugin.json"

// Format reads Cursor plugins. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "cursor".
func (*Format) Name() string { return "cursor" }

// Detect reports whether a directory with these top-level names may be a plugin;
// [Format.Recognize] says whether it is.
func (*Format) Detect(top []string) bool {
	return slices.Contains(top, ".cursor-plugin") || slices.Contains(top, ".cursor-plugin/")
}

// Recognize reports whether there is a manifest: the directory .cursor-plugin of
// a marketplace has only a catalog.
func (*Format) Recognize(read func(path string) ([]byte, bool)) bool {
	_, ok := read(ManifestPath)
	return ok
}

// Profile returns what may be in such a package.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}
}

// Expresses reports whether plugins have components of this type.
func (*Format) Expresses(t manifest.ComponentType) bool {
	switch t {
	case manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent, manifest.HookComponent, manifest.ServerComponent:
		return true
	}
	return false
}

// Load reads the plugin in t. entry is what a catalog says of it, or nil.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{Reader: component.New(t, host()), m: &manifest.Manifest{Format: f.Name(), Path: ManifestPath}}
	var own component.Fields
	root, ok := l.JSON(ManifestPath, manifest.HookComponent, syntax.Options{AllowDuplicates: true})
	switch {
	case t.Lookup(ManifestPath) == nil:
		l.Add(ruleManifest.Report("there is no %s", ManifestPath).At(ManifestPath, 1, 1))
	case ok && root.Kind() != '{':
		l.Report(root, ruleManifest.Report("the manifest is %s, want an object", root.Found()))
	case ok:
		own.List = root.Members()
		l.describe(root, own, entry)
	}
	l.ID = l.m.ID
	l.components(own)
	l.Executables("")
	return l.m, l.Finish(l.m)
}

// host is how Cursor calls things: hooks lie directly in their event, paths need
// no "./", and a server needs no type.
func host() *component.Host {
	return &component.Host{
		Manifest: ManifestPath, Rules: component.Shared(), AutoHooks: autoHooks, Events: events(), Flat: true,
		Server: serverFault, Roots: []string{"${CURSOR_PLUGIN_ROOT}", "$CURSOR_PLUGIN_ROOT", "./"},
		Paths: component.PathForm{Bare: true},
	}
}

// events are the names of Cursor's reference of hooks; case counts.
func events() []string {
	return []string{
		"sessionStart", "sessionEnd", "preToolUse", "postToolUse", "postToolUseFailure", "subagentStart", "subagentStop",
		"beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution", "beforeReadFile",
		"afterFileEdit", "beforeSubmitPrompt", "preCompact", "stop", "afterAgentResponse", "afterAgentThought",
		"beforeTabFileRead", "afterTabFileEdit", "workspaceOpen",
	}
}

// serverFault returns what keeps Cursor from taking a server, and where.
func serverFault(s component.Value) (why string, at component.Value) {
	if s.Kind() != '{' {
		return "is " + s.Found() + ", want an object", s
	}
	command, hasCommand := s.Get("command")
	link, hasURL := s.Get("url")
	switch {
	case hasCommand && command.Text() == "":
		return "has a \"command\" that is no text", command
	case hasURL && !hasCommand && link.Text() == "":
		return "has a \"url\" that is no text", link
	case !hasCommand && !hasURL:
		return "has neither a \"command\" nor a \"url\"", s
	}
	for _, m := range s.Members() {
		switch _, list := m.Texts(); m.Key {
		case "args":
			if !list {
				return "has \"args\" that are no list of strings", m.Value
			}
		case "env", "headers":
			if !m.TextMap() {
				return "has \"" + m.Key + "\" that is no object of strings", m.Value
			}
		}
	}
	return "", s
}

// loader is one reading of one plugin.
type loader struct {
	*component.Reader
	m *manifest.Manifest
}

// describe checks what the manifest says of the plugin as a whole.
func (l *loader) describe(root component.Value, own component.Fields, entry *manifest.Entry) {
	name, ok := own.Get("name")
	switch {
	case !ok:
		l.Report(root, ruleManifest.Report("the manifest has no \"name\""))
	case name.Text() == "":
		l.Report(name, ruleManifest.Report("\"name\" is no text or empty"))
	case nameFault(name.Text()) && agentskill.IsID(name.Text()): // any other is reported when it becomes the id
		l.Report(name, ruleName.Report("the name %q is not lower case letters, digits, dashes and dots", component.Clip(name.Text())))
	}
	l.Check(root, "", manifestShape(), component.ShapeRules{Type: ruleSchema, Missing: ruleSchema, Unknown: ruleSchema, Text: ruleSchema})
	version, _ := own.Get("version")
	l.Identify(l.m, component.Identity{
		Name: name, Version: version, Title: own.Text("displayName"), Description: own.Text("description"), License: own.Text("license"),
	}, entry, ruleName, ruleVersion)
	if v, ok := own.Get("variables"); ok {
		l.variables(v)
	}
}

// variables lists the values that the plugin asks its user for: the properties
// of a JSON Schema.
func (l *loader) variables(v component.Value) {
	list, _ := v.Get("required")
	required := map[string]bool{}
	for _, e := range list.Elements() {
		required[e.Text()] = true
	}
	properties, _ := v.Get("properties")
	for _, p := range properties.Members() {
		title, _ := p.Get("title")
		about, _ := p.Get("description")
		format, _ := p.Get("format")
		hidden, _ := p.Get("writeOnly")
		l.m.Settings = append(l.m.Settings, manifest.Setting{
			Key: p.Key, Label: title.Text(), Description: about.Text(),
			Secret: format.Text() == "password" || hidden.Kind() == 't', Required: required[p.Key],
		})
		l.Component(manifest.Component{Type: manifest.SettingComponent, Name: p.Key, Path: ManifestPath, Detail: title.Text()})
	}
}
