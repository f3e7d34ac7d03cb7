// Package gemini reads Gemini CLI extensions: a directory with
// gemini-extension.json, and commands, hooks, skills, agents and policies at
// fixed places.
//
// Severity is what Gemini CLI 0.61.0 does, found by trying it: what `gemini
// extensions validate` or the installation refuses, and what breaks the program
// for the user afterwards, is an error; what it loads the extension without is
// an error that the extension survives where its validator says so, else a
// warning. What it loads is never an error.
package gemini

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

// ManifestPath is the file that describes an extension.
const ManifestPath = "gemini-extension.json"

// Format reads Gemini CLI extensions. It has no state and may be used by several
// goroutines.
type Format struct{}

// New returns the format.
func New() *Format { return &Format{} }

// Name returns "gemini".
func (*Format) Name() string { return "gemini" }

// Detect reports whether a directory with these top-level names is an extension.
func (*Format) Detect(top []string) bool {
	return slices.Contains(top, ManifestPath)
}

// Recognize reports whether the manifest is there.
func (*Format) Recognize(read func(path string) ([]byte, bool)) bool {
	_, ok := read(ManifestPath)
	return ok
}

// Profile returns what may be in such a package.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Foreign(), Known: known}
}

// known reports whether a path with a hidden component belongs to an extension.
func known(p string) bool { return p == ".geminiignore" || agentskill.KnownName(p) }

// Expresses reports whether extensions have components of this type.
func (*Format) Expresses(t manifest.ComponentType) bool {
	switch t {
	case manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent, manifest.HookComponent, manifest.ServerComponent:
		return true
	}
	return false
}

// Load reads the extension in t. entry is what a catalog says of it, or nil.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	l := &loader{Reader: component.New(t, host()), m: &manifest.Manifest{Format: f.Name(), Path: ManifestPath}}
	root, ok := l.JSON(ManifestPath, manifest.HookComponent, syntax.Options{AllowDuplicates: true})
	switch {
	case t.Lookup(ManifestPath) == nil:
		l.Add(ruleManifest.Report("there is no %s", ManifestPath).At(ManifestPath, 1, 1))
	case ok && root.Kind() != '{':
		l.Report(root, ruleManifest.Report("the manifest is %s, want an object", root.Found()))
	case ok:
		l.describe(root, entry)
		l.fields(root)
	}
	if !ok || root.Kind() != '{' {
		root = component.Value{}
	}
	l.context(root)
	l.skills()
	l.commands()
	l.agents()
	if t.Lookup(hooksPath) != nil {
		l.HooksFile(hooksPath)
	}
	l.policies()
	l.Executables("")
	return l.m, l.Finish(l.m)
}

// hooksPath is the one file of hooks.
const hooksPath = "hooks/hooks.json"

// host is how Gemini CLI calls things.
func host() *component.Host {
	return &component.Host{
		Manifest: ManifestPath, Rules: component.Shared(), AutoHooks: hooksPath, Events: events(),
		Handler: handlerFault, Server: serverFault, Roots: []string{"${extensionPath}"},
	}
}

// events are the names of gemini-cli 0.61.0, HookEventName; case counts.
func events() []string {
	return []string{
		"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "Notification", "SessionStart", "SessionEnd",
		"PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection",
	}
}

// handlerFault returns what makes the host discard a hook, and where.
func handlerFault(h component.Value) (why string, at component.Value) {
	if h.Kind() != '{' {
		return "is " + h.Found() + ", want an object", h
	}
	typ, ok := h.Get("type")
	command, _ := h.Get("command")
	name, _ := h.Get("name")
	switch {
	case !ok:
		return "has no \"type\"", h
	case typ.Text() == "command" && command.Text() == "":
		return "of type command needs the text \"command\"", h
	case typ.Text() == "runtime" && name.Text() == "":
		return "of type runtime needs a \"name\"", h
	case typ.Text() != "command" && typ.Text() != "runtime" && typ.Text() != "plugin":
		return "has a \"type\" other than command", typ
	}
	return "", h
}

// serverFault returns what keeps the host from connecting to a server, and where.
func serverFault(s component.Value) (why string, at component.Value) {
	if s.Kind() == 'n' {
		return "", s // reported where it makes the installation fail
	}
	if s.Kind() != '{' {
		return "is " + s.Found() + ", want an object", s
	}
	reach := false
	for _, key := range []string{"httpUrl", "url", "command"} {
		v, ok := s.Get(key)
		if ok && v.Text() == "" {
			return "has \"" + key + "\" that is no text", v
		}
		reach = reach || ok
	}
	if !reach {
		return "has none of \"command\", \"url\" and \"httpUrl\"", s
	}
	for _, m := range s.Members() {
		switch _, list := m.Texts(); m.Key {
		case "args", "includeTools", "excludeTools":
			if !list {
				return "has \"" + m.Key + "\" that is no list of strings", m.Value
			}
		case "env", "headers":
			if !m.TextMap() {
				return "has \"" + m.Key + "\" that is no object of strings", m.Value
			}
		}
	}
	return "", s
}

// loader is one reading of one extension.
type loader struct {
	*component.Reader
	m *manifest.Manifest
}

// describe checks the name and the version, without which there is no extension.
func (l *loader) describe(root component.Value, entry *manifest.Entry) {
	name, _ := root.Get("name")
	version, _ := root.Get("version")
	switch {
	case falsy(name):
		l.Report(root, ruleManifest.Report("the manifest has no \"name\""))
	case name.Kind() != '"' || !isName(name.Text()):
		l.Report(name, ruleName.Report("the name is not letters, digits and dashes alone"))
		if !agentskill.IsID(name.Text()) {
			name = component.Value{} // said once
		}
	}
	switch {
	case falsy(version):
		l.Report(root, ruleManifest.Report("the manifest has no \"version\""))
	case version.Kind() != '"':
		l.Report(version, ruleVersion.Report("\"version\" is %s, want a string", version.Found()))
	}
	description, _ := root.Get("description")
	license, _ := root.Get("license")
	l.Identify(l.m, component.Identity{
		Name: name, Version: version, Description: description.Text(), License: license.Text(),
	}, entry, ruleName, ruleVersion)
	l.ID = l.m.ID
}

// isName reports whether the host takes a name.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}

// falsy reports whether a value counts as none in JavaScript: missing, null,
// false, zero or empty text.
func falsy(v component.Value) bool {
	switch v.Kind() {
	case '"':
		return v.Text() == ""
	case '0':
		return !v.Positive() && !strings.HasPrefix(v.Raw(), "-")
	}
	return v.Kind() == 0 || v.Kind() == 'n' || v.Kind() == 'f'
}
