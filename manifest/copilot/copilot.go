// Package copilot reads plugins of GitHub Copilot, as its command line and Visual
// Studio Code load them: a directory with .plugin/plugin.json, plugin.json or
// .github/plugin/plugin.json, and components at fixed places or where the manifest
// says.
//
// A plugin.json at the top that follows the Agent Plugins Specification is a
// package of that format, also in what it has for Copilot alone.
//
// Severity is what Copilot 1.0.102 does, found by installing plugins from a
// catalog and asking for its lists: it takes every plugin, also one whose manifest
// is no JSON, and leaves out what it cannot use. So what makes it lose the manifest
// is an error it tolerates, and everything else a warning. What it loads can be
// seen for skills, commands and MCP servers only; for hooks, agents and language
// servers the documentation counts.
package copilot

import (
	"slices"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentplugins"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
	"pinion/tree"
)

// topManifest is also the manifest of Agent Plugins.
const topManifest = "plugin.json"

// manifests are the places of the manifest, in the host's order.
func manifests() []string {
	return []string{".plugin/plugin.json", topManifest, ".github/plugin/plugin.json"}
}

// Format reads Copilot plugins. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "copilot".
func (*Format) Name() string { return "copilot" }

// Detect reports whether a directory with these top-level names, files and
// directories, may be a Copilot plugin.
func (*Format) Detect(top []string) bool {
	return slices.ContainsFunc(top, func(name string) bool {
		switch name {
		case topManifest, ".plugin", ".plugin/", ".github", ".github/":
			return true
		}
		return false
	})
}

// Recognize reports whether there is a manifest of this format.
func (*Format) Recognize(read func(path string) ([]byte, bool)) bool {
	return find(read) != ""
}

// Lodges reports whether Copilot finds something to run in a package that has
// none of its manifests: it reads these files all the same (1.0.102).
func (*Format) Lodges(t *tree.Tree) bool {
	return slices.ContainsFunc(slices.Concat(hooksFiles()[:1], serverFiles()[1:], lspFiles()), func(p string) bool {
		return t.Lookup(p) != nil
	})
}

// find returns the first manifest, "" when there is none.
func find(read func(path string) ([]byte, bool)) string {
	for _, p := range manifests() {
		data, ok := read(p)
		if ok && (p != topManifest || isOwn(data)) {
			return p
		}
	}
	return ""
}

// isOwn reports whether a plugin.json at the top may be a manifest of this host.
// Other tools have files of this name: one that can be read has to have a name, or
// something that this host starts.
func isOwn(data []byte) bool {
	if agentplugins.IsManifest(data) {
		return false
	}
	var o syntax.Object
	if found := syntax.Decode(data, &o, syntax.Options{AllowDuplicates: true, AllowBOM: true}); found.HasErrors() {
		return true
	}
	for _, key := range []string{"hooks", "mcpServers", "lspServers"} {
		if _, ok := o.Get(key); ok {
			return true
		}
	}
	name, ok := o.Get("name")
	_, grafana := o.Get("type") // plugins of other programs say what they are
	return ok && name.Kind() == '"' && !grafana
}

// Profile returns what may be in such a package.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}
}

// Expresses reports whether Copilot loads components of a type from a plugin.
func (*Format) Expresses(t manifest.ComponentType) bool {
	switch t {
	case manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent,
		manifest.HookComponent, manifest.ServerComponent, manifest.LSPComponent:
		return true
	}
	return false
}

// Load reads the plugin in t. entry is what a catalog says of it, or nil. The ID
// is the entry's name, else the manifest's.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	path := find(func(p string) ([]byte, bool) {
		if file := t.Lookup(p); file != nil {
			return file.Data, true
		}
		return nil, false
	})
	l := &loader{
		Reader: component.New(t, host(path)), entry: entry, path: path,
		m: &manifest.Manifest{Format: f.Name(), Path: path},
	}
	own := l.ownManifest()
	name, version := l.named(own)
	l.Identify(l.m, component.Identity{
		Name: name, Version: version,
		Description: own.Text("description"), License: own.Text("license"),
	}, entry, ruleName, ruleVersion)
	l.ID = l.m.ID
	l.skills(own)
	l.commands(own)
	l.agents(own)
	l.servers(own)
	l.hooks(own)
	l.lsp(own)
	l.Executables("")
	return l.m, l.Finish(l.m)
}

// loader is one reading of one package.
type loader struct {
	*component.Reader
	entry *manifest.Entry
	m     *manifest.Manifest
	path  string // of the manifest, "" when there is none
}

// host is how Copilot calls things.
func host(path string) *component.Host {
	rules := component.Shared()
	rules.Path, rules.MissingPath, rules.Server = rulePath, ruleMissingPath, ruleServer
	rules.AgentKey = problem.Rule{} // its agents may
	return &component.Host{
		Manifest: path, Rules: rules, Server: serverFault, ServerFate: "the host loads no server of the file",
		Roots: []string{"${PLUGIN_ROOT}", "${COPILOT_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT"},
		Paths: component.PathForm{Bare: true},
	}
}

// ownManifest reads the manifest. Copilot 1.0.102 installs a plugin whose manifest
// is no JSON, begins with a byte order mark or is no object, and goes by the fixed
// places then.
func (l *loader) ownManifest() component.Fields {
	if l.path == "" {
		return component.Fields{}
	}
	before := len(l.Found)
	root, ok := l.JSON(l.path, manifest.HookComponent, syntax.Options{AllowDuplicates: true})
	for i := range l.Found[before:] {
		l.Found[before+i].Tolerated = true
	}
	if !ok {
		return component.Fields{}
	}
	if root.Kind() != '{' {
		l.Report(root, ruleType.Report("the manifest is %s, want an object; Copilot goes on without it", root.Found()))
		return component.Fields{}
	}
	own := component.Fields{List: root.Members()}
	l.manifestFields(root, own)
	return own
}
