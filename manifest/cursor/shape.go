package cursor

import (
	"strings"

	"pinion/manifest/component"
)

// manifestShape is Cursor's schema of the manifest, without the component fields,
// which their readers check.
func manifestShape() component.Shape {
	text, texts := component.String(), component.List(component.String())
	address := component.String(func(s string) string {
		if !component.IsURL(s) {
			return "is no URL"
		}
		return ""
	})
	any := component.Shape{}
	return component.Object(
		component.Optional("name", any), component.Optional("displayName", text), component.Optional("description", text),
		component.Optional("version", text), component.Optional("minClientVersions", component.Map(text)),
		component.Optional("author", component.Object(component.Required("name", text), component.Optional("email", text))),
		component.Optional("publisher", text), component.Optional("homepage", address), component.Optional("repository", address),
		component.Optional("license", text), component.Optional("logo", text), component.Optional("keywords", texts),
		component.Optional("category", text), component.Optional("tags", texts),
		component.Optional("commands", any), component.Optional("agents", any), component.Optional("skills", any),
		component.Optional("rules", any), component.Optional("hooks", any), component.Optional("mcpServers", any),
		component.Optional("variables", component.OpenObject(
			component.Required("type", component.OneOf("object")), component.Optional("properties", component.OpenObject()),
			component.Optional("required", texts),
		)),
	)
}

// nameFault reports whether a name is outside Cursor's schema.
func nameFault(s string) bool {
	const alnum = "abcdefghijklmnopqrstuvwxyz0123456789"
	return strings.Trim(s, alnum+".-") != "" || strings.Trim(s[:1]+s[len(s)-1:], alnum) != ""
}
