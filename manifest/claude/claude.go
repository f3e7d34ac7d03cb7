// Package claude reads Claude Code plugins: a directory with an optional
// .claude-plugin/plugin.json and components at fixed places, or defined by the
// catalog entry alone.
//
// Severity is what Claude Code 2.1.332 does with the file, found by trying it:
// what keeps the plugin, or a component that the host reports as failed, from
// loading is an error; what the host drops or ignores, what its validator warns
// about and what another host refuses is a warning; the rest is a note. What
// the host loads is never an error. Where only a component fails and the host
// loads the others, the error is tolerated: it does not keep the plugin from
// being installed.
//
// The list of components is everything that any host could start, so it has
// more than Claude Code runs when the package declares things it ignores.
package claude

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

// ManifestPath is where a plugin's own description is.
const ManifestPath = ".claude-plugin/plugin.json"

// Format reads Claude Code plugins. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "claude".
func (*Format) Name() string { return "claude" }

// Detect reports whether a directory with these top-level names, files and
// directories, is a plugin without the help of a catalog entry.
func (*Format) Detect(top []string) bool {
	layout := false
	for _, name := range top {
		switch strings.TrimSuffix(name, "/") {
		case ".claude-plugin":
			return true
		case "skills", "commands", "agents", "hooks", "output-styles", "workflows", "themes", "monitors", ".mcp.json", ".lsp.json":
			layout = true
		}
	}
	// A lone skill may have directories of these names for its own use.
	return layout && !slices.Contains(top, "SKILL.md") && !slices.Contains(top, "skill.md")
}

// Lodges reports whether Claude Code finds something to start in a directory that
// is no plugin by its names: it loads any directory that a catalog names, also
// that of a lone skill.
func (*Format) Lodges(t *tree.Tree) bool {
	for _, p := range [...]string{"hooks/hooks.json", ".mcp.json", ".lsp.json", "monitors/monitors.json", "settings.json"} {
		if t.Lookup(p) != nil {
			return true
		}
	}
	for _, dir := range [...]string{"commands", "agents", "skills", "output-styles"} {
		for _, f := range t.Under(dir) {
			if strings.HasSuffix(f.Path, ".md") && len(agentskill.Starts(f)) > 0 {
				return true
			}
		}
	}
	return false
}

// Profile returns what may be in such a package.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}
}

// Load reads the plugin in t. entry is what a catalog says of it, or nil. The ID
// is the entry's name, else the manifest's; it is empty when neither gives one,
// and the caller then takes the directory's name. Findings in the entry's fields
// have no file.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{Reader: component.New(t, host()), entry: entry, m: &manifest.Manifest{Format: f.Name()}}
	own := l.ownManifest()
	fromEntry := l.entryFields()
	l.conflict(fromEntry)
	l.identity(own)
	l.ID = l.m.ID

	l.defaults(own, fromEntry)
	l.components(own)
	l.components(fromEntry)
	l.Executables("bin/")
	l.misplaced()

	if l.m.License == "" {
		l.Add(agentskill.LicenseMissing(l.AnyFile()))
	}
	l.m.Components, l.m.Kind = l.Components, component.Kind(l.Components)
	return l.m, l.Found
}

// loader is one reading of one package.
type loader struct {
	*component.Reader
	entry *manifest.Entry
	m     *manifest.Manifest
}

// host is how Claude Code calls things.
func host() *component.Host {
	return &component.Host{
		Manifest: ManifestPath, AutoHooks: "hooks/hooks.json", Events: events(), Gates: gates(),
		HooksKeys: []string{"hooks", "modules", "description", "$schema"}, HooksKeyFate: "the desktop app hides a plugin that has it",
		Roots: []string{"${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT"},
		Rules: component.Ruleset{
			Type: ruleType, TooLarge: ruleTooLarge, Path: rulePath, MissingPath: ruleMissingPath, NoSkill: ruleNoSkill,
			Hooks: ruleHooks, DuplicateHooks: ruleDuplicateHooks, HooksKey: ruleHooksKey, Event: ruleEvent, Hook: ruleHook,
			Program: ruleProgram, Server: ruleServer, LSP: ruleLSP, AgentKey: ruleAgentKey,
		},
	}
}

