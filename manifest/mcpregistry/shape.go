package mcpregistry

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"pinion/manifest/component"
)

func shapeRules() component.ShapeRules {
	return component.ShapeRules{Type: ruleType, Missing: ruleMissing, Unknown: ruleType, Text: ruleValue}
}

// serverShape is the registry's schema of 2025-12-11. Its objects may have other
// fields.
func serverShape() component.Shape {
	text, flag := component.String(), component.Bool()
	input := []component.Field{
		component.Optional("description", text), component.Optional("isRequired", flag), component.Optional("isSecret", flag),
		component.Optional("format", component.OneOf("string", "number", "boolean", "filepath")),
		component.Optional("value", text), component.Optional("default", text), component.Optional("placeholder", text),
		component.Optional("choices", component.List(text)),
	}
	variables := component.Optional("variables", component.Map(component.OpenObject(input...)))
	keyed := component.List(component.OpenObject(append([]component.Field{component.Required("name", text), variables}, input...)...))
	argument := component.List(component.OpenObject(append([]component.Field{
		component.Required("type", component.OneOf("positional", "named")), component.Optional("name", text),
		component.Optional("valueHint", text), component.Optional("isRepeated", flag), variables,
	}, input...)...))
	pkg := component.OpenObject(
		component.Required("registryType", text), component.Required("identifier", text),
		component.Optional("version", component.String(exactVersion)), component.Optional("registryBaseUrl", component.String(isURL)),
		component.Optional("fileSha256", component.String(isSum)), component.Optional("runtimeHint", text),
		component.Optional("runtimeArguments", argument), component.Optional("packageArguments", argument),
		component.Optional("environmentVariables", keyed),
		component.Required("transport", component.OpenObject(
			component.Required("type", component.OneOf("stdio", "streamable-http", "sse")),
			component.Optional("url", text), component.Optional("headers", keyed),
		)),
	)
	remote := component.OpenObject(
		component.Required("type", component.OneOf("streamable-http", "sse")), component.Required("url", text),
		component.Optional("headers", keyed), variables,
	)
	return component.OpenObject(
		component.Optional("$schema", text), component.Required("name", component.String(shapeOfName)),
		component.Required("description", component.String(length(1, 100))), component.Optional("title", component.String(length(1, 100))),
		component.Required("version", component.String(length(0, 255), exactVersion)), component.Optional("websiteUrl", component.String(isURL)),
		component.Optional("repository", component.OpenObject(
			component.Required("url", component.String(isURL)), component.Required("source", text),
			component.Optional("subfolder", text), component.Optional("id", text),
		)),
		component.Optional("packages", component.List(pkg)), component.Optional("remotes", component.List(remote)),
		component.Optional("icons", component.List(component.OpenObject(component.Required("src", component.String(isURL, length(0, 255)))))),
		component.Optional("_meta", component.OpenObject()),
	)
}

// shapeOfName returns what is wrong with a server's name: one slash between a
// namespace and a name.
func shapeOfName(s string) string {
	space, name, _ := strings.Cut(s, "/")
	bad := func(part, more string) bool {
		return part == "" || strings.ContainsFunc(part, func(r rune) bool {
			return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(more, r))
		})
	}
	switch {
	case len(s) > 200:
		return "is longer than 200 characters"
	case bad(space, ".-") || bad(name, "._-"):
		return "is not a namespace, one slash and a name, as in io.github.user/weather"
	}
	return ""
}

// exactVersion returns what is wrong with a version: the registry refuses
// "latest" and ranges.
func exactVersion(s string) string {
	switch {
	case s == "":
		return "is empty"
	case s == "latest":
		return "is \"latest\", want one version"
	case strings.ContainsAny(s[:1], "^~<>=*") || strings.HasSuffix(s, ".x") || strings.HasSuffix(s, ".*") || strings.Contains(s, "||") || strings.Contains(s, " - "):
		return "is a range, want one version"
	}
	return ""
}

func isSum(s string) string {
	if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return "is not a SHA-256 of 64 lower case hexadecimal digits"
	}
	return ""
}

func isURL(s string) string {
	if !component.IsURL(s) {
		return "is no URL"
	}
	return ""
}

// length returns a test of the number of characters.
func length(least, most int) func(string) string {
	return func(s string) string {
		switch n := utf8.RuneCountInString(s); {
		case n < least:
			return "is empty"
		case n > most:
			return "is longer than " + strconv.Itoa(most) + " characters"
		}
		return ""
	}
}
