package gemini

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/component"
	"pinion/problem"
)

// knownFields are the fields of the manifest that the host reads.
func knownFields() []string {
	return []string{
		"name", "version", "description", "mcpServers", "contextFileName", "excludeTools", "settings", "themes", "plan", "migratedTo",
		"$schema", "license",
	}
}

// fields reads what the manifest adds to the host.
func (l *loader) fields(root component.Value) {
	for _, m := range root.Members() {
		switch m.Key {
		case "mcpServers":
			l.servers(m.Value)
		case "excludeTools":
			l.excludeTools(m.Value)
		case "settings":
			l.settings(m.Value)
		case "themes":
			l.themes(m.Value)
		case "plan":
			l.plan(m.Value)
		case "migratedTo":
			l.migrated(m.Value)
		case "description":
			if m.Kind() != '"' {
				l.Report(m.Value, ruleField.Report("\"description\" is %s, want a string", m.Found()))
			}
		default:
			if !slices.Contains(knownFields(), m.Key) {
				l.unknown(m)
			}
		}
	}
}

func (l *loader) unknown(m component.Member) {
	p := ruleUnknown.Report("unknown field %q; the host ignores it", component.Clip(m.Key))
	if near, ok := syntax.Nearest(m.Key, knownFields()); ok {
		p = ruleUnknown.Report("unknown field %q; did you mean %q?", component.Clip(m.Key), near).WithFix("rename it to %q, or remove it", near)
	}
	l.ReportKey(m.Value, p)
}

// servers lists the MCP servers. A server that is null makes the installation
// fail (gemini-cli 0.61.0: "Cannot read properties of null"); of a list the
// indexes become the names.
func (l *loader) servers(v component.Value) {
	switch v.Kind() {
	case '{':
		for _, s := range v.Members() {
			if s.Kind() == 'n' {
				l.Report(s.Value, ruleType.Report("the server %q is null; the host cannot load the extension", component.Clip(s.Key)))
			}
			if trust, ok := s.Get("trust"); ok {
				l.Report(trust, ruleField.Report("\"trust\" of the server %q is ignored: only users can trust a server", component.Clip(s.Key)))
			}
		}
		l.Servers(v, problem.Warning)
	case '[':
		l.Report(v, ruleField.Report("\"mcpServers\" is a list, want an object of servers"))
		for _, e := range v.Elements() {
			if e.Kind() == 'n' {
				l.Report(e, ruleType.Report("a server is null; the host cannot load the extension"))
			}
			if detail := component.ServerDetail(e); detail != "" {
				l.Component(manifest.Component{Type: manifest.ServerComponent, Name: "server", Path: v.File(), Detail: detail})
			}
		}
	default:
		if !falsy(v) {
			l.Report(v, ruleField.Report("\"mcpServers\" is %s, want an object of servers", v.Found()))
		}
	}
}

// excludeTools lists the tools that the extension takes away. Anything but a
// list breaks `gemini extensions list` and every session.
func (l *loader) excludeTools(v component.Value) {
	if v.Kind() != '[' {
		if !falsy(v) {
			l.Report(v, ruleType.Report("\"excludeTools\" is %s, want a list of tools; the host stops with an error", v.Found()))
		}
		return
	}
	for _, e := range v.Elements() {
		if e.Kind() != '"' {
			l.Report(e, ruleField.Report("\"excludeTools\" has %s where a tool is wanted", e.Found()))
			continue
		}
		l.Component(manifest.Component{Type: manifest.OtherComponent, Name: e.Text(), Path: v.File(), Detail: "excluded tool"})
	}
}

// settings lists the values that the user gives. An object, and null in the
// list, make the installation fail.
func (l *loader) settings(v component.Value) {
	switch v.Kind() {
	case '[':
	case '{':
		l.Report(v, ruleType.Report("\"settings\" is an object, want a list; the host cannot load the extension"))
		return
	default:
		if !falsy(v) {
			l.Report(v, ruleField.Report("\"settings\" is %s, want a list", v.Found()))
		}
		return
	}
	for _, s := range v.Elements() {
		switch s.Kind() {
		case 'n':
			l.Report(s, ruleType.Report("a setting is null; the host cannot load the extension"))
			continue
		case '{':
		default:
			l.Report(s, ruleSetting.Report("a setting is %s, want an object", s.Found()))
			continue
		}
		l.setting(s)
	}
}

func (l *loader) setting(s component.Value) {
	name, _ := s.Get("name")
	about, _ := s.Get("description")
	env, _ := s.Get("envVar")
	secret, _ := s.Get("sensitive")
	switch {
	case name.Text() == "":
		l.Report(s, ruleSetting.Report("a setting has no \"name\""))
	case !isVariable(env.Text()):
		l.Report(s, ruleSetting.Report("the setting %q has no \"envVar\" that can be the name of a variable", component.Clip(name.Text())))
	case about.Text() == "":
		l.Report(s, ruleSetting.Report("the setting %q has no \"description\"", component.Clip(name.Text())))
	}
	key := env.Text()
	if key == "" {
		key = name.Text()
	}
	if key == "" {
		return
	}
	l.m.Settings = append(l.m.Settings, manifest.Setting{Key: key, Label: name.Text(), Description: about.Text(), Secret: secret.Kind() == 't'})
	l.Component(manifest.Component{Type: manifest.SettingComponent, Name: key, Path: s.File(), Detail: name.Text()})
}

