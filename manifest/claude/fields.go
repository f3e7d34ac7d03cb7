package claude

import (
	"slices"
	"strings"
	"unicode"

	"pinion/internal/syntax"
	"pinion/manifest/agentskill"
	"pinion/problem"
)

// componentFields are the fields that add something to the agent, in the order
// in which they are listed.
func componentFields() []string {
	return []string{
		"skills", "commands", "agents", "hooks", "mcpServers", "lspServers", "monitors",
		"outputStyles", "workflows", "themes", "experimental", "settings", "userConfig", "channels",
	}
}

// EntryFields returns the names of the component fields that a catalog entry may
// have: those that are digested as //entry when the entry defines the package.
func EntryFields() []string { return componentFields() }

// describing are the fields of plugin.json that only describe the plugin. The
// host ignores one of a wrong type; its earlier versions refused the plugin.
func describing() []string {
	return []string{
		"$schema", "displayName", "description", "author", "homepage", "repository", "license", "keywords",
		"metadata", "engines", "network", "icon", "privacyPolicyUrl", "supportUrl", "termsOfServiceUrl",
	}
}

// entryOnly are fields of a catalog entry that authors put into plugin.json.
func entryOnly() []string { return []string{"category", "tags", "strict", "source", "relevance"} }

// manifestFields checks every member of plugin.json that is not a component.
func (l *loader) manifestFields(root value, own fields) {
	known := slices.Concat([]string{"name", "version", "defaultEnabled", "dependencies"}, describing(), componentFields())
	for _, m := range own.list {
		switch {
		case slices.Contains(describing(), m.key):
			if want := describingFault(m); want != "" {
				l.report(m.value, ruleIgnored.Report("%q is %s, want %s; the host ignores it, its earlier versions refused the plugin", m.key, m.found(), want))
			}
		case slices.Contains(entryOnly(), m.key):
			l.reportKey(m.value, ruleUnknown.Report("%q belongs in the catalog entry, not in plugin.json; the host ignores it", m.key))
		case !slices.Contains(known, m.key):
			l.unknown(m, known)
		}
	}
	l.name(root, own)
	if v, ok := own.get("version"); ok && v.kind() != '"' {
		l.report(v, ruleType.Report("\"version\" is %s, want a string", v.found()))
	}
	if v, ok := own.get("defaultEnabled"); ok && !v.isBool() {
		l.report(v, ruleType.Report("\"defaultEnabled\" is %s, want true or false", v.found()))
	}
	l.dependencies(own)
	l.recommended(root, own)
}

func (l *loader) unknown(m member, known []string) {
	p := ruleUnknown.Report("unknown field %q; the host ignores it", clip(m.key))
	if near, ok := syntax.Nearest(m.key, known); ok {
		p = ruleUnknown.Report("unknown field %q; did you mean %q?", clip(m.key), near).WithFix("rename it to %q, or remove it", near)
	}
	l.reportKey(m.value, p)
}

// describingFault returns what a describing field should be, "" when it is.
func describingFault(m member) string {
	switch m.key {
	case "author":
		name, _ := m.get("name")
		if m.kind() != '{' || name.text() == "" {
			return "an object with a name"
		}
		for _, key := range []string{"email", "url"} {
			if v, ok := m.get(key); ok && v.kind() != '"' {
				return "an object with text"
			}
		}
	case "homepage":
		if m.kind() != '"' || !isURL(m.text()) {
			return "a URL"
		}
	case "keywords":
		if _, ok := m.texts(); !ok {
			return "a list of strings"
		}
	case "metadata", "engines", "network":
		if m.kind() != '{' {
			return "an object"
		}
	case "icon", "privacyPolicyUrl", "supportUrl", "termsOfServiceUrl":
	default:
		if m.kind() != '"' {
			return "a string"
		}
	}
	return ""
}

// name checks the plugin's name by the host's rules.
func (l *loader) name(root value, own fields) {
	v, ok := own.get("name")
	name := v.text()
	switch {
	case !ok:
		l.report(root, ruleName.Report("the manifest has no \"name\""))
	case v.kind() != '"':
		l.report(v, ruleType.Report("\"name\" is %s, want a string", v.found()))
	case name == "":
		l.report(v, ruleName.Report("\"name\" is empty"))
	case !hostAcceptsName(name):
		l.report(v, ruleName.Report("the name %q has a space or a control character", clip(name)))
	case reservedName(name):
		l.report(v, ruleReserved.Report("the name %q looks like one of Anthropic's own", clip(name)))
	case !isKebab(name) && (agentskill.IsID(name) || l.entry != nil && l.entry.Name != ""):
		// Any other name is reported when it becomes the id.
		l.report(v, ruleName.Report("the name %q is not lower case letters, digits and single dashes", clip(name)).As(problem.Warning))
	}
}

// hostAcceptsName reports whether Claude Code loads a plugin of this name.
func hostAcceptsName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r == ' ' || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	})
}

// reservedName reports whether the host's validator keeps the name for its maker.
func reservedName(name string) bool {
	for _, prefix := range []string{"claude-", "anthropic-", "anthropics-", "cc-plugin-", "official-claude", "official-anthropic"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "claude" || name == "anthropic"
}

func isKebab(name string) bool {
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
}

// recommended reports what the host's validator asks for, unless the catalog
// entry has it.
func (l *loader) recommended(root value, own fields) {
	if l.entry == nil || l.entry.Version == "" {
		if v, ok := own.get("version"); !ok || v.kind() == '"' && v.text() == "" {
			l.report(root, ruleRecommended.Report("no version is stated").WithFix("add \"version\": \"1.0.0\""))
		}
	}
	if !own.has("description") && (l.entry == nil || l.entry.Description == "") {
		l.report(root, ruleRecommended.Report("no description is stated"))
	}
	if !own.has("author") && l.entry == nil {
		l.report(root, ruleRecommended.Report("no author is stated"))
	}
}

// dependencies checks the plugins that this one needs.
func (l *loader) dependencies(own fields) {
	v, ok := own.get("dependencies")
	if !ok {
		return
	}
	if v.kind() != '[' {
		l.report(v, ruleType.Report("\"dependencies\" is %s, want a list", v.found()))
		return
	}
	for _, d := range v.elements() {
		name := d
		if d.kind() == '{' {
			name, _ = d.get("name")
			if market, has := d.get("marketplace"); has && market.kind() != '"' {
				l.report(market, ruleDependency.Report("\"marketplace\" of a dependency is %s, want a string", market.found()))
				continue
			}
		}
		if !isDependency(name.text()) {
			l.report(d, ruleDependency.Report("this dependency is no plugin name"))
		}
	}
}

// isDependency reports whether s is "name", "name@marketplace" or one of them
// with "@^range".
func isDependency(s string) bool {
	parts := strings.Split(s, "@")
	if n := len(parts); n > 1 && strings.HasPrefix(parts[n-1], "^") {
		parts = parts[:n-1]
	}
	if len(parts) > 2 {
		return false
	}
	for _, p := range parts {
		if p == "" || !isAlnum(rune(p[0])) || strings.ContainsFunc(p, func(r rune) bool {
			return !isAlnum(r) && r != '-' && r != '.' && r != '_'
		}) {
			return false
		}
	}
	return true
}

func isAlnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
