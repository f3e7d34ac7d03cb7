package mcpb

import (
	"regexp"
	"strconv"
	"strings"

	"pinion/internal/regex"
	"pinion/manifest/component"
)

// manifestShape is the schema of one manifest version. Every object is closed;
// versions before 0.4 differ in a few fields. "" is the newest, for a manifest
// that states no version or an unknown one.
func manifestShape(version string) component.Shape {
	text, texts, flag, number := component.String(), component.List(component.String()), component.Bool(), component.Number()
	address := component.String(isURL)
	command := []component.Field{
		component.Optional("args", texts), component.Optional("env", component.Map(text)),
	}
	override := component.Object(append(command, component.Optional("command", text))...)
	stated := component.OneOf(version)
	types := []string{"python", "node", "binary"}
	if version == "" {
		version, stated = "0.4", component.Shape{}
	}
	if version == "0.4" {
		types = append(types, "uv")
	}
	fields := []component.Field{
		component.Optional("$schema", text),
		component.Optional("dxt_version", stated), component.Optional("manifest_version", stated),
		component.Required("name", text), component.Optional("display_name", text), component.Required("version", text),
		component.Required("description", text), component.Optional("long_description", text),
		component.Required("author", component.Object(
			component.Required("name", text), component.Optional("email", component.String(isEmail)), component.Optional("url", address),
		)),
		component.Optional("repository", component.Object(component.Required("type", text), component.Required("url", address))),
		component.Optional("homepage", address), component.Optional("documentation", address), component.Optional("support", address),
		component.Optional("icon", text), component.Optional("screenshots", texts),
		component.Required("server", component.Object(
			component.Required("type", component.OneOf(types...)), component.Required("entry_point", text),
			component.Required("mcp_config", component.Object(append([]component.Field{
				component.Required("command", text), component.Optional("platform_overrides", component.Map(override)),
			}, command...)...)),
		)),
		component.Optional("tools", component.List(component.Object(component.Required("name", text), component.Optional("description", text)))),
		component.Optional("tools_generated", flag),
		component.Optional("prompts", component.List(component.Object(
			component.Required("name", text), component.Optional("description", text), component.Optional("arguments", texts), component.Required("text", text),
		))),
		component.Optional("prompts_generated", flag), component.Optional("keywords", texts), component.Optional("license", text),
		component.Optional("compatibility", compatibility()),
		component.Optional("user_config", component.Map(component.Object(
			component.Required("type", component.OneOf("string", "number", "boolean", "directory", "file")),
			component.Required("title", text), component.Required("description", text),
			component.Optional("required", flag), component.Optional("multiple", flag), component.Optional("sensitive", flag),
			component.Optional("min", number), component.Optional("max", number),
			component.Optional("default", component.Shape{Kinds: `"0t[`, Each: &text}),
		))),
	}
	if version != "0.1" {
		fields = append(fields, component.Optional("privacy_policies", component.List(address)))
	}
	if version == "0.3" || version == "0.4" {
		fields = append(fields,
			component.Optional("icons", component.List(component.Object(
				component.Required("src", text), component.Required("size", component.String(like(&iconSize, "is not in the form 16x16"))),
				component.Optional("theme", component.String(notEmpty)),
			))),
			component.Optional("localization", component.Object(
				component.Required("resources", component.String(hasLocale)),
				component.Required("default_locale", component.String(like(&locale, "is not a locale, as in en-US"))),
			)),
			component.Optional("_meta", component.Map(component.OpenObject())),
		)
	}
	return component.Object(fields...)
}

func compatibility() component.Shape {
	text := component.String()
	return component.Object(
		component.Optional("claude_desktop", text),
		component.Optional("platforms", component.List(component.OneOf("darwin", "win32", "linux"))),
		component.Optional("runtimes", component.Object(component.Optional("python", text), component.Optional("node", text))),
	)
}

var (
	iconSize = regex.Lazy{Expr: `^\d+x\d+$`}
	locale   = regex.Lazy{Expr: `^[A-Za-z0-9]{2,8}(?:-[A-Za-z0-9]{1,8})*$`}
	// email is the expression of zod 3.25, which mcpb uses, without what stands
	// before a dot.
	email = regex.Lazy{Expr: `(?i)^[A-Z0-9_'+\-.]*[A-Z0-9_+-]@([A-Z0-9][A-Z0-9\-]*\.)+[A-Z]{2,}$`}
)

func like(r *regex.Lazy, why string) func(string) string {
	return func(s string) string { return faultUnless(r.Get(), s, why) }
}

func faultUnless(r *regexp.Regexp, s, why string) string {
	if r.MatchString(s) {
		return ""
	}
	return why
}

func isEmail(s string) string {
	if strings.HasPrefix(s, ".") || strings.Contains(s, "..") {
		return "is no mail address"
	}
	return faultUnless(email.Get(), s, "is no mail address")
}

// isURL returns what is wrong with an address: browsers, and mcpb with them,
// take any scheme, and need a host after those of the web.
func isURL(s string) string {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(s), ":")
	if !ok || scheme == "" || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" ||
		!('a' <= scheme[0]|0x20 && scheme[0]|0x20 <= 'z') {
		return "is no URL"
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "ws", "wss":
		host := strings.TrimLeft(rest, `/\`)
		if i := strings.IndexAny(host, `/\?#`); i >= 0 {
			host = host[:i]
		}
		if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
			if _, err := strconv.ParseUint(host[i+1:], 10, 16); err != nil && host[i+1:] != "" {
				return "is no URL"
			}
			host = host[:i]
		}
		if host == "" || strings.ContainsAny(host, " <>^|%") {
			return "is no URL"
		}
	}
	return ""
}

func hasLocale(s string) string {
	if !strings.Contains(strings.ToLower(s), "${locale}") {
		return "has no ${locale} in it"
	}
	return ""
}

func notEmpty(s string) string {
	if s == "" {
		return "is empty"
	}
	return ""
}
