// Package agentplugins reads plugins of the Agent Plugins Specification 1.0.0:
// a plugin.json at the top whose $schema names the specification, skills in
// skills/, servers in mcp.json, and directories of single clients.
//
// Severity is what the specification tells clients to do: what makes them reject
// the plugin is an error, what makes them leave out all servers an error that
// the plugin survives, what they skip or ignore a warning. A version that is not
// 1.0.0 is refused, never guessed. Schemas are not fetched.
//
// What a client does with its own directory is not the specification's. What
// looks like a component there is listed, so that it is seen before it runs.
package agentplugins

import (
	"cmp"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
	"pinion/tree"
)

// ManifestPath is the manifest, and mcpPath the file of servers.
const (
	ManifestPath = "plugin.json"
	mcpPath      = "mcp.json"
)

// The identifiers of the schemas of version 1.0.0, and what those of every
// version begin with.
const (
	namespace    = "https://agent-plugins.org/"
	pluginSchema = namespace + "schemas/1.0.0/plugin.schema.json"
	mcpSchema    = namespace + "schemas/1.0.0/mcp.schema.json"
)

// Format reads Agent Plugins. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "agent-plugins".
func (*Format) Name() string { return "agent-plugins" }

// Detect reports whether a directory with these top-level names may be a plugin;
// [Format.Recognize] says whether it is.
func (*Format) Detect(top []string) bool {
	return slices.Contains(top, ManifestPath)
}

// Recognize reports whether the plugin.json that read returns claims to follow
// the specification, in whatever version. Copilot has a file of this name too.
func (*Format) Recognize(read func(path string) ([]byte, bool)) bool {
	data, _ := read(ManifestPath)
	return IsManifest(data)
}

// IsManifest reports whether a plugin.json claims to follow the specification,
// by the namespace of its $schema.
func IsManifest(data []byte) bool {
	var head struct {
		Schema syntax.Raw `json:"$schema"`
	}
	_ = syntax.Decode(data, &head, syntax.Options{AllowDuplicates: true, AllowBOM: true})
	var text string
	_ = syntax.Decode(head.Schema, &text, syntax.Options{})
	return strings.HasPrefix(text, namespace)
}

// Profile returns what may be in such a package.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}
}

// Expresses reports whether plugins have components of this type.
func (*Format) Expresses(t manifest.ComponentType) bool {
	return t == manifest.SkillComponent || t == manifest.ServerComponent
}

// Load reads the plugin in t. entry is what a catalog says of it, or nil.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{
		Reader: component.New(t, &component.Host{
			Manifest: ManifestPath, Rules: component.Shared(), Roots: []string{"${PLUGIN_ROOT}"},
		}),
		m: &manifest.Manifest{Format: f.Name(), Path: ManifestPath},
	}
	root, ok := l.JSON(ManifestPath, manifest.HookComponent, syntax.Options{AllowDuplicates: true})
	if t.Lookup(ManifestPath) == nil {
		l.Add(ruleManifest.Report("there is no %s", ManifestPath).At(ManifestPath, 1, 1))
	}
	if ok {
		l.manifest(root, entry)
	}
	l.ID = l.m.ID
	l.skills()
	l.servers()
	l.clients(root)
	l.Executables("")
	return l.m, l.Finish(l.m)
}

// loader is one reading of one plugin.
type loader struct {
	*component.Reader
	m *manifest.Manifest
}

func (l *loader) manifest(root component.Value, entry *manifest.Entry) {
	if root.Kind() != '{' {
		l.Report(root, ruleManifest.Report("the manifest is %s, want an object", root.Found()))
		return
	}
	schema, stated := root.Get("$schema")
	switch {
	case !stated:
		l.Report(root, ruleVersion.Report("the manifest has no \"$schema\"").WithFix("add \"$schema\": %q", pluginSchema))
	case schema.Text() != pluginSchema:
		l.Report(schema, ruleVersion.Report("the manifest is not of version 1.0.0 of the specification: %q", component.Clip(schema.Text())).
			WithFix("write \"$schema\": %q", pluginSchema))
	}
	l.Check(root, "", manifestShape(), component.ShapeRules{Type: ruleManifest, Missing: ruleManifest, Unknown: ruleManifest, Text: ruleName})
	known := fieldNames()
	for _, m := range root.Members() {
		if known[m.Key] {
			continue
		}
		l.ReportKey(m.Value, ruleUnknown.Report("unknown field %q; clients ignore it", component.Clip(m.Key)))
	}
	if ext, ok := root.Get("extensions"); ok {
		l.extensions(ext)
	}
	name, _ := root.Get("name")
	version, _ := root.Get("version")
	description, _ := root.Get("description")
	license, _ := root.Get("license")
	title, _ := root.Get("displayName") // of the drafts before 1.0.0; clients ignore it
	called := cmp.Or(title.Text(), name.Text())
	if nameFault(name.Text()) != "" && !agentskill.IsID(name.Text()) {
		name = component.Value{} // reported before
	}
	l.Identify(l.m, component.Identity{
		Name: name, Version: version, Title: called, Description: description.Text(), License: license.Text(),
	}, entry, ruleName, ruleSemver)
}

// extensions checks the data of single clients.
func (l *loader) extensions(ext component.Value) {
	if ext.Kind() != '{' {
		l.Report(ext, ruleUnknown.Report("\"extensions\" is %s, want an object; clients ignore it", ext.Found()))
		return
	}
	for _, m := range ext.Members() {
		switch {
		case m.Kind() != '{':
			l.Report(m.Value, ruleManifest.Report("the data of %q is %s, want an object", component.Clip(m.Key), m.Found()))
		case !isNamespace(m.Key):
			l.ReportKey(m.Value, ruleNamespace.Report("%q is not a namespace of a client, such as com.example.client", component.Clip(m.Key)))
		}
	}
}

// skills lists the skills that lie directly below skills/.
func (l *loader) skills() {
	if l.Tree.Lookup("skills") != nil {
		l.Add(rulePlace.Report("\"skills\" is a file; clients look for a directory").At("skills", 1, 1).As(problem.Warning))
	}
	for _, f := range l.Tree.Under("skills") {
		dir, name, nested := strings.Cut(strings.TrimPrefix(f.Path, "skills/"), "/")
		switch {
		case nested && name == "SKILL.md":
			l.Skill(f.Path, dir)
		case nested && name == "skill.md":
			l.Skill(f.Path, dir) // another client may take it
			l.Add(agentskill.LowerCase(f.Path))
		case component.Base(f.Path) == "SKILL.md":
			l.Add(rulePlace.Report("clients look for SKILL.md only in the directories directly below skills/").At(f.Path, 1, 1))
		}
	}
}
