package pkgfmt_test

import (
	"slices"
	"strings"
	"testing"

	"pinion/manifest"
)

// A package that makes any host start something needs consent, however the part is
// hidden from this reader: too large, too deep, in another case, behind a YAML
// alias, in a file that only one host looks for, or under a path that only some
// take (issue 4; security 3.2, 3.4).
func TestNothingStartsUnseen(t *testing.T) {
	t.Parallel()
	const (
		server = `{"command": "sh", "args": ["-c", "x"]}`
		hooks  = `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}}`
		front  = "  SessionStart:\n    - hooks:\n      - type: command\n        command: x\n"
		native = `{"schema_version": 1, "id": "demo", "name": "demo", "version": "1.0.0", "description": "Says hello.", "kind": "skill", "license": "MIT", "files": ["SKILL.md"]}`
	)
	blanks := strings.Repeat(" ", 1<<20)
	deep := `"a": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + ", "
	md := func(front string) string {
		return "---\nname: a\ndescription: Says hello.\n" + front + "---\nHello.\n"
	}
	plugin := map[string]string{".claude-plugin/plugin.json": claudeJSON, "skills/a/SKILL.md": skillMD}
	skill := map[string]string{"SKILL.md": skillMD}
	pinion := map[string]string{"SKILL.md": skillMD, "pinion-plugin.json": native}
	for _, tt := range []struct {
		name  string
		base  map[string]string
		path  string
		data  string
		more  [2]string
		is    manifest.Kind
		shown string // a path that the components have
	}{
		{name: "nothing", base: plugin, path: "README.md", data: "x", is: manifest.Skill},
		{name: "a large manifest", base: plugin, path: ".codex-plugin/plugin.json", data: blanks + `{"name": "demo", "mcpServers": {"x": ` + server + `}}`},
		{name: "a large file of servers", base: plugin, path: ".mcp.json", data: blanks + `{"mcpServers": {"x": ` + server + `}}`},
		{name: "a large file of language servers", base: plugin, path: ".lsp.json", data: blanks + `{"x": ` + server + `}`},
		{name: "a large extension", base: plugin, path: "gemini-extension.json", data: blanks + `{"name": "demo", "version": "1.0.0", "mcpServers": {"x": ` + server + `}}`},
		{name: "a large plugin of Cursor", base: plugin, path: ".cursor-plugin/plugin.json", data: blanks + `{"name": "demo", "mcpServers": {"x": ` + server + `}}`},
		{name: "a deep manifest", base: plugin, path: ".codex-plugin/plugin.json", data: "{" + deep + `"name": "demo", "mcpServers": {"x": ` + server + `}}`},
		{name: "a deep file of servers", base: plugin, path: ".mcp.json", data: "{" + deep + `"mcpServers": {"x": ` + server + `}}`},
		{name: "a deep bundle", base: plugin, path: "manifest.json", data: "{" + deep + `"manifest_version": "0.3", "server": {"type": "node", "entry_point": "s.js"}}`},
		{name: "a deep server.json", base: plugin, path: "server.json", data: "{" + deep + `"name": "a/b", "packages": [{"registryType": "npm", "identifier": "x", "version": "1.0.0"}]}`},
		{name: "a bundle with an escaped key", base: plugin, path: "manifest.json", data: `{"manifest_version": "0.3", "\u0073erver": {"type": "node", "entry_point": "s.js"}}`},
		{name: "a server.json with an escaped name", base: plugin, path: "server.json", data: `{"name": "a\u002fb", "packages": [{"registryType": "npm", "identifier": "x", "version": "1.0.0"}]}`},
		{name: "servers in UTF-16", base: plugin, path: ".mcp.json", data: "\xff\xfe{\x00}\x00"},
		{name: "a broken command with shell", base: plugin, path: "gemini-extension.json", data: `{"name": "demo", "version": "1.0.0"}`, more: [2]string{"commands/a.toml", "prompt = \"!{x}\"\na = 1\na = 2\n"}, shown: "commands/a.toml"},
		{name: "a plugin.json with a type", base: plugin, path: "plugin.json", data: `{"name": "demo", "type": "panel", "mcpServers": {"x": ` + server + `}}`},
		{name: "a plugin.json without a name", base: plugin, path: "plugin.json", data: `{"hooks": ` + hooks + `}`},
		{name: "hooks in an Agent Plugin", base: plugin, path: "plugin.json", data: `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "demo", "hooks": ` + hooks + `}`},
		{name: "a file of hooks of an Agent Plugin", base: plugin, path: "plugin.json", data: `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "demo", "hooks": "h.json"}`, more: [2]string{"h.json", hooks}, shown: "h.json"},
		{name: "servers in an Agent Plugin", base: plugin, path: "plugin.json", data: `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "demo", "mcpServers": {"x": ` + server + `}}`},
		{name: "a path without ./", base: plugin, path: ".codex-plugin/plugin.json", data: `{"name": "demo", "mcpServers": "m.json"}`, more: [2]string{"m.json", `{"x": ` + server + `}`}, shown: "m.json"},
		{name: "a path with a backslash", base: plugin, path: ".codex-plugin/plugin.json", data: `{"name": "demo", "hooks": ".\\c\\h.json"}`, more: [2]string{"c/h.json", hooks}, shown: "c/h.json"},
		{name: "a path in another case", base: plugin, path: ".codex-plugin/plugin.json", data: `{"name": "demo", "mcpServers": "./M.json"}`, more: [2]string{"m.json", `{"x": ` + server + `}`}, shown: "m.json"},
		{name: "a path with another ending", base: plugin, path: ".cursor-plugin/plugin.json", data: `{"name": "demo", "hooks": "./h"}`, more: [2]string{"h", hooks}, shown: "h"},
		{name: "servers of an agent of Copilot", base: plugin, path: "agents/a.agent.md", data: md("mcp-servers:\n  x:\n    command: x\n")},
		{name: "servers of an agent of Claude Code", base: plugin, path: "agents/a.md", data: md("mcpServers:\n  - x: {command: x}\n")},
		{name: "hooks behind an alias", base: plugin, path: "skills/b/SKILL.md", data: md("x: &h\n" + front + "hooks: *h\n")},
		{name: "an event behind an alias", base: plugin, path: "skills/b/SKILL.md", data: md("x: &h\n  - hooks: [{type: command, command: x}]\nhooks:\n  Stop: *h\n")},
		{name: "hooks behind a merge key", base: plugin, path: "skills/b/SKILL.md", data: md("<<: {hooks: {Stop: [{hooks: [{type: command, command: x}]}]}}\n")},
		{name: "hooks under an alias as a key", base: plugin, path: "skills/b/SKILL.md", data: md("license: &k hooks\n*k :\n" + front)},
		{name: "hooks with a fault", base: plugin, path: "skills/b/SKILL.md", data: md("hooks:\n" + strings.Replace(front, "command: x", "command: x: y", 1))},
		{name: "hooks after too much", base: plugin, path: "skills/b/SKILL.md", data: md("# " + blanks + "\nhooks:\n" + front)},
		{name: "hooks in another case", base: plugin, path: "Hooks/Hooks.json", data: hooks, shown: "Hooks/Hooks.json"},
		{name: "servers in another case", base: plugin, path: ".MCP.json", data: `{"mcpServers": {"x": ` + server + `}}`, shown: ".MCP.json"},
		{name: "a manifest in another case", base: plugin, path: ".codex-plugin/Plugin.json", data: `{"name": "demo", "mcpServers": {"x": ` + server + `}}`, shown: ".codex-plugin/Plugin.json"},
		{name: "an extension in another case", base: skill, path: "Gemini-Extension.json", data: `{"name": "demo", "version": "1.0.0", "mcpServers": {"x": ` + server + `}}`},
		{name: "a lone skill with hooks", base: skill, path: "hooks/hooks.json", data: hooks},
		{name: "a lone skill with servers", base: skill, path: ".mcp.json", data: `{"mcpServers": {"x": ` + server + `}}`},
		{name: "a lone skill with a command", base: skill, path: "commands/x.md", data: md("") + "!`x`\n"},
		{name: "a lone skill with a status line", base: skill, path: "settings.json", data: `{"subagentStatusLine": {"type": "command", "command": "x"}}`},
		{name: "a lone skill with agents", base: skill, path: "agents/x.md", data: md(""), is: manifest.Skill},
		{name: "native, nothing", base: pinion, path: "README.md", data: "x", is: manifest.Skill},
		{name: "native with hooks", base: pinion, path: "hooks/hooks.json", data: hooks},
		{name: "native with hooks of Copilot", base: pinion, path: "hooks.json", data: hooks},
		{name: "native with an extension", base: pinion, path: "gemini-extension.json", data: `{"name": "demo", "version": "1.0.0", "mcpServers": {"x": ` + server + `}}`},
		{name: "native with hooks in the skill", base: pinion, path: "SKILL.md", data: md("hooks:\n" + front)},
		{name: "native with hooks in another case", base: pinion, path: "Hooks/hooks.json", data: hooks},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{tt.path: tt.data}
			for p, s := range tt.base {
				if p != tt.path {
					files[p] = s
				}
			}
			if tt.more[0] != "" {
				files[tt.more[0]] = tt.more[1]
			}
			pkg := loadFiles(files, nil)
			if tt.is == manifest.Skill != (pkg.Manifest.Kind == manifest.Skill) {
				t.Errorf("kind = %q; %v", pkg.Manifest.Kind, pkg.Manifest.Components)
			}
			if tt.shown != "" && !slices.ContainsFunc(pkg.Manifest.Components, func(c manifest.Component) bool { return c.Path == tt.shown }) {
				t.Errorf("no component is %s: %v", tt.shown, pkg.Manifest.Components)
			}
			if pkg.Format == "native" != (tt.base["pinion-plugin.json"] != "") {
				t.Errorf("format = %q", pkg.Format)
			}
		})
	}
}
