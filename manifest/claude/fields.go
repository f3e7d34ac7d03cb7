package claude

import (
	"slices"
	"strings"
	"unicode"

	"pinion/internal/syntax"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
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
func (l *loader) manifestFields(root component.Value, own component.Fields) {
	known := slices.Concat([]string{"name", "version", "defaultEnabled", "dependencies"}, describing(), componentFields())
	for _, m := range own.List {
		switch {
		case slices.Contains(describing(), m.Key):
			if want := describingFault(m); want != "" {
				l.Report(m.Value, ruleIgnored.Report("%q is %s, want %s; the host ignores it, its earlier versions refused the plugin", m.Key, m.Found(), want))
			}
		case slices.Contains(entryOnly(), m.Key):
			l.ReportKey(m.Value, ruleUnknown.Report("%q belongs in the catalog entry, not in plugin.json; the host ignores it", m.Key))
		case !slices.Contains(known, m.Key):
			l.unknown(m, known)
		}
	}
	l.name(root, own)
	if v, ok := own.Get("version"); ok && v.Kind() != '"' {
		l.Report(v, ruleType.Report("\"version\" is %s, want a string", v.Found()))
	}
	if v, ok := own.Get("defaultEnabled"); ok && !v.IsBool() {
		l.Report(v, ruleType.Report("\"defaultEnabled\" is %s, want true or false", v.Found()))
	}
	l.dependencies(own)
	l.recommended(root, own)
}

func (l *loader) unknown(m component.Member, known []string) {
	p := ruleUnknown.Report("unknown field %q; the host ignores it", component.Clip(m.Key))
	if near, ok := syntax.Nearest(m.Key, known); ok {
		p = ruleUnknown.Report("unknown field %q; did you mean %q?", component.Clip(m.Key), near).WithFix("rename it to %q, or remove it", near)
	}
	l.ReportKey(m.Value, p)
}

// describingFault returns what a describing field should be, "" when it is.
func describingFault(m component.Member) string {
	switch m.Key {
	case "author":
		name, _ := m.Get("name")
		if m.Kind() != '{' || name.Text() == "" {
			return "an object with a name"
		}
		for _, key := range []string{"email", "url"} {
			if v, ok := m.Get(key); ok && v.Kind() != '"' {
				return "an object with text"
			}
		}
	case "homepage":
		if m.Kind() != '"' || !component.IsURL(m.Text()) {
			return "a URL"
		}
	case "keywords":
		if _, ok := m.Texts(); !ok {
			return "a list of strings"
		}
	case "metadata", "engines", "network":
		if m.Kind() != '{' {
			return "an object"
		}
	case "icon", "privacyPolicyUrl", "supportUrl", "termsOfServiceUrl":
	default:
		if m.Kind() != '"' {
			return "a string"
		}
	}
	return ""
}

// name checks the plugin's name by the host's rules.
func (l *loader) name(root component.Value, own component.Fields) {
	v, ok := own.Get("name")
	name := v.Text()
	switch {
	case !ok:
		l.Report(root, ruleName.Report("the manifest has no \"name\""))
	case v.Kind() != '"':
		l.Report(v, ruleType.Report("\"name\" is %s, want a string", v.Found()))
	case name == "":
		l.Report(v, ruleName.Report("\"name\" is empty"))
	case !hostAcceptsName(name):
		l.Report(v, ruleName.Report("the name %q has a space or a control character", component.Clip(name)))
	case reservedName(name):
		l.Report(v, ruleReserved.Report("the name %q looks like one of Anthropic's own", component.Clip(name)))
	case !isKebab(name) && (agentskill.IsID(name) || l.entry != nil && l.entry.Name != ""):
		// Any other name is reported when it becomes the id.
		l.Report(v, ruleName.Report("the name %q is not lower case letters, digits and single dashes", component.Clip(name)).As(problem.Warning))
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
func (l *loader) recommended(root component.Value, own component.Fields) {
	if l.entry == nil || l.entry.Version == "" {
		if v, ok := own.Get("version"); !ok || v.Kind() == '"' && v.Text() == "" {
			l.Report(root, ruleRecommended.Report("no version is stated").WithFix("add \"version\": \"1.0.0\""))
		}
	}
	if !own.Has("description") && (l.entry == nil || l.entry.Description == "") {
		l.Report(root, ruleRecommended.Report("no description is stated"))
	}
	if !own.Has("author") && l.entry == nil {
		l.Report(root, ruleRecommended.Report("no author is stated"))
	}
}

// dependencies checks the plugins that this one needs.
func (l *loader) dependencies(own component.Fields) {
	v, ok := own.Get("dependencies")
	if !ok {
		return
	}
	if v.Kind() != '[' {
		l.Report(v, ruleType.Report("\"dependencies\" is %s, want a list", v.Found()))
		return
	}
	for _, d := range v.Elements() {
		name := d
		if d.Kind() == '{' {
			name, _ = d.Get("name")
			if market, has := d.Get("marketplace"); has && market.Kind() != '"' {
				l.Report(market, ruleDependency.Report("\"marketplace\" of a dependency is %s, want a string", market.Found()))
				continue
			}
		}
		if !isDependency(name.Text()) {
			l.Report(d, ruleDependency.Report("this dependency is no plugin name"))
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