// ownManifest reads plugin.json when there is one.
func (l *loader) ownManifest() component.Fields {
	file := l.Tree.Lookup(ManifestPath)
	if file == nil {
		return component.Fields{}
	}
	l.m.Path = ManifestPath
	root, ok := l.JSON(ManifestPath, manifest.HookComponent, syntax.Options{
		AllowDuplicates: true, AllowBOM: true,
		Severity: map[string]problem.Severity{"json/encoding": problem.Warning},
	})
	if !ok {
		return component.Fields{}
	}
	if root.Kind() != '{' {
		l.Report(root, ruleType.Report("the manifest is %s, want an object", root.Found()))
		return component.Fields{}
	}
	own := component.Fields{List: root.Members()}
	l.manifestFields(root, own)
	return own
}

// entryFields returns the component fields of the catalog entry in a fixed order.
func (l *loader) entryFields() component.Fields {
	if l.entry == nil {
		return component.Fields{Entry: true}
	}
	return component.EntryFields(l.entry.Fields, EntryFields())
}

// conflict reports a plugin that is defined twice: the host refuses it when the
// entry claims to be the whole definition, names components, and there is a
// manifest too.
func (l *loader) conflict(fromEntry component.Fields) {
	if l.entry == nil || l.entry.Strict || l.m.Path == "" {
		return
	}
	for _, key := range []string{"commands", "agents", "skills", "hooks", "outputStyles", "themes"} {
		if fromEntry.Has(key) {
			l.Add(ruleConflict.Report("the catalog entry has strict: false and %q, but the package has a plugin.json too", key).
				At(ManifestPath, 1, 1))
			return
		}
	}
}

// identity settles id, name, version and description from manifest and entry.
func (l *loader) identity(own component.Fields) {
	name, hasName := own.Get("name")
	l.m.ID = name.Text()
	l.m.Name = cmp.Or(own.Text("displayName"), name.Text())
	l.m.Description = own.Text("description")
	l.m.License = own.Text("license")
	version, hasVersion := own.Get("version")
	stated := version.Text()

	if e := l.entry; e != nil {
		if hasName && e.Name != "" && name.Text() != e.Name && name.Kind() == '"' {
			l.Report(name, ruleNameMismatch.Report("the manifest calls the plugin %q, the catalog %q", component.Clip(name.Text()), component.Clip(e.Name)))
		}
		if hasVersion && e.Version != "" && stated != "" && e.Version != stated {
			l.Report(version, ruleVersionDrift.Report("the manifest has version %q, the catalog entry %q; the manifest's counts", component.Clip(stated), component.Clip(e.Version)))
		}
		l.m.ID = cmp.Or(e.Name, l.m.ID)
		l.m.Name = cmp.Or(l.m.Name, e.Name)
		l.m.Description = cmp.Or(l.m.Description, e.Description)
		l.m.License = cmp.Or(l.m.License, e.License)
		stated = cmp.Or(stated, e.Version)
	}
	switch {
	case manifest.ValidVersion(stated):
		l.m.Version = stated
	case stated != "" && stated == version.Text():
		l.Report(version, ruleVersion.Report("version %q is not a semantic version", component.Clip(stated)))
	}
	switch {
	case l.m.ID == "" || agentskill.IsID(l.m.ID):
	case l.entry != nil && l.entry.Name != "":
		l.Add(ruleName.Report("catalog entry: the name %q cannot be a directory", component.Clip(l.m.ID)))
		l.m.ID = ""
	default:
		if hostAcceptsName(l.m.ID) {
			l.Report(name, ruleName.Report("the name %q cannot be a directory on every system", component.Clip(l.m.ID)))
		}
		l.m.ID = ""
	}
}
