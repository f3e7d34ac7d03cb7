// Package agentskill reads packages that are one Agent Skill: a directory with
// SKILL.md at its top and no plugin manifest. It also reads the SKILL.md files
// inside packages of other formats ([Read]).
//
// The Agent Skills specification is strict; the hosts are not. More than half of
// the public skills break the specification somewhere and load everywhere, so
// nothing here is an error: what a host that reads by the letter would refuse is
// a warning, what only the specification dislikes is a note.
package agentskill

import (
	"cmp"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
	"pinion/tree"
)

// Format reads Agent Skill directories. It has no state and may be used by
// several goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "agent-skill".
func (*Format) Name() string { return "agent-skill" }

// Detect reports whether a directory with these top-level names, files and
// directories in order, is an Agent Skill.
func (*Format) Detect(top []string) bool {
	return slices.Contains(top, "SKILL.md") || slices.Contains(top, "skill.md")
}

// Lodges reports whether the skill makes a host start something: a package of
// another format is given to hosts as the skill too.
func (*Format) Lodges(t *tree.Tree) bool {
	f := t.Lookup("SKILL.md")
	if f == nil {
		f = t.Lookup("skill.md")
	}
	return f != nil && len(Starts(*f)) > 0
}

// Starts returns what a Markdown file of a skill, a command or an agent makes a
// host start.
func Starts(f tree.File) []manifest.Component {
	front, _ := Front(f.Path, f.Data)
	return slices.Concat(Hooks(f.Path, front), Servers(f.Path, front), Inline(f.Path, f.Data))
}

// Profile returns what may be in such a directory.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: KnownName}
}

// Load reads the skill in t. entry is what a catalog says of it, or nil. The ID
// is the entry's name or the skill's own; it is empty when neither can be a
// directory, and the caller then takes the directory's name.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	m := &manifest.Manifest{Format: f.Name(), Kind: manifest.Skill}
	var found problem.List
	file := t.Lookup("SKILL.md")
	if file == nil {
		if file = t.Lookup("skill.md"); file == nil {
			return m, problem.List{ruleMissing.Report("there is no SKILL.md").At("SKILL.md", 0, 0)}
		}
		found.Add(LowerCase(file.Path))
	}
	skill, probs := Read(file.Path, file.Data)
	found.Add(probs...)

	m.Path, m.Name, m.Description, m.License = file.Path, skill.Name, skill.Description, skill.License
	m.Version = skill.Version
	if IsID(skill.Name) {
		m.ID = skill.Name
	}
	if entry != nil {
		found.Add(applyEntry(m, entry, file.Path)...)
	}
	if m.License == "" {
		found.Add(LicenseMissing(file.Path))
	}
	m.Components = append(m.Components, skill.Component(cmp.Or(skill.Name, m.ID)))
	starts := slices.Concat(skill.Hooks, Inline(file.Path, file.Data), Programs(t))
	m.Components = append(m.Components, starts...)
	if len(starts) > 0 {
		m.Kind = manifest.Extension
	}
	return m, found
}

// applyEntry fills what the catalog says and the skill does not.
func applyEntry(m *manifest.Manifest, entry *manifest.Entry, path string) problem.List {
	var found problem.List
	if entry.Name != "" {
		if m.Name != "" && m.Name != entry.Name {
			found.Add(ruleDirectory.Report("the skill is named %q, but the catalog calls it %q", m.Name, entry.Name).At(path, 1, 1))
		}
		m.ID = entry.Name
	}
	if entry.Version != "" && m.Version == "" && manifest.ValidVersion(entry.Version) {
		m.Version = entry.Version
	}
	m.Description = cmp.Or(m.Description, entry.Description)
	m.License = cmp.Or(m.License, entry.License)
	return found
}

// CheckName reports a skill whose name is not that of its directory. Load
// does not know the directory, so whoever does calls this.
func (*Format) CheckName(m *manifest.Manifest, dir string) problem.List {
	if m.Name == "" || dir == "" || m.Name == dir {
		return nil
	}
	return problem.List{mismatch(m.Path, 1, 1, m.Name, dir)}
}

// Inline returns the shell lines that a host runs by itself when a command or
// skill is invoked, as hooks of that event.
func Inline(file string, data []byte) []manifest.Component {
	var out []manifest.Component
	for _, s := range syntax.BangCommands(data) {
		line := strings.TrimSpace(string(data[s.Start:s.End]))
		c := manifest.Component{Type: manifest.HookComponent, Name: "invoke", Path: file, Detail: strings.ToValidUTF8(line, "\ufffd")}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// Programs returns the executable files of t as components.
func Programs(t *tree.Tree) []manifest.Component {
	var out []manifest.Component
	for _, f := range t.Files {
		if f.Exec {
			out = append(out, manifest.Component{Type: manifest.ProgramComponent, Name: base(f.Path), Path: f.Path})
		}
	}
	return out
}
