package codex

import (
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/manifest/component"
	"pinion/problem"
)

// Codex shows at most this many prompts of this many characters.
const (
	maxPrompts = 3
	maxPrompt  = 128
)

// knownFields are those that Codex reads, and those that its documentation has
// and that describe the plugin.
func knownFields() []string {
	return []string{
		"name", "version", "description", "keywords", "skills", "mcpServers", "apps", "hooks", "interface",
		"author", "homepage", "repository", "license", "$schema",
	}
}

// manifestFields checks every member of plugin.json that is not a component.
func (l *loader) manifestFields(root component.Value, own component.Fields) {
	for _, m := range own.List {
		switch m.Key {
		case "name":
			l.name(m.Value)
		case "version":
			l.version(m.Value)
		case "description", "apps":
			l.textOrNull(m.Value, m.Key)
		case "keywords":
			l.texts(m.Value, m.Key)
		case "interface":
			l.face(m.Value)
		case "author", "homepage", "repository", "license", "$schema", "skills", "mcpServers", "hooks":
		default:
			p := ruleUnknown.Report("unknown field %q; Codex ignores it", component.Clip(m.Key))
			if near, ok := syntax.Nearest(m.Key, knownFields()); ok {
				p = ruleUnknown.Report("unknown field %q; did you mean %q?", component.Clip(m.Key), near).WithFix("rename it to %q, or remove it", near)
			}
			l.ReportKey(m.Value, p)
		}
	}
	if !own.Has("name") {
		l.Report(root, ruleName.Report("the manifest has no \"name\"; Codex takes that of the directory").As(problem.Warning))
	}
}

// textOrNull reports a field for whose type Codex refuses the manifest.
func (l *loader) textOrNull(v component.Value, name string) {
	if k := v.Kind(); k != '"' && k != 'n' {
		l.Report(v, ruleType.Report("%q is %s, want a string", name, v.Found()))
	}
}

// texts reports a field that has to be a list of strings.
func (l *loader) texts(v component.Value, name string) {
	if _, ok := v.Texts(); !ok {
		l.Report(v, ruleType.Report("%q is not a list of strings", name))
	}
}

// name checks the plugin's name, which is part of plugin@marketplace. One that
// cannot be a directory is reported when it becomes the id: 0.171.0 says that
// "only ASCII letters, digits, `.`, `_`, and `-` are allowed".
func (l *loader) name(v component.Value) {
	name := v.Text()
	switch {
	case v.Kind() != '"':
		l.Report(v, ruleType.Report("\"name\" is %s, want a string", v.Found()))
	case strings.TrimSpace(name) == "":
		l.Report(v, ruleName.Report("\"name\" is empty; Codex takes that of the directory").As(problem.Warning))
	case l.entry != nil && l.entry.Name != "" && l.entry.Name != name:
		l.Report(v, ruleNameMismatch.Report("the manifest calls the plugin %q, the catalog %q; Codex does not install it", component.Clip(name), component.Clip(l.entry.Name)))
	case strings.Contains(name, "."):
		l.Report(v, ruleName.Report("the name %q has a \".\", which earlier versions of Codex refuse", component.Clip(name)).As(problem.Warning))
	}
}

// version checks the version, which becomes a directory too.
func (l *loader) version(v component.Value) {
	text := strings.TrimSpace(v.Text())
	switch {
	case v.Kind() == 'n':
	case v.Kind() != '"':
		l.Report(v, ruleType.Report("\"version\" is %s, want a string", v.Found()))
	case text == "":
		l.Report(v, ruleVersion.Report("\"version\" is empty").As(problem.Error))
	case !isVersion(text):
		l.Report(v, ruleVersion.Report("version %q cannot be a directory: only letters, digits, \".\", \"+\", \"_\" and \"-\" are allowed", component.Clip(text)).As(problem.Error))
	}
}

// isVersion reports whether Codex makes a directory of a version.
func isVersion(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsFunc(s, func(r rune) bool {
		alnum := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !alnum && !strings.ContainsRune("-_.+", r)
	})
}

// face checks `interface`, what users see of the plugin. One value of a wrong
// type makes Codex refuse the manifest; other faults lose the value.
func (l *loader) face(v component.Value) {
	if v.Kind() == 'n' {
		return
	}
	if v.Kind() != '{' {
		l.Report(v, ruleType.Report("\"interface\" is %s, want an object", v.Found()))
		return
	}
	for _, m := range v.Members() {
		name := "interface." + m.Key
		switch m.Key {
		case "displayName", "shortDescription", "longDescription", "developerName", "category",
			"websiteURL", "websiteUrl", "privacyPolicyURL", "privacyPolicyUrl", "termsOfServiceURL", "termsOfServiceUrl", "brandColor":
			l.textOrNull(m.Value, name)
		case "composerIcon", "logo", "logoDark":
			l.textOrNull(m.Value, name)
			l.asset(m.Value, name)
		case "capabilities":
			l.texts(m.Value, name)
		case "screenshots":
			l.texts(m.Value, name)
			for _, e := range m.Elements() {
				l.asset(e, name)
			}
		case "defaultPrompt":
			l.prompts(m.Value)
		default:
			l.ReportKey(m.Value, ruleUnknown.Report("unknown field %q; Codex ignores it", component.Clip(name)))
		}
	}
}

// asset checks the path of a picture; Codex ignores one that it does not take.
func (l *loader) asset(v component.Value, name string) {
	if v.Text() == "" {
		return
	}
	if p, ok := l.Resolve(v, name, ""); ok && l.Tree.Lookup(p) == nil && !l.Tree.Partial {
		l.Report(v, ruleMissingPath.Report("the path %q in %q is not in the package", component.Clip(v.Text()), name))
	}
}

// prompts checks what Codex offers to type.
func (l *loader) prompts(v component.Value) {
	if k := v.Kind(); k != '"' && k != '[' {
		if k != 'n' {
			l.Report(v, rulePrompt.Report("\"interface.defaultPrompt\" is %s, want a list of strings", v.Found()))
		}
		return
	}
	shown := 0
	for _, e := range v.OneOrMore() {
		text := strings.Join(strings.Fields(e.Text()), " ")
		switch {
		case e.Kind() != '"':
			l.Report(e, rulePrompt.Report("a prompt is %s, want a string", e.Found()))
		case text == "":
			l.Report(e, rulePrompt.Report("a prompt is empty"))
		case utf8.RuneCountInString(text) > maxPrompt:
			l.Report(e, rulePrompt.Report("a prompt has %d characters, more than %d", utf8.RuneCountInString(text), maxPrompt))
		case shown == maxPrompts:
			l.Report(e, rulePrompt.Report("there are more than %d prompts", maxPrompts))
			return
		default:
			shown++
		}
	}
}
