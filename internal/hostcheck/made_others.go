package hostcheck

import "strings"

// madeExtensions are Gemini extensions.
func (m *maker) madeExtensions() {
	ext := func(id, text string, parts ...[]File) {
		m.add(Extension, "gemini/"+id, append([][]File{file("gemini-extension.json", text)}, parts...)...)
	}
	with := func(more string) string { return `{"name": "@", "version": "1.0.0"` + more + "}" }
	ok := with("")
	for id, text := range map[string]string{
		"good": ok, "no-name": `{"version": "1.0.0"}`, "no-version": `{"name": "@"}`, "name-number": `{"name": 1, "version": "1.0.0"}`, "version-number": `{"name": "@", "version": 1}`, "name-empty": `{"name": "", "version": "1.0.0"}`, "version-empty": `{"name": "@", "version": ""}`, "name-upper": `{"name": "@-U", "version": "1.0.0"}`, "name-under": `{"name": "@_u", "version": "1.0.0"}`, "name-dot": `{"name": "@.u", "version": "1.0.0"}`, "name-blank": `{"name": "@ u", "version": "1.0.0"}`, "name-slash": `{"name": "@/u", "version": "1.0.0"}`, "name-above": `{"name": "../@", "version": "1.0.0"}`, "name-umlaut": `{"name": "@-ü", "version": "1.0.0"}`, "version-bad": `{"name": "@", "version": "one"}`, "version-two": `{"name": "@", "version": "1.0"}`, "empty": "", "broken": "{", "array": "[]", "comment": "// c\n" + ok, "trailing-comma": with(","), "bom": "\ufeff" + ok, "null": "null", "empty-object": "{}", "twice": with(`, "name": "other"`),
		"unknown": with(`, "own": 1`), "description": with(`, "description": "d"`), "description-number": with(`, "description": 1`), "server": with(`, "mcpServers": {"s": {"command": "node"}}`), "server-empty": with(`, "mcpServers": {"s": {}}`), "servers-list": with(`, "mcpServers": []`), "servers-text": with(`, "mcpServers": "x"`), "server-null": with(`, "mcpServers": {"s": null}`), "server-trust": with(`, "mcpServers": {"s": {"command": "node", "trust": true}}`), "exclude-tools": with(`, "excludeTools": ["a"]`), "exclude-tools-text": with(`, "excludeTools": "a"`), "settings": with(`, "settings": [{"name": "S", "description": "d", "envVar": "S"}]`), "settings-bad": with(`, "settings": [{"name": "S"}]`), "settings-text": with(`, "settings": "x"`), "themes": with(`, "themes": []`), "plan": with(`, "plan": {"directory": "plans"}`), "migrated": with(`, "migratedTo": "https://example.com/x"`),
		"context-missing": with(`, "contextFileName": "NONE.md"`), "context-list-missing": with(`, "contextFileName": ["NONE.md"]`), "context-number": with(`, "contextFileName": 5`), "context-above": with(`, "contextFileName": "../x.md"`),
	} {
		ext(id, text)
	}
	ext("context-default", ok, file("GEMINI.md", "Instructions.\n"))
	ext("context-named", with(`, "contextFileName": "OWN.md"`), file("OWN.md", "Instructions.\n"))
	ext("context-list", with(`, "contextFileName": ["OWN.md", "NONE.md"]`), file("OWN.md", "Instructions.\n"))
	ext("context-empty", with(`, "contextFileName": ""`), file("GEMINI.md", "Instructions.\n"))
	ext("skill", ok, skill())
	ext("skill-no-frontmatter", ok, file("skills/@-skill/SKILL.md", "Hello.\n"))
	ext("skill-no-description", ok, file("skills/@-skill/SKILL.md", "---\nname: @-skill\n---\nHello.\n"))
	ext("skill-no-name", ok, file("skills/@-skill/SKILL.md", "---\ndescription: d\n---\nHello.\n"))
	ext("skill-other-name", ok, file("skills/@-skill/SKILL.md", skillText("@-other")))
	ext("skill-bad-yaml", ok, file("skills/@-skill/SKILL.md", "---\nname: [a\ndescription: d\n---\nHello.\n"))
	ext("skill-colon", ok, file("skills/@-skill/SKILL.md", "---\nname: @-skill\ndescription: Use: this\n---\nHello.\n"))
	ext("skill-root", ok, file("SKILL.md", skillText("@-root")))
	ext("skill-nested", ok, file("skills/a/@-skill/SKILL.md", skillText("@-skill")))
	ext("skill-name-slash", ok, file("skills/@-skill/SKILL.md", skillText("@/x")))
	ext("skill-name-colon", ok, file("skills/@-skill/SKILL.md", skillText("\"@:x\"")))
	ext("skill-description-list", ok, file("skills/@-skill/SKILL.md", "---\nname: @-skill\ndescription: [a]\n---\nHello.\n"))
	ext("skill-two", ok, skill(), file("skills/@-two/SKILL.md", skillText("@-two")))
	ext("agent", ok, file("agents/@-a.md", agentText("@-a")))
	ext("agent-no-name", ok, file("agents/@-a.md", "---\ndescription: d\n---\nHelp.\n"))
	ext("agent-plain", ok, file("agents/@-a.md", "Help.\n"))
	ext("agent-unknown-key", ok, file("agents/@-a.md", "---\nname: @-a\ndescription: d\nown: 1\n---\nHelp.\n"))
	ext("hooks", ok, file("hooks/hooks.json", hookFile("SessionStart", commandHook)))
	ext("hooks-unknown-event", ok, file("hooks/hooks.json", hookFile("Nope", commandHook)))
	ext("hooks-broken", ok, file("hooks/hooks.json", "{"))
	ext("hooks-no-key", ok, file("hooks/hooks.json", `{"SessionStart": []}`))
	ext("command", ok, file("commands/c.toml", "prompt = \"Do.\"\n"))
	ext("beside-claude", ok, manifestWith(claudeManifest))
	m.add(Extension, "gemini/none", file("README.md", "x"))
	m.add(Extension, "gemini/link", file("real.json", ok), link("gemini-extension.json", "real.json"))
}

