package hostcheck

import "strings"

// madePaths are the paths of components in a manifest.
func (m *maker) madePaths() {
	own := file("extra/@-own/SKILL.md", skillText("@-own"))
	for id, v := range map[string]string{
		"dir": `"./extra"`, "slash": `"./extra/"`, "bare": `"extra"`, "above": `"../extra"`, "inside-above": `"./extra/../extra"`, "absolute": `"/etc"`, "missing": `"./missing"`,
		"root": `"./"`, "dot": `"."`, "list": `["./extra"]`, "list-bare": `["extra"]`, "list-mixed": `["./extra", 5]`, "list-missing": `["./extra", "./missing"]`, "twice": `["./extra", "./extra"]`,
		"default-again": `"./skills"`, "default-and-extra": `["./skills", "./extra"]`, "one-skill": `"./extra/@-own"`, "file": `"./extra/@-own/SKILL.md"`, "backslash": `".\\extra"`, "home": `"~/extra"`, "variable": `"${CLAUDE_PLUGIN_ROOT}/extra"`, "empty-text": `""`, "double-slash": `".//extra"`, "url": `"https://example.com/skills"`, "glob": `"./ex*"`, "nul": `"./extra\u0000"`, "object": `{"a": "./extra"}`, "list-of-objects": `[{"path": "./extra"}]`,
	} {
		m.add(Package, "path/skills-"+id, good(`"skills": `+v), own)
		m.add(Package, "path/codex-skills-"+id, manifestWith(codexManifest, `"skills": `+v), skill(), own).only(CodexClient)
		m.add(Package, "path/copilot-skills-"+id, manifestWith("plugin.json", `"skills": `+v), skill(), own).only(CopilotClient)
	}
	markdown := files("more/@-c.md", "---\ndescription: A command.\n---\nDo it.\n", "commands/@-default.md", "Do the default.\n", "agents/@-agent.md", agentText("@-agent"), "others/@-other.md", agentText("@-other"))
	for id, v := range map[string]string{
		"file": `"./more/@-c.md"`, "dir": `"./more"`, "list": `["./more/@-c.md"]`, "list-dir": `["./more"]`, "missing": `"./more/none.md"`, "above": `"../more/@-c.md"`, "bare": `"more/@-c.md"`, "not-markdown": `"./.claude-plugin/plugin.json"`,
		"object": `{"@-named": {"source": "./more/@-c.md", "description": "d"}}`, "object-content": `{"@-named": {"content": "Do it."}}`, "object-both": `{"@-named": {"content": "Do it.", "source": "./more/@-c.md"}}`, "object-neither": `{"@-named": {"description": "d"}}`, "default-and-more": `["./commands", "./more"]`,
	} {
		m.add(Package, "path/commands-"+id, good(`"commands": `+v), markdown)
	}
	for id, v := range map[string]string{
		"file": `"./others/@-other.md"`, "dir": `"./others"`, "list": `["./others/@-other.md"]`, "missing": `"./others/none.md"`, "above": `"../others/x.md"`, "list-both": `["./agents/@-agent.md", "./others/@-other.md"]`, "bare": `"others/@-other.md"`,
	} {
		m.add(Package, "path/agents-"+id, good(`"agents": `+v), markdown)
	}
	for id, v := range map[string]string{"file": `"./styles/s.md"`, "dir": `"./styles"`, "missing": `"./none"`, "list": `["./styles/s.md"]`} {
		m.add(Package, "path/styles-"+id, good(`"outputStyles": `+v), file("styles/s.md", "---\nname: s\ndescription: d\n---\nBe short.\n"))
	}
}

func agentText(name string) string {
	return "---\nname: " + name + "\ndescription: Helps.\n---\nHelp.\n"
}

// hookFile writes a hooks file with one hook.
func hookFile(event, hook string) string {
	return `{"hooks": {"` + event + `": [{"hooks": [` + hook + `]}]}}`
}

const commandHook = `{"type": "command", "command": "true"}`

