package agentplugins

import (
	"strings"

	"pinion/manifest/component"
)

// manifestShape is the schema of plugin.json: any other value makes clients
// reject the plugin. Unknown fields at the top are only reported, $schema and
// extensions are looked at by themselves.
func manifestShape() component.Shape {
	text := component.String()
	return component.OpenObject(
		component.Required("name", component.String(nameFault)),
		component.Optional("version", text), component.Optional("description", text),
		component.Optional("author", component.Object(
			component.Optional("name", text), component.Optional("email", text), component.Optional("url", text),
		)),
		component.Optional("homepage", text), component.Optional("repository", text), component.Optional("license", text),
		component.Optional("keywords", component.List(text)),
	)
}

// fieldNames are the fields that a manifest may have.
func fieldNames() map[string]bool {
	known := map[string]bool{"$schema": true, "extensions": true}
	for _, f := range manifestShape().Fields {
		known[f.Name] = true
	}
	return known
}

// nameFault returns what is wrong with a plugin's name, or "".
func nameFault(s string) string {
	alnum := func(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
	switch {
	case s == "":
		return "is empty"
	case len(s) > 64:
		return "is longer than 64 characters"
	case !alnum(s[0]) || !alnum(s[len(s)-1]):
		return "does not begin and end with a lower case letter or digit"
	case strings.Contains(s, "--") || strings.Contains(s, ".."):
		return "has two dashes or dots in a row"
	}
	for i := range len(s) {
		if !alnum(s[i]) && s[i] != '-' && s[i] != '.' {
			return "has characters other than lower case letters, digits, dashes and dots"
		}
	}
	return ""
}

// isNamespace reports whether a name is one of a client: a domain in reverse.
func isNamespace(s string) bool {
	labels := strings.Split(s, ".")
	if len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || l[0] == '-' || strings.Trim(strings.ToLower(l), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}