// isVariable reports whether a name can be one of an environment variable.
func isVariable(s string) bool {
	for i, r := range s {
		if r != '_' && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') && (i == 0 || !('0' <= r && r <= '9')) {
			return false
		}
	}
	return s != ""
}

// themes lists colour schemes. Anything but a list of objects with names breaks
// every start of the host, `gemini extensions list` too.
func (l *loader) themes(v component.Value) {
	if v.Kind() != '[' {
		switch {
		case v.Kind() == '"' && v.Text() != "":
			l.Report(v, ruleField.Report("\"themes\" is a string, want a list"))
		case !falsy(v):
			l.Report(v, ruleType.Report("\"themes\" is %s, want a list; the host stops with an error", v.Found()))
		}
		return
	}
	for _, e := range v.Elements() {
		name, ok := e.Get("name")
		switch {
		case e.Kind() == 'n' || ok && name.Kind() != '"' && !falsy(name):
			l.Report(e, ruleType.Report("a theme has no name; the host stops with an error"))
		case name.Text() == "":
			l.Report(e, ruleField.Report("a theme has no \"name\""))
		default:
			l.Component(manifest.Component{Type: manifest.OtherComponent, Name: name.Text(), Path: v.File(), Detail: "theme"})
		}
	}
}

// plan checks where the host puts plans: a directory of the workspace.
func (l *loader) plan(v component.Value) {
	dir, _ := v.Get("directory")
	switch text := dir.Text(); {
	case v.Kind() != '{':
		if !falsy(v) {
			l.Report(v, ruleField.Report("\"plan\" is %s, want an object with \"directory\"", v.Found()))
		}
	case falsy(dir):
	case dir.Kind() != '"' || absolute(text) || strings.Contains(text, ".."):
		l.Report(dir, ruleField.Report("\"plan.directory\" is no relative path without \"..\"; the host ignores it"))
	default:
		l.Component(manifest.Component{Type: manifest.OtherComponent, Name: text, Path: v.File(), Detail: "plan directory"})
	}
}

// migrated reports an extension that moves: at the next update the host installs
// what the address holds then.
func (l *loader) migrated(v component.Value) {
	if v.Text() == "" {
		if !falsy(v) {
			l.Report(v, ruleField.Report("\"migratedTo\" is %s, want an address", v.Found()))
		}
		return
	}
	l.Report(v, ruleMigrated.Report("updates of the extension come from %q", component.Clip(v.Text())))
	l.Component(manifest.Component{Type: manifest.OtherComponent, Name: v.Text(), Path: v.File(), Detail: "migrated to"})
}

// context lists the files whose text is part of every conversation: those that
// the manifest names, else GEMINI.md when it is there.
func (l *loader) context(root component.Value) {
	v, _ := root.Get("contextFileName")
	if falsy(v) {
		if l.Tree.Lookup("GEMINI.md") != nil {
			l.contextFile("GEMINI.md")
		}
		return
	}
	for _, e := range v.OneOrMore() {
		name, why := contextPath(e)
		switch {
		case why != "":
			l.Report(e, ruleContext.Report("a context file %s", why).Survived())
		case l.Tree.Lookup(name) != nil:
			l.contextFile(name)
		case !l.Tree.Partial && !l.Tree.HasDir(name):
			l.Report(e, ruleContext.Report("the context file %q is not in the package", component.Clip(name)).Survived())
		}
	}
}

func (l *loader) contextFile(p string) {
	l.Component(manifest.Component{Type: manifest.OtherComponent, Name: component.Base(p), Path: p, Detail: "context of every conversation"})
}

// contextPath returns the path of a context file, or why the host refuses it.
func contextPath(v component.Value) (p, why string) {
	if v.Kind() != '"' {
		return "", "is " + v.Found() + ", want a path"
	}
	text := hydrate(v.Text())
	decoded, err := url.PathUnescape(text)
	if err != nil {
		decoded = text
	}
	switch {
	case strings.TrimSpace(text) == "":
		return "", "has an empty name"
	case strings.Contains(text, "\x00"):
		return "", "has a name with a null byte"
	case absolute(text) || strings.Contains(text, "${extensionPath}") || strings.Contains(text, "${workspacePath}"):
		return "", "has an absolute path"
	case strings.Contains(text, "..") || strings.Contains(decoded, ".."):
		return "", "has a path with \"..\""
	}
	return path.Clean(text), ""
}

// hydrate replaces the variables that are the same on every machine. The others
// are absolute paths.
func hydrate(s string) string {
	return strings.NewReplacer("${/}", "/", "${pathSeparator}", "/").Replace(s)
}

// absolute reports whether a path is absolute on some system.
func absolute(s string) bool {
	if s == "" {
		return false
	}
	letter := s[0] | 0x20
	return s[0] == '/' || s[0] == '\\' || len(s) > 2 && 'a' <= letter && letter <= 'z' && s[1] == ':' && (s[2] == '/' || s[2] == '\\')
}