func (m *maker) madeHooks() {
	ok := hookFile("SessionStart", commandHook)
	for id, text := range map[string]string{
		"good": ok, "two-events": `{"hooks": {"Stop": [{"hooks": [` + commandHook + `]}], "PreToolUse": [{"matcher": "Bash", "hooks": [` + commandHook + `]}]}}`,
		"no-hooks-key": `{"SessionStart": [{"hooks": [` + commandHook + `]}]}`, "hooks-list": `{"hooks": []}`, "hooks-null": `{"hooks": null}`, "hooks-empty": `{"hooks": {}}`, "array": `[]`, "empty": "", "broken": `{"hooks": {`, "comment": "// c\n" + ok, "trailing-comma": strings.TrimSuffix(ok, "}") + ",}", "bom": "\ufeff" + ok,
		"unknown-event": hookFile("OnSomething", commandHook), "lower-event": hookFile("sessionStart", commandHook), "unknown-beside-good": `{"hooks": {"Nope": [{"hooks": [` + commandHook + `]}], "Stop": [{"hooks": [` + commandHook + `]}]}}`,
		"event-object": `{"hooks": {"Stop": {"hooks": [` + commandHook + `]}}}`, "flat": `{"hooks": {"Stop": [` + commandHook + `]}}`, "no-inner-hooks": `{"hooks": {"Stop": [{"matcher": "x"}]}}`, "inner-empty": `{"hooks": {"Stop": [{"hooks": []}]}}`, "matcher-number": `{"hooks": {"PreToolUse": [{"matcher": 1, "hooks": [` + commandHook + `]}]}}`, "matcher-object": `{"hooks": {"PreToolUse": [{"matcher": {"tool_name": "Bash"}, "hooks": [` + commandHook + `]}]}}`, "matcher-bad-expression": `{"hooks": {"PreToolUse": [{"matcher": "[", "hooks": [` + commandHook + `]}]}}`,
		"unknown-type": hookFile("Stop", `{"type": "dance", "command": "true"}`), "no-type": hookFile("Stop", `{"command": "true"}`), "no-command": hookFile("Stop", `{"type": "command"}`), "command-number": hookFile("Stop", `{"type": "command", "command": 1}`), "command-empty": hookFile("Stop", `{"type": "command", "command": ""}`), "command-list": hookFile("Stop", `{"type": "command", "command": ["true"]}`), "args": hookFile("Stop", `{"type": "command", "command": "echo", "args": ["a"]}`),
		"timeout-text": hookFile("Stop", `{"type": "command", "command": "true", "timeout": "5"}`), "timeout-negative": hookFile("Stop", `{"type": "command", "command": "true", "timeout": -1}`), "timeout-zero": hookFile("Stop", `{"type": "command", "command": "true", "timeout": 0}`), "timeout-fraction": hookFile("Stop", `{"type": "command", "command": "true", "timeout": 1.5}`),
		"prompt": hookFile("Stop", `{"type": "prompt", "prompt": "ok?"}`), "prompt-none": hookFile("Stop", `{"type": "prompt"}`), "agent": hookFile("Stop", `{"type": "agent", "prompt": "ok?"}`), "http": hookFile("Stop", `{"type": "http", "url": "https://example.com/h"}`), "http-bad-url": hookFile("Stop", `{"type": "http", "url": "nope"}`), "mcp-tool": hookFile("Stop", `{"type": "mcp_tool", "server": "s", "tool": "t"}`),
		"unknown-hook-field": hookFile("Stop", `{"type": "command", "command": "true", "own": 1}`), "unknown-top-field": `{"own": 1, "hooks": {"Stop": [{"hooks": [` + commandHook + `]}]}}`, "description": `{"description": "d", "hooks": {"Stop": [{"hooks": [` + commandHook + `]}]}}`, "version": `{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "true"}]}}`, "async": hookFile("Stop", `{"type": "command", "command": "true", "async": true}`), "bad-beside-good": `{"hooks": {"Stop": [{"hooks": [{"type": "command"}, ` + commandHook + `]}]}}`, "bad-event-beside-good": `{"hooks": {"Stop": 5, "SessionStart": [{"hooks": [` + commandHook + `]}]}}`, "user-config": hookFile("Stop", `{"type": "command", "command": "echo ${user_config.KEY}"}`), "subagent": hookFile("SubagentStop", commandHook), "post-compact": hookFile("PostCompact", commandHook), "permission": hookFile("PermissionRequest", commandHook),
	} {
		m.add(Package, "hooks/"+id, good(), file("hooks/hooks.json", text))
	}
	for id, v := range map[string]string{
		"default-path": `"./hooks/hooks.json"`, "other-path": `"./other.json"`, "missing-path": `"./none.json"`, "bare-path": `"other.json"`, "above-path": `"../other.json"`, "list": `["./other.json"]`, "list-both": `["./hooks/hooks.json", "./other.json"]`, "inline": `{"Stop": [{"hooks": [` + commandHook + `]}]}`, "inline-wrapped": hookFile("Stop", commandHook), "inline-unknown-event": `{"Nope": [{"hooks": [` + commandHook + `]}]}`, "list-inline": `[{"hooks": {"Stop": [{"hooks": [` + commandHook + `]}]}}]`, "inline-bad": `{"Stop": 5}`, "directory": `"./hooks"`,
	} {
		m.add(Package, "hooks/manifest-"+id, good(`"hooks": `+v), file("hooks/hooks.json", ok), file("other.json", hookFile("SessionEnd", commandHook)))
		m.add(Package, "hooks/codex-manifest-"+id, manifestWith(codexManifest, `"hooks": `+v), skill(), file("hooks/hooks.json", ok), file("other.json", hookFile("UserPromptSubmit", commandHook))).only(CodexClient)
	}
	m.add(Package, "hooks/manifest-same-inline", good(`"hooks": {"SessionStart": [{"hooks": [`+commandHook+`]}]}`), file("hooks/hooks.json", ok))
	m.add(Package, "hooks/root-file", good(), file("hooks.json", ok))
	m.add(Package, "hooks/only", manifestWith(claudeManifest), file("hooks/hooks.json", ok))
}

