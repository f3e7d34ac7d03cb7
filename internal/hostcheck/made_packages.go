package hostcheck

import "strings"

// madeManifests are manifests: the type of each field, the JSON itself, names,
// versions, and the places where hosts look.
func (m *maker) madeManifests() {
	fields := []string{
		"version", "description", "displayName", "author", "homepage", "repository", "license", "keywords",
		"skills", "commands", "agents", "hooks", "mcpServers", "lspServers", "outputStyles", "workflows",
		"userConfig", "channels", "dependencies", "defaultEnabled", "metadata", "experimental", "settings",
		"interface", "apps", "engines", "icon", "privacyPolicyUrl", "$schema", "x-own", "category", "tags",
	}
	for _, f := range fields {
		for _, v := range values() {
			if v[0] == "true" && f != "defaultEnabled" && f != "version" {
				continue // no client tells it from a number
			}
			text := `{"name": "@", ` + field(f, v[1]) + "}\n"
			m.add(Package, "type/"+idOf(f)+"-"+v[0], skill(), file(claudeManifest, text))
		}
	}
	for _, v := range values() {
		m.add(Package, "type/name-"+v[0], skill(), file(claudeManifest, `{"name": `+v[1]+`, "version": "1.0.0"}`))
	}
	for _, f := range []string{"name", "version", "description", "author", "keywords", "skills", "mcpServers", "hooks", "apps", "interface", "homepage", "repository", "license"} {
		for _, v := range values() {
			if v[0] == "true" || v[0] == "list" && f == "name" {
				continue
			}
			fields := map[bool]string{true: field(f, v[1]), false: `"name": "@", ` + field(f, v[1])}[f == "name"]
			m.add(Package, "codex-type/"+idOf(f)+"-"+v[0], skill(), file(codexManifest, "{"+fields+"}\n")).only(CodexClient)
		}
	}
	for _, f := range []string{"version", "description", "author", "keywords", "skills", "commands", "agents", "mcpServers", "hooks", "lspServers", "homepage"} {
		for _, v := range values() {
			if v[0] == "true" {
				continue
			}
			m.add(Package, "copilot-type/"+idOf(f)+"-"+v[0], skill(), file("plugin.json", `{"name": "@", `+field(f, v[1])+"}\n")).only(CopilotClient)
		}
	}
	m.madeJSON()
	m.madeNames()
	m.madePlaces()
	m.madeFields()
}

