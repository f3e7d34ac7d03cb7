package copilot

import (
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/manifest/component"
)

// The documented limits, in characters. A catalog whose entry has a longer name is
// refused as a whole.
const (
	maxName        = 64
	maxDescription = 1024
)

// knownFields are the documented fields, and those of Visual Studio Code.
func knownFields() []string {
	return []string{
		"$schema", "name", "displayName", "description", "version", "author", "homepage", "repository", "license", "keywords",
		"category", "tags", "agents", "skills", "commands", "hooks", "mcpServers", "lspServers", "rules", "logo", "strict", "extensions",
	}
}

// manifestFields checks every member of the manifest that is not a component.
func (l *loader) manifestFields(root component.Value, own component.Fields) {
	for _, m := range own.List {
		switch m.Key {
		case "name":
			l.name(m.Value)
		case "description":
			if l.text(m.Value, m.Key) && utf8.RuneCountInString(m.Text()) > maxDescription {
				l.Report(m.Value, ruleLimit.Report("the description has %d characters, more than %d", utf8.RuneCountInString(m.Text()), maxDescription))
			}
		case "version", "homepage", "repository", "license", "category", "displayName", "$schema", "logo":
			l.text(m.Value, m.Key)
		case "author":
			if name, _ := m.Get("name"); name.Text() == "" {
				l.Report(m.Value, ruleType.Report("\"author\" is %s, want an object with a name", m.Found()))
			}
		case "keywords", "tags":
			if _, ok := m.Texts(); !ok {
				l.Report(m.Value, ruleType.Report("%q is not a list of strings", m.Key))
			}
		case "agents", "skills", "commands", "hooks", "mcpServers", "lspServers", "rules", "strict", "extensions":
		default:
			p := ruleUnknown.Report("unknown field %q; Copilot ignores it", component.Clip(m.Key))
			if near, ok := syntax.Nearest(m.Key, knownFields()); ok {
				p = ruleUnknown.Report("unknown field %q; did you mean %q?", component.Clip(m.Key), near).WithFix("rename it to %q, or remove it", near)
			}
			l.ReportKey(m.Value, p)
		}
	}
	if !own.Has("name") {
		l.Report(root, ruleName.Report("the manifest has no \"name\"; Copilot takes that of the catalog entry or the directory"))
	}
}

// text reports a field that has to be a string, and whether it is.
func (l *loader) text(v component.Value, name string) bool {
	if v.Kind() == '"' {
		return true
	}
	l.Report(v, ruleType.Report("%q is %s, want a string; Copilot ignores it", name, v.Found()))
	return false
}

// name checks the plugin's name by the documented rule. 1.0.102 takes any name in a
// manifest; in a catalog it refuses one of other characters than letters, digits,
// "-" and ".", or of more than 64.
func (l *loader) name(v component.Value) {
	switch name := v.Text(); {
	case v.Kind() != '"':
		l.Report(v, ruleType.Report("\"name\" is %s, want a string; Copilot ignores it", v.Found()))
	case name == "":
		l.Report(v, ruleName.Report("\"name\" is empty"))
	case l.entry != nil && l.entry.Name != "" && l.entry.Name != name:
		l.Report(v, ruleNameMismatch.Report("the manifest calls the plugin %q, the catalog %q; Copilot uses the catalog's", component.Clip(name), component.Clip(l.entry.Name)))
	case utf8.RuneCountInString(name) > maxName:
		l.Report(v, ruleLimit.Report("the name has %d characters, more than %d", utf8.RuneCountInString(name), maxName))
	case strings.ContainsFunc(name, func(r rune) bool { return !isName(r) }):
		l.Report(v, ruleName.Report("the name %q has characters other than letters, digits and \"-\"", component.Clip(name)))
	}
}

func isName(r rune) bool {
	return r == '-' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// named returns name and version where they are text; others are reported, and
// Copilot does without.
func (l *loader) named(own component.Fields) (name, version component.Value) {
	if v, _ := own.Get("name"); v.Text() != "" {
		name = v
	}
	if v, _ := own.Get("version"); v.Text() != "" {
		version = v
	}
	return name, version
}