func (m *maker) madeServers() {
	wrap := func(s string) string { return `{"mcpServers": {"@-s": ` + s + `}}` }
	for id, s := range map[string]string{
		"stdio": `{"command": "node"}`, "args": `{"command": "node", "args": ["a", "${CLAUDE_PLUGIN_ROOT}/b"], "env": {"A": "b"}}`, "stdio-type": `{"type": "stdio", "command": "node"}`, "http": `{"type": "http", "url": "https://example.com/mcp"}`, "sse": `{"type": "sse", "url": "https://example.com/sse"}`, "ws": `{"type": "ws", "url": "wss://example.com"}`, "streamable": `{"type": "streamable-http", "url": "https://example.com/mcp"}`, "local": `{"type": "local", "command": "node", "args": []}`, "url-only": `{"url": "https://example.com/mcp"}`, "http-url-key": `{"httpUrl": "https://example.com/mcp"}`, "http-headers": `{"type": "http", "url": "https://example.com/mcp", "headers": {"A": "b"}}`, "headers-number": `{"type": "http", "url": "https://example.com/mcp", "headers": {"A": 1}}`,
		"empty": `{}`, "no-command": `{"args": ["a"]}`, "command-number": `{"command": 1}`, "command-empty": `{"command": ""}`, "command-list": `{"command": ["node", "x"]}`, "command-blank": `{"command": "node x.js"}`, "args-text": `{"command": "node", "args": "a"}`, "args-number": `{"command": "node", "args": [1]}`, "env-number": `{"command": "node", "env": {"A": 1}}`, "env-list": `{"command": "node", "env": ["A=b"]}`, "env-null": `{"command": "node", "env": null}`, "unknown-type": `{"type": "pigeon", "command": "node"}`, "http-no-url": `{"type": "http"}`, "http-bad-url": `{"type": "http", "url": "not a url"}`, "http-variable": `{"type": "http", "url": "${BASE_URL}/mcp"}`, "url-number": `{"type": "http", "url": 1}`, "stdio-with-url": `{"type": "stdio", "url": "https://example.com"}`, "both": `{"command": "node", "url": "https://example.com"}`, "unknown-field": `{"command": "node", "own": 1}`, "cwd": `{"command": "node", "cwd": "./x"}`, "cwd-number": `{"command": "node", "cwd": 1}`, "disabled": `{"command": "node", "disabled": true}`, "timeout": `{"command": "node", "timeout": 5}`, "timeout-text": `{"command": "node", "timeout": "5"}`, "null": `null`, "text": `"node"`, "list": `[]`, "tools": `{"command": "node", "tools": ["*"]}`, "type-null": `{"type": null, "command": "node"}`, "oauth": `{"type": "http", "url": "https://example.com/mcp", "oauth": {"clientId": "x"}}`, "plain-http": `{"type": "http", "url": "http://example.com/mcp"}`, "always-load": `{"command": "node", "alwaysLoad": true}`,
	} {
		m.add(Package, "mcp/"+id, good(), file(".mcp.json", `{"mcpServers": {"@-s": `+s+`, "@-good": {"command": "node"}}}`))
	}
	one := `{"command": "node"}`
	for id, text := range map[string]string{
		"bare": `{"@-s": ` + one + `}`, "wrapped-empty": `{"mcpServers": {}}`, "wrapped-list": `{"mcpServers": []}`, "wrapped-null": `{"mcpServers": null}`, "array": `[]`, "empty-file": "", "broken": "{", "comment": "// c\n" + wrap(one), "bom": "\ufeff" + wrap(one), "empty-name": `{"mcpServers": {"": ` + one + `}}`, "name-blank": `{"mcpServers": {"@ s": ` + one + `}}`, "name-dot": `{"mcpServers": {"@.s": ` + one + `}}`, "name-slash": `{"mcpServers": {"@/s": ` + one + `}}`, "name-long": `{"mcpServers": {"@-` + strings.Repeat("n", 200) + `": ` + one + `}}`, "twice": `{"mcpServers": {"@-s": ` + one + `, "@-s": ` + one + `}}`, "inputs": `{"inputs": [], "mcpServers": {"@-s": ` + one + `}}`, "servers-key": `{"servers": {"@-s": ` + one + `}}`, "snake": `{"mcp_servers": {"@-s": ` + one + `}}`, "unknown-top": `{"own": 1, "mcpServers": {"@-s": ` + one + `}}`, "trailing-comma": `{"mcpServers": {"@-s": ` + one + `},}`,
	} {
		m.add(Package, "mcp/file-"+id, good(), file(".mcp.json", text))
	}
	for id, v := range map[string]string{
		"path": `"./servers.json"`, "default-path": `"./.mcp.json"`, "missing": `"./none.json"`, "bare": `"servers.json"`, "above": `"../servers.json"`, "list": `["./servers.json"]`, "list-inline": `[{"@-i": {"command": "node"}}]`, "list-mixed": `["./servers.json", {"@-i": {"command": "node"}}]`, "inline": `{"@-i": {"command": "node"}}`, "inline-wrapped": `{"mcpServers": {"@-i": {"command": "node"}}}`, "inline-bad": `{"@-i": {"args": []}}`, "inline-same-name": `{"@-s": {"command": "other"}}`, "bundle": `"./x.mcpb"`, "bundle-url": `"https://example.com/x.mcpb"`,
	} {
		parts := [][]File{skill(), file(".mcp.json", wrap(one)), file("servers.json", `{"mcpServers": {"@-o": {"command": "node"}}}`)}
		m.add(Package, "mcp/manifest-"+id, append(parts, manifestWith(claudeManifest, `"mcpServers": `+v))...)
		m.add(Package, "mcp/codex-manifest-"+id, append(parts, manifestWith(codexManifest, `"mcpServers": `+v))...).only(CodexClient)
		m.add(Package, "mcp/copilot-manifest-"+id, append(parts, manifestWith("plugin.json", `"mcpServers": `+v))...).only(CopilotClient)
	}
	m.add(Package, "mcp/place-no-dot", good(), file("mcp.json", wrap(one)))
	m.add(Package, "mcp/place-github", good(), file(".github/mcp.json", wrap(one)))
	m.add(Package, "mcp/place-both", good(), file(".mcp.json", wrap(one)), file("mcp.json", `{"mcpServers": {"@-o": `+one+`}}`))
	for id, s := range map[string]string{
		"good": `{"command": "gopls", "extensionToLanguage": {".go": "go"}}`, "no-command": `{"extensionToLanguage": {".go": "go"}}`, "no-languages": `{"command": "gopls"}`, "languages-empty": `{"command": "gopls", "extensionToLanguage": {}}`, "no-dot": `{"command": "gopls", "extensionToLanguage": {"go": "go"}}`, "blank-command": `{"command": "gopls -x", "extensionToLanguage": {".go": "go"}}`, "unknown-field": `{"command": "gopls", "extensionToLanguage": {".go": "go"}, "own": 1}`, "transport": `{"command": "gopls", "extensionToLanguage": {".go": "go"}, "transport": "pigeon"}`, "args-text": `{"command": "gopls", "extensionToLanguage": {".go": "go"}, "args": "x"}`, "timeout-text": `{"command": "gopls", "extensionToLanguage": {".go": "go"}, "startupTimeout": "x"}`, "null": `null`,
	} {
		m.add(Package, "lsp/"+id, good(), file(".lsp.json", `{"@-l": `+s+`}`))
		m.add(Package, "lsp/manifest-"+id, good(`"lspServers": {"@-l": `+s+`}`)).only(ClaudeClient)
	}
	m.add(Package, "lsp/wrapped", good(), file(".lsp.json", `{"lspServers": {"@-l": {"command": "gopls", "extensionToLanguage": {".go": "go"}}}}`))
	m.add(Package, "lsp/broken", good(), file(".lsp.json", `{`))
	m.add(Package, "lsp/manifest-path", good(`"lspServers": "./l.json"`), file("l.json", `{"@-l": {"command": "gopls", "extensionToLanguage": {".go": "go"}}}`))
}

