// Package codex reads plugins of OpenAI Codex: a directory with
// .codex-plugin/plugin.json, and skills, hooks, MCP servers and app connectors at
// fixed places or where the manifest says.
//
// Severity is what Codex 0.171.0 does, found by installing plugins and asking its
// app server what it loaded: what it refuses to install is an error; a hooks file
// that it cannot read is an error it tolerates; what it ignores or drops with no
// more than a line in its log is a warning.
//
// That Codex also reads the manifests of Claude Code and of Agent Plugins when
// there is none of its own is no part of this format: those directories are
// packages of those formats.
package codex

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
	"pinion/tree"
)

// ManifestPath is where a plugin's own description is.
const ManifestPath = ".codex-plugin/plugin.json"

// Format reads Codex plugins. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "codex".
func (*Format) Name() string { return "codex" }

// Detect reports whether a directory with these top-level names, files and
// directories, may be a Codex plugin.
func (*Format) Detect(top []string) bool {
	return slices.Contains(top, ".codex-plugin") || slices.Contains(top, ".codex-plugin/")
}

// Recognize reports whether the manifest is there.
func (*Format) Recognize(read func(path string) ([]byte, bool)) bool {
	_, ok := read(ManifestPath)
	return ok
}

// Profile returns what may be in such a package.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}
}

// Expresses reports whether Codex loads components of a type from a plugin.
func (*Format) Expresses(t manifest.ComponentType) bool {
	switch t {
	case manifest.SkillComponent, manifest.HookComponent, manifest.ServerComponent:
		return true
	}
	return false
}

// Load reads the plugin in t. entry is what a catalog says of it, or nil. The ID
// is the entry's name, else the manifest's.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{
		Reader: component.New(t, host()), entry: entry,
		m: &manifest.Manifest{Format: f.Name(), Path: ManifestPath},
	}
	own := l.ownManifest()
	l.Identify(l.m, component.Identity{
		Name: stated(own, "name"), Version: l.versionOf(own),
		Title: displayName(own), Description: own.Text("description"), License: own.Text("license"),
	}, entry, ruleName, ruleVersion)
	l.ID = l.m.ID
	l.skills(own)
	l.servers(own)
	l.hooks(own)
	l.apps(own)
	l.Executables("")
	return l.m, l.Finish(l.m)
}

// loader is one reading of one package.
type loader struct {
	*component.Reader
	entry *manifest.Entry
	m     *manifest.Manifest
}

// host is how Codex calls things.
func host() *component.Host {
	rules := component.Shared()
	rules.Path, rules.MissingPath, rules.Hooks, rules.HooksKey, rules.Hook = rulePath, ruleMissingPath, ruleHooks, ruleHooksKey, ruleHook
	return &component.Host{
		Manifest: ManifestPath, Rules: rules, Events: events(),
		StrictHooks: true, HooksKeys: []string{"hooks", "description"}, HooksKeyFate: "Codex loads no hook of the file",
		Handler: handlerFault, Server: serverFault,
		Roots: []string{"${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT", "${PLUGIN_ROOT}", "$PLUGIN_ROOT"},
		Paths: component.PathForm{NoRoot: true, NoDots: true},
	}
}

// stated returns a field that is text and not blank, else the zero Value.
func stated(own component.Fields, key string) component.Value {
	if v := field(own, key); strings.TrimSpace(v.Text()) != "" {
		return v
	}
	return component.Value{}
}

// versionOf returns the version, when Codex takes it.
func (l *loader) versionOf(own component.Fields) component.Value {
	if v := stated(own, "version"); isVersion(v.Text()) {
		return v
	}
	return component.Value{}
}

// field returns a field of the manifest, the zero Value when there is none.
func field(own component.Fields, key string) component.Value {
	v, _ := own.Get(key)
	return v
}

func displayName(own component.Fields) string {
	name, _ := field(own, "interface").Get("displayName")
	return name.Text()
}

// ownManifest reads plugin.json.
func (l *loader) ownManifest() component.Fields {
	if file := l.Tree.Lookup(ManifestPath); file != nil && file.Link != "" {
		// Codex 0.171.0 copies regular files only, so that the installed plugin has
		// no manifest. Pinion installs the file itself.
		l.Add(ruleLink.Report("the manifest is a link to %q", component.Clip(file.Link)).At(ManifestPath, 1, 1).Survived())
	}
	// A byte order mark, a duplicate key and a trailing comma each make Codex
	// 0.171.0 say "failed to parse plugin.json".
	root, ok := l.JSON(ManifestPath, manifest.HookComponent, syntax.Options{})
	if !ok {
		return component.Fields{}
	}
	if root.Kind() != '{' {
		p := ruleType.Report("the manifest is %s, want an object", root.Found())
		if root.Kind() == '[' {
			p = p.As(problem.Warning) // 0.171.0 takes a list for fields in order, none of them here
		}
		l.Report(root, p)
		return component.Fields{}
	}
	own := component.Fields{List: root.Members()}
	l.manifestFields(root, own)
	return own
}