// madeBundles are manifests of MCP bundles.
func (m *maker) madeBundles() {
	server := `"server": {"type": "node", "entry_point": "server/index.js", "mcp_config": {"command": "node", "args": ["${__dirname}/server/index.js"]}}`
	ok := `{"manifest_version": "0.3", "name": "@", "version": "1.0.0", "description": "d", "author": {"name": "A"}, ` + server + "}"
	b := func(id, text string) { m.add(Bundle, "bundle/"+id, file("manifest.json", text)) }
	for id, text := range map[string]string{"good": ok, "bom": "\ufeff" + ok, "comment": "// c\n" + ok, "empty": "", "array": "[]", "empty-object": "{}", "trailing-comma": ok[:len(ok)-1] + ",}"} {
		b(id, text)
	}
	for id, pair := range map[string][2]string{
		"version-0-1": {`"0.3"`, `"0.1"`}, "version-0-2": {`"0.3"`, `"0.2"`}, "version-0-4": {`"0.3"`, `"0.4"`}, "version-0-5": {`"0.3"`, `"0.5"`}, "version-number": {`"0.3"`, `0.3`}, "dxt-version": {`"manifest_version"`, `"dxt_version"`}, "no-name": {`"name": "@", `, ""}, "name-number": {`"@"`, `1`}, "name-empty": {`"@"`, `""`}, "name-blank": {`"@"`, `"a b"`}, "no-version": {`"version": "1.0.0", `, ""}, "package-version-text": {`"1.0.0"`, `"x"`}, "no-description": {`"description": "d", `, ""}, "no-author": {`"author": {"name": "A"}, `, ""}, "author-text": {`{"name": "A"}`, `"A"`}, "author-empty": {`{"name": "A"}`, `{}`}, "author-email-bad": {`{"name": "A"}`, `{"name": "A", "email": "no"}`}, "author-url-bad": {`{"name": "A"}`, `{"name": "A", "url": "no"}`}, "no-server": {", " + server, ""}, "server-type-unknown": {`"node", "entry`, `"ruby", "entry`}, "server-python": {`"node", "entry`, `"python", "entry`}, "server-binary": {`"node", "entry`, `"binary", "entry`}, "server-uv": {`"node", "entry`, `"uv", "entry`}, "no-entry-point": {`"entry_point": "server/index.js", `, ""}, "no-config": {`, "mcp_config": {"command": "node", "args": ["${__dirname}/server/index.js"]}`, ""}, "no-command": {`"command": "node", `, ""}, "args-text": {`["${__dirname}/server/index.js"]`, `"x"`},
	} {
		b(id, strings.Replace(ok, pair[0], pair[1], 1))
	}
	for id, more := range map[string]string{
		"unknown": `"own": 1`, "display-name": `"display_name": "D"`, "homepage": `"homepage": "https://example.com"`, "homepage-bad": `"homepage": "no"`, "repository": `"repository": {"type": "git", "url": "https://example.com/r"}`, "repository-text": `"repository": "x"`, "icon": `"icon": "icon.png"`, "tools": `"tools": [{"name": "t"}]`, "tools-no-name": `"tools": [{}]`, "tools-generated": `"tools_generated": true`, "prompts": `"prompts": [{"name": "p", "text": "t"}]`, "prompt-no-text": `"prompts": [{"name": "p"}]`, "keywords-text": `"keywords": "k"`, "config": `"user_config": {"k": {"type": "string", "title": "T", "description": "D"}}`, "config-type": `"user_config": {"k": {"type": "colour", "title": "T", "description": "D"}}`, "config-no-title": `"user_config": {"k": {"type": "string", "description": "D"}}`, "compatibility": `"compatibility": {"platforms": ["darwin"], "runtimes": {"node": ">=18"}}`, "platform-unknown": `"compatibility": {"platforms": ["beos"]}`, "privacy": `"privacy_policies": ["https://example.com"]`, "privacy-bad": `"privacy_policies": ["no"]`, "meta": `"_meta": {"a": {"b": 1}}`, "icons": `"icons": [{"src": "a.png", "size": "16x16"}]`, "icons-size": `"icons": [{"src": "a.png", "size": "big"}]`, "screenshots": `"screenshots": ["a.png"]`, "localization": `"localization": {"resources": "l/${locale}.json", "default_locale": "en"}`, "license": `"license": "MIT"`, "schema": `"$schema": "x"`,
	} {
		b("with-"+id, ok[:len(ok)-1]+", "+more+"}")
	}
}