func (m *maker) madeMarkdown() {
	for id, text := range map[string]string{
		"good": "---\ndescription: d\n---\nDo.\n", "plain": "Do.\n", "empty": "", "bad-yaml": "---\ndescription: [a\n---\nDo.\n", "not-closed": "---\ndescription: d\nDo.\n", "description-list": "---\ndescription: [a, b]\n---\nDo.\n", "description-number": "---\ndescription: 5\n---\nDo.\n", "name": "---\nname: @-renamed\ndescription: d\n---\nDo.\n", "tools-list": "---\ndescription: d\nallowed-tools: [Bash]\n---\nDo.\n", "tools-object": "---\ndescription: d\nallowed-tools: {a: b}\n---\nDo.\n", "model": "---\ndescription: d\nmodel: nope\n---\nDo.\n", "unknown": "---\ndescription: d\nown: 1\n---\nDo.\n", "bom": "\ufeff---\ndescription: d\n---\nDo.\n", "crlf": "---\r\ndescription: d\r\n---\r\nDo.\r\n", "colon": "---\ndescription: do this: that\n---\nDo.\n", "yaml-list": "---\n- a\n---\nDo.\n", "frontmatter-empty": "---\n---\nDo.\n", "hint-list": "---\ndescription: d\nargument-hint: [a]\n---\nDo.\n",
	} {
		m.add(Package, "command/"+id, good(), file("commands/@-c.md", text))
	}
	for id, text := range map[string]string{
		"good": agentText("@-a"), "plain": "Help.\n", "empty": "", "no-name": "---\ndescription: d\n---\nHelp.\n", "no-description": "---\nname: @-a\n---\nHelp.\n", "bad-yaml": "---\nname: [a\n---\nHelp.\n", "colon": "---\nname: @-a\ndescription: Use this: always\n---\nHelp.\n", "name-other": agentText("@-other"), "name-blank": agentText("@ a"), "name-upper": agentText("@-A"), "name-number": "---\nname: 5\ndescription: d\n---\nHelp.\n", "tools-list": "---\nname: @-a\ndescription: d\ntools: [Read]\n---\nHelp.\n", "tools-object": "---\nname: @-a\ndescription: d\ntools: {a: b}\n---\nHelp.\n", "hooks": "---\nname: @-a\ndescription: d\nhooks: {}\n---\nHelp.\n", "model": "---\nname: @-a\ndescription: d\nmodel: 5\n---\nHelp.\n", "permission-mode": "---\nname: @-a\ndescription: d\npermissionMode: bypassPermissions\n---\nHelp.\n", "description-list": "---\nname: @-a\ndescription: [a]\n---\nHelp.\n", "bom": "\ufeff" + agentText("@-a"), "crlf": strings.ReplaceAll(agentText("@-a"), "\n", "\r\n"), "no-body": "---\nname: @-a\ndescription: d\n---\n",
	} {
		m.add(Package, "agent/"+id, good(), file("agents/@-a.md", text))
	}
	one := agentText("@-a")
	m.add(Package, "agent/nested", good(), file("agents/sub/@-a.md", one))
	m.add(Package, "agent/copilot-name", good(), file("agents/@-a.agent.md", one))
	m.add(Package, "agent/same-name-twice", good(), file("agents/@-1.md", one), file("agents/@-2.md", one))
	m.add(Package, "agent/readme", good(), file("agents/README.md", "About the agents.\n"))
	m.add(Package, "command/nested", good(), file("commands/sub/@-c.md", "Do.\n"))
	m.add(Package, "command/nested-same", good(), files("commands/sub/@-c.md", "Do.\n", "commands/@-c.md", "Do.\n"))
	m.add(Package, "command/upper-extension", good(), file("commands/@-c.MD", "Do.\n"))
	m.add(Package, "command/not-markdown", good(), file("commands/@-c.txt", "Do.\n"))
	m.add(Package, "command/toml", good(), file("commands/@-c.toml", "prompt = \"Do\"\n"))
	m.add(Package, "command/as-skill", good(), file("commands/@-c/SKILL.md", skillText("@-c")))
	m.add(Package, "command/same-as-skill", good(), file("commands/@-skill.md", "Do.\n"))
	m.add(Package, "command/readme", good(), file("commands/README.md", "About.\n"))
	m.add(Package, "command/blank-name", good(), file("commands/@ c.md", "Do.\n"))
	m.add(Package, "command/only", manifestWith(claudeManifest), file("commands/@-c.md", "Do.\n"))
	m.add(Package, "command/hidden", good(), file("commands/.@-c.md", "Do.\n"))
}