func (m *maker) madeJSON() {
	ok := `{"name": "@", "version": "1.0.0", "description": "A case."}`
	for id, text := range map[string]string{
		"bom": "\ufeff" + ok, "comment": "{// no\n" + ok[1:], "block-comment": "{/* no */" + ok[1:],
		"trailing-comma": ok[:len(ok)-1] + ",}", "empty": "", "blank": " \n", "array": "[" + ok + "]", "null": "null",
		"text": `"@"`, "duplicate-name": ok[:len(ok)-1] + `, "name": "other"}`, "duplicate-version": ok[:len(ok)-1] + `, "version": "2.0.0"}`,
		"latin-1": strings.Replace(ok, "A case", "A caf\xe9", 1), "nul": strings.Replace(ok, "A case", "A \x00 case", 1),
		"nul-escaped": strings.Replace(ok, "A case", `A \u0000 case`, 1), "lone-surrogate": strings.Replace(ok, "A case", `A \ud800 case`, 1),
		"cut": ok[:len(ok)-1], "two-documents": ok + ok, "single-quotes": strings.ReplaceAll(ok, `"`, "'"),
		"utf-16": "\xff\xfe{\x00}\x00", "deep": ok[:len(ok)-1] + `, "metadata": ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}",
		"line-feed-in-text": strings.Replace(ok, "A case", "A\ncase", 1), "crlf": strings.ReplaceAll(ok, ", ", ",\r\n"),
		"proto": ok[:len(ok)-1] + `, "__proto__": {"a": 1}}`, "empty-object": "{}",
	} {
		m.add(Package, "json/"+id, skill(), file(claudeManifest, text))
	}
	for _, id := range []string{"bom", "comment", "trailing-comma", "empty", "array", "duplicate-name"} {
		text := map[string]string{"bom": "\ufeff" + ok, "comment": "{// no\n" + ok[1:], "trailing-comma": ok[:len(ok)-1] + ",}",
			"empty": "", "array": "[" + ok + "]", "duplicate-name": ok[:len(ok)-1] + `, "name": "other"}`}[id]
		m.add(Package, "json/codex-"+id, skill(), file(codexManifest, text), manifestWith(claudeManifest))
		m.add(Package, "json/copilot-"+id, skill(), file("plugin.json", text), manifestWith(claudeManifest))
	}
}

func (m *maker) madeNames() {
	for _, name := range []string{
		"Upper", "with space", "under_score", "dot.ted", "double--dash", "-lead", "trail-", "1digit", "ünicode", "слово",
		"claude-own", "anthropic-own", "cc-plugin-own", "claude", "anthropic", "official", "inline", "builtin", "x/y", "x@y", "..", ".", "x:y", "con",
		strings.Repeat("n", 64), strings.Repeat("n", 65), strings.Repeat("n", 129), " ", "emoji-🙂", "tab\\t", "claude-code-x", "my-claude", "skills-dir",
	} {
		id := idOf(name) + map[string]string{"x/y": "-slash", "x@y": "-at", "x:y": "-colon"}[name]
		switch {
		case len(name) > 60:
			id = "length-" + map[int]string{64: "64", 65: "65", 129: "129"}[len(name)]
		case id == "" || id == "nicode" || id == "emoji":
			id = map[string]string{"..": "dots", ".": "dot", " ": "blank", "слово": "cyrillic", "ünicode": "umlaut", "emoji-🙂": "emoji"}[name]
		case id == "lead" || id == "trail":
			id += "-dash"
		}
		text := `{"name": "` + strings.ReplaceAll(name, "@", "@@") + `", "version": "1.0.0"}`
		m.add(Package, "name/"+id, file("skills/@-skill/SKILL.md", skillText("@-skill")), file(claudeManifest, text))
	}
	for _, v := range []string{"1", "1.0", "v1.0.0", "1.0.0-beta.1", "1.0.0+build.5", "latest", "1.0.0 beta", "../up", "a/b", ".", "..", "", "1.0.0\\n", "10.20.30", "01.0.0", strings.Repeat("9", 300), "ü"} {
		id := idOf(v)
		if len(v) > 60 {
			id = "long"
		}
		id += map[string]string{"": "empty", ".": "dot", "..": "dots", "ü": "umlaut", "../up": "-above", "1.0.0\\n": "-line-feed"}[v]
		m.add(Package, "version/"+id, skill(), file(claudeManifest, `{"name": "@", "version": "`+v+`"}`))
	}
}

func (m *maker) madePlaces() {
	two := skill()
	m.add(Package, "place/none", two)
	m.add(Package, "place/none-and-nothing", file("README.md", "Nothing here.\n"))
	for id, at := range map[string]string{"claude": claudeManifest, "codex": codexManifest, "root": "plugin.json", "plugin": ".plugin/plugin.json", "github": ".github/plugin/plugin.json", "cursor": ".cursor-plugin/plugin.json", "claude-root": ".claude/plugin.json"} {
		m.add(Package, "place/"+id, two, manifestWith(at))
		m.add(Package, "place/"+id+"-other-name", two, file(at, `{"name": "other-name", "version": "1.0.0"}`))
		if at != claudeManifest {
			m.add(Package, "place/"+id+"-and-claude", two, manifestWith(claudeManifest, `"skills": "./claude-skills"`), file("claude-skills/@-own/SKILL.md", skillText("@-own")), manifestWith(at))
			m.add(Package, "place/"+id+"-broken-beside-claude", two, manifestWith(claudeManifest), file(at, "{"))
			m.add(Package, "place/claude-broken-beside-"+id, two, file(claudeManifest, "{"), manifestWith(at))
		}
	}
	const schema = `"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"`
	m.add(Package, "place/agent-plugins", two, manifestWith("plugin.json", schema), file("mcp.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"@-s": {"type": "stdio", "command": "node"}}}`))
	m.add(Package, "place/agent-plugins-later", two, manifestWith("plugin.json", strings.Replace(schema, "1.0.0", "2.0.0", 1)))
	m.add(Package, "place/agent-plugins-and-claude", two, manifestWith("plugin.json", schema), manifestWith(claudeManifest))
	m.add(Package, "place/manifest-is-link", two, file("real.json", `{"name": "@", "version": "1.0.0"}`), link(claudeManifest, "../real.json"))
	m.add(Package, "place/manifest-link-dangles", two, link(claudeManifest, "../nowhere.json"))
	m.add(Package, "place/manifest-is-directory", two, file(claudeManifest+"/x", "x"))
	m.add(Package, "place/upper-case", two, manifestWith(".claude-plugin/Plugin.json"))
	m.add(Package, "place/gemini-only", two, file("gemini-extension.json", `{"name": "@", "version": "1.0.0"}`))
}

