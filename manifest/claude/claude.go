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
	"pinion/problem"
	"pinion/tree"
)

// ManifestPath is where a plugin's own description is.
const ManifestPath = ".claude-plugin/plugin.json"

// maxFile is the largest JSON file that is read, in bytes. Real ones stay below
// 100 KiB; findings are located by reading the file again, so size is time.
const maxFile = 1 << 20

// maxFindings bounds what one package can make Pinion print.
const maxFindings = 300

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

// Profile returns what may be in such a package.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}
}

// Load reads the plugin in t. entry is what a catalog says of it, or nil. The ID
// is the entry's name, else the manifest's; it is empty when neither gives one,
// and the caller then takes the directory's name. Findings in the entry's fields
// have no file.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{
		t: t, entry: entry,
		m:    &manifest.Manifest{Format: f.Name(), Kind: manifest.Skill},
		seen: map[manifest.Component]bool{}, skills: map[string]agentskill.Skill{},
	}
	own := l.ownManifest()
	fromEntry := l.entryFields()
	l.conflict(fromEntry)
	l.identity(own)

	l.defaults(own, fromEntry)
	l.components(own)
	l.components(fromEntry)
	l.programs()
	l.misplaced()

	if l.m.License == "" {
		l.add(agentskill.LicenseMissing(l.anyFile()))
	}
	l.m.Kind = l.kind()
	return l.m, l.found
}

// loader is one reading of one package.
type loader struct {
	t      *tree.Tree
	entry  *manifest.Entry
	m      *manifest.Manifest
	found  problem.List
	seen   map[manifest.Component]bool
	skills map[string]agentskill.Skill // by path
}

// fields are the members of a plugin.json, or the component fields of an entry.
type fields struct {
	entry bool
	list  []member
}

func (f fields) get(key string) (value, bool) {
	for _, m := range f.list {
		if m.key == key {
			return m.value, true
		}
	}
	return value{}, false
}

func (f fields) has(key string) bool {
	_, ok := f.get(key)
	return ok
}

// ownManifest reads plugin.json when there is one.
func (l *loader) ownManifest() fields {
	file := l.t.Lookup(ManifestPath)
	if file == nil {
		return fields{}
	}
	l.m.Path = ManifestPath
	root, ok := l.json(ManifestPath, syntax.Options{
		AllowDuplicates: true, AllowBOM: true,
		Severity: map[string]problem.Severity{"json/encoding": problem.Warning},
	})
	if !ok {
		return fields{}
	}
	if root.kind() != '{' {
		l.report(root, ruleType.Report("the manifest is %s, want an object", root.found()))
		return fields{}
	}
	own := fields{list: root.members()}
	l.manifestFields(root, own)
	return own
}

// entryFields returns the component fields of the catalog entry in a fixed order.
func (l *loader) entryFields() fields {
	f := fields{entry: true}
	if l.entry == nil {
		return f
	}
	d := &document{entry: true}
	for _, name := range EntryFields() {
		if raw, ok := l.entry.Fields[name]; ok {
			f.list = append(f.list, member{name, value{doc: d, ptr: syntax.Pointer(name), raw: raw}})
		}
	}
	return f
}

// conflict reports a plugin that is defined twice: the host refuses it when the
// entry claims to be the whole definition, names components, and there is a
// manifest too.
func (l *loader) conflict(fromEntry fields) {
	if l.entry == nil || l.entry.Strict || l.m.Path == "" {
		return
	}
	for _, key := range []string{"commands", "agents", "skills", "hooks", "outputStyles", "themes"} {
		if fromEntry.has(key) {
			l.add(ruleConflict.Report("the catalog entry has strict: false and %q, but the package has a plugin.json too", key).
				At(ManifestPath, 1, 1))
			return
		}
	}
}

// identity settles id, name, version and description from manifest and entry.
func (l *loader) identity(own fields) {
	name, hasName := own.get("name")
	l.m.ID = name.text()
	l.m.Name = cmp.Or(textOf(own, "displayName"), name.text())
	l.m.Description = textOf(own, "description")
	l.m.License = textOf(own, "license")
	version, hasVersion := own.get("version")
	stated := version.text()

	if e := l.entry; e != nil {
		if hasName && e.Name != "" && name.text() != e.Name && name.kind() == '"' {
			l.report(name, ruleNameMismatch.Report("the manifest calls the plugin %q, the catalog %q", clip(name.text()), clip(e.Name)))
		}
		if hasVersion && e.Version != "" && stated != "" && e.Version != stated {
			l.report(version, ruleVersionDrift.Report("the manifest has version %q, the catalog entry %q; the manifest's counts", clip(stated), clip(e.Version)))
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
	case stated != "" && stated == version.text():
		l.report(version, ruleVersion.Report("version %q is not a semantic version", clip(stated)))
	}
	switch {
	case l.m.ID == "" || agentskill.IsID(l.m.ID):
	case l.entry != nil && l.entry.Name != "":
		l.add(ruleName.Report("catalog entry: the name %q cannot be a directory", clip(l.m.ID)))
		l.m.ID = ""
	default:
		if hostAcceptsName(l.m.ID) {
			l.report(name, ruleName.Report("the name %q cannot be a directory on every system", clip(l.m.ID)))
		}
		l.m.ID = ""
	}
}

// kind follows what the components can do: anything that runs by itself makes an
// extension, MCP servers alone an mcp package.
func (l *loader) kind() manifest.Kind {
	kind := manifest.Skill
	for _, c := range l.m.Components {
		switch c.Type {
		case manifest.HookComponent, manifest.LSPComponent, manifest.MonitorComponent, manifest.ProgramComponent:
			return manifest.Extension
		case manifest.ServerComponent:
			kind = manifest.MCP
		}
	}
	return kind
}

// component lists c once.
func (l *loader) component(c manifest.Component) {
	if !l.seen[c] {
		l.seen[c] = true
		l.m.Components = append(l.m.Components, c)
	}
}

// programs lists what lies on the agent's PATH and every executable file.
func (l *loader) programs() {
	for _, f := range l.t.Files {
		if f.Exec || strings.HasPrefix(f.Path, "bin/") {
			l.component(manifest.Component{Type: manifest.ProgramComponent, Name: base(f.Path), Path: f.Path})
		}
	}
}

// anyFile is where a finding about the whole package is shown.
func (l *loader) anyFile() string {
	if l.m.Path != "" {
		return l.m.Path
	}
	for _, c := range l.m.Components {
		if c.Path != "" {
			return c.Path
		}
	}
	if len(l.t.Files) > 0 {
		return l.t.Files[0].Path
	}
	return ManifestPath
}

func (l *loader) add(p problem.Problem) {
	if len(l.found) < maxFindings {
		l.found.Add(p)
	}
}

// addAll adds findings of another reader about one file.
func (l *loader) addAll(list problem.List) {
	for _, p := range list {
		l.add(p)
	}
}