// madeTrees are shapes of the directory: links, places of skills.
func (m *maker) madeTrees() {
	m.add(Package, "tree/skill-link-inside", good(), file("real/SKILL.md", skillText("@-linked")), link("skills/@-linked", "../real"))
	m.add(Package, "tree/skill-link-outside", good(), link("skills/@-linked", "/etc"))
	m.add(Package, "tree/skill-file-link", good(), file("real.md", skillText("@-linked")), link("skills/@-linked/SKILL.md", "../../real.md"))
	m.add(Package, "tree/skill-link-dangles", good(), link("skills/@-linked", "../nowhere"))
	m.add(Package, "tree/skills-dir-is-link", manifestWith(claudeManifest), file("real/@-skill/SKILL.md", skillText("@-skill")), link("skills", "real"))
	m.add(Package, "tree/passwd", good(), link("passwd", "/etc/passwd"))
	m.add(Package, "tree/command-link", good(), file("real.md", "Do.\n"), link("commands/@-c.md", "../real.md"))
	m.add(Package, "tree/servers-link", good(), file("real.json", `{"mcpServers": {"@-s": {"command": "node"}}}`), link(".mcp.json", "real.json"))
	m.add(Package, "tree/hooks-link", good(), file("real.json", hookFile("Stop", commandHook)), link("hooks/hooks.json", "../real.json"))
	m.add(Package, "tree/skills-nested", good(), file("skills/group/@-deep/SKILL.md", skillText("@-deep")))
	m.add(Package, "tree/skills-nested-twice", good(), file("skills/a/b/@-deep/SKILL.md", skillText("@-deep")))
	m.add(Package, "tree/skill-in-skill", good(), file("skills/@-skill/inner/SKILL.md", skillText("@-inner")))
	m.add(Package, "tree/root-skill", manifestWith(claudeManifest), file("SKILL.md", skillText("@-root")))
	m.add(Package, "tree/root-skill-and-skills", good(), file("SKILL.md", skillText("@-root")))
	m.add(Package, "tree/root-skill-alone", file("SKILL.md", skillText("@-root")))
	m.add(Package, "tree/skill-file-in-skills", good(), file("skills/SKILL.md", skillText("@-flat")))
	m.add(Package, "tree/skill-lower-case", manifestWith(claudeManifest), file("skills/@-skill/skill.md", skillText("@-skill")))
	m.add(Package, "tree/skill-other-case", manifestWith(claudeManifest), file("skills/@-skill/Skill.md", skillText("@-skill")))
	m.add(Package, "tree/skill-markdown-file", manifestWith(claudeManifest), file("skills/@-skill.md", skillText("@-skill")))
	m.add(Package, "tree/skill-hidden", good(), file("skills/.@-hidden/SKILL.md", skillText("@-hidden")))
	m.add(Package, "tree/skill-empty-dir", good(), file("skills/@-other/notes.txt", "x"))
	m.add(Package, "tree/two-skills", good(), file("skills/@-two/SKILL.md", skillText("@-two")))
	m.add(Package, "tree/two-skills-one-name", good(), file("skills/@-two/SKILL.md", skillText("@-skill")))
	m.add(Package, "tree/case-clash", good(), files("a.txt", "1", "A.txt", "2"))
	m.add(Package, "tree/skills-upper", manifestWith(claudeManifest), file("Skills/@-skill/SKILL.md", skillText("@-skill")))
	m.add(Package, "tree/agents-skills", manifestWith(claudeManifest), file(".agents/skills/@-skill/SKILL.md", skillText("@-skill")))
	m.add(Package, "tree/claude-skills", manifestWith(claudeManifest), file(".claude/skills/@-skill/SKILL.md", skillText("@-skill")))
	m.add(Package, "tree/github-skills", manifestWith(claudeManifest), file(".github/skills/@-skill/SKILL.md", skillText("@-skill")))
	m.add(Package, "tree/env-file", good(), file(".env", "TOKEN=x\n"))
	m.add(Package, "tree/node-modules", good(), file("node_modules/x/SKILL.md", skillText("@-vendored")))
	m.add(Package, "tree/settings", good(), file("settings.json", `{"agent": "x"}`))
	m.add(Package, "tree/settings-broken", good(), file("settings.json", `{`))
	m.add(Package, "tree/claude-md", good(), file("CLAUDE.md", "Instructions.\n"))
	m.add(Package, "tree/bin", good(), file("bin/tool", "#!/bin/sh\n"))
	m.add(Package, "tree/monitors", good(), file("monitors/monitors.json", `[{"name": "m", "command": "true", "description": "d"}]`))
	m.add(Package, "tree/monitors-broken", good(), file("monitors/monitors.json", `{`))
	m.add(Package, "tree/styles", good(), file("output-styles/@-s.md", "---\nname: s\ndescription: d\n---\nShort.\n"))
	m.add(Package, "tree/workflows", good(), file("workflows/w.md", "Do.\n"))
	m.add(Package, "tree/long-path", good(), file("d/"+strings.Repeat("n", 120)+"/"+strings.Repeat("m", 120)+".txt", "x"))
	m.add(Package, "tree/device-name", good(), file("aux.txt", "x"))
	m.add(Package, "tree/package-json", good(), file("package.json", `{"name": "x", "version": "9.9.9"}`))
	m.add(Package, "tree/package-lock", good(), file("package-lock.json", `{`))
	m.add(Package, "tree/apps", good(), file(".app.json", `{"apps": {}}`))
}