// madeFields are values that have the right type.
func (m *maker) madeFields() {
	for id, f := range map[string]string{
		"author-object": `"author": {"name": "A"}`, "author-no-name": `"author": {}`, "author-bad-email": `"author": {"name": "A", "email": "no"}`, "author-url-number": `"author": {"name": "A", "url": 1}`, "author-unknown": `"author": {"name": "A", "x": 1}`, "author-name-empty": `"author": {"name": ""}`,
		"homepage-url": `"homepage": "https://example.com"`, "homepage-ftp": `"homepage": "ftp://example.com"`, "homepage-bare": `"homepage": "example.com"`, "homepage-empty": `"homepage": ""`, "homepage-javascript": `"homepage": "javascript:alert(1)"`,
		"repository-object": `"repository": {"type": "git", "url": "https://example.com/a.git"}`, "repository-short": `"repository": "owner/name"`,
		"license-unknown": `"license": "NOPE"`, "keywords": `"keywords": ["a", "a", ""]`, "keywords-mixed": `"keywords": ["a", 1]`,
		"dependency-name": `"dependencies": ["other"]`, "dependency-object": `"dependencies": [{"name": "other", "version": "^1.0.0"}]`, "dependency-bad-range": `"dependencies": [{"name": "other", "version": "not a range"}]`, "dependency-no-name": `"dependencies": [{"version": "1"}]`, "dependency-self": `"dependencies": ["@"]`, "dependency-number": `"dependencies": [5]`, "dependency-market": `"dependencies": ["other@@elsewhere"]`,
		"config": `"userConfig": {"KEY": {"type": "string", "title": "T", "description": "D"}}`, "config-no-type": `"userConfig": {"KEY": {"title": "T", "description": "D"}}`, "config-unknown-type": `"userConfig": {"KEY": {"type": "colour", "title": "T", "description": "D"}}`, "config-no-title": `"userConfig": {"KEY": {"type": "string", "description": "D"}}`, "config-no-description": `"userConfig": {"KEY": {"type": "string", "title": "T"}}`, "config-bad-key": `"userConfig": {"bad key": {"type": "string", "title": "T", "description": "D"}}`, "config-dash-key": `"userConfig": {"a-b": {"type": "string", "title": "T", "description": "D"}}`, "config-unknown-field": `"userConfig": {"KEY": {"type": "string", "title": "T", "description": "D", "x": 1}}`, "config-default-type": `"userConfig": {"KEY": {"type": "number", "title": "T", "description": "D", "default": "x"}}`, "config-min-on-text": `"userConfig": {"KEY": {"type": "string", "title": "T", "description": "D", "min": 1}}`, "config-required": `"userConfig": {"KEY": {"type": "string", "title": "T", "description": "D", "required": true}}`, "config-sensitive": `"userConfig": {"KEY": {"type": "string", "title": "T", "description": "D", "sensitive": true}}`, "config-directory": `"userConfig": {"KEY": {"type": "directory", "title": "T", "description": "D"}}`,
		"channel": `"mcpServers": {"@-s": {"command": "node"}}, "channels": [{"server": "@-s"}]`, "channel-unknown": `"channels": [{"server": "nope"}]`, "channel-no-server": `"channels": [{}]`,
		"disabled": `"defaultEnabled": false`, "unknown": `"unknownField": 1, "_own": 1`, "comment-key": `"//": "a comment"`,
		"experimental": `"experimental": {"themes": "./themes"}`, "experimental-monitors": `"experimental": {"monitors": [{"name": "m", "command": "true", "description": "d"}]}`, "experimental-unknown": `"experimental": {"x": 1}`,
		"interface": `"interface": {"displayName": "A", "shortDescription": "B", "defaultPrompt": ["a", "b", "c"]}`, "interface-prompts": `"interface": {"displayName": "A", "defaultPrompt": ["a", "b", "c", "d"]}`, "interface-prompt-long": `"interface": {"displayName": "A", "defaultPrompt": ["` + strings.Repeat("p", 200) + `"]}`, "interface-type": `"interface": {"displayName": 5}`, "interface-logo": `"interface": {"logo": "../logo.png"}`,
		"description-long": `"license": "` + strings.Repeat("x", 5000) + `"`, "description-empty": `"displayName": ""`,
	} {
		m.add(Package, "field/"+id, good(f))
	}
}
