package claude

import "pinion/problem"

// Rules of this package about the manifest. The ids are permanent. The severity
// is the usual one; a report carries what the host does in that case.
var (
	ruleType = problem.Rule{
		ID: "claude/type", Severity: problem.Error, Since: "0.1.0",
		Title:   "A value of a type that the host refuses",
		Help:    "Claude Code checks these fields before it loads anything. With a wrong type the whole plugin fails to load.",
		Fix:     "write a value of the wanted type",
		Example: "\"version\": 1  →  \"version\": \"1.0.0\"",
	}
	ruleIgnored = problem.Rule{
		ID: "claude/ignored-field", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A describing field that the host ignores",
		Help:    "Claude Code drops author, homepage, license and other describing fields of a wrong type and loads the plugin. Its earlier versions, and its validator, refuse it.",
		Fix:     "write a value of the wanted type",
		Example: "\"author\": \"Ann\"  →  \"author\": {\"name\": \"Ann\"}",
	}
	ruleUnknown = problem.Rule{
		ID: "claude/unknown-field", Severity: problem.Warning, Since: "0.1.0",
		Title: "A field that plugin.json does not have",
		Help:  "Claude Code ignores it, so what it should do does not happen. Its validator warns, and fails with --strict.",
		Fix:   "correct the spelling, or remove the field",
	}
	ruleName = problem.Rule{
		ID: "claude/name", Severity: problem.Error, Since: "0.1.0",
		Title: "A plugin name that cannot be used",
		Help:  "A name is needed, without spaces and control characters, and it becomes a directory. Names of lower case letters, digits and single dashes work everywhere; with other letters claude.ai refuses the plugin, which is a warning.",
		Fix:   "choose a name like release-notes",
	}
	ruleReserved = problem.Rule{
		ID: "claude/reserved-name", Severity: problem.Warning, Since: "0.1.0",
		Title: "A name that looks like one of Anthropic's own",
		Help:  "Names that start with claude-, anthropic- or cc-plugin- are refused by the validator and by Anthropic's directories, though Claude Code still loads them.",
		Fix:   "choose a name without that beginning",
	}
	ruleNameMismatch = problem.Rule{
		ID: "claude/name-mismatch", Severity: problem.Warning, Since: "0.1.0",
		Title: "The manifest and the catalog entry have different names",
		Help:  "Claude Code installs the plugin under the entry's name. Codex refuses to install it.",
		Fix:   "use the entry's name in plugin.json",
	}
	ruleVersion = problem.Rule{
		ID: "claude/version", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A version that is not semantic",
		Help:    "Claude Code takes any text and makes a directory of it. Pinion cannot order such versions and uses one made from the content.",
		Fix:     "write three numbers, as in 1.2.0",
		Example: "\"v1.2\"  →  \"1.2.0\"",
	}
	ruleVersionDrift = problem.Rule{
		ID: "claude/version-drift", Severity: problem.Warning, Since: "0.1.0",
		Title: "The manifest and the catalog entry have different versions",
		Help:  "plugin.json wins without a word, so users see another version than the catalog promises, and an update may be skipped.",
		Fix:   "state the version in one place only",
	}
	ruleRecommended = problem.Rule{
		ID: "claude/recommended", Severity: problem.Warning, Since: "0.1.0",
		Title: "A field that the host's validator asks for",
		Help:  "version, description and author are not needed to load a plugin. Without a version every change is an update, and users cannot name one.",
		Fix:   "add the field to plugin.json",
	}
	ruleConflict = problem.Rule{
		ID: "claude/conflict", Severity: problem.Error, Since: "0.1.0",
		Title: "The plugin is defined in two places",
		Help:  "With strict: false the catalog entry is the whole definition. When it names components and the package has a plugin.json as well, Claude Code refuses to load the plugin.",
		Fix:   "remove strict: false or the components from the entry, or remove plugin.json",
	}
	ruleDependency = problem.Rule{
		ID: "claude/dependency", Severity: problem.Error, Since: "0.1.0",
		Title:   "A dependency that is no plugin name",
		Help:    "A dependency is a name, name@marketplace, or an object with name, version and marketplace. With anything else the whole plugin fails to load.",
		Fix:     "write the plugin's name",
		Example: "\"dependencies\": [\"formatter\", {\"name\": \"linter\", \"version\": \"^2.0.0\"}]",
	}
	ruleUserConfig = problem.Rule{
		ID: "claude/user-config", Severity: problem.Error, Since: "0.1.0",
		Title:   "A setting that the host refuses",
		Help:    "A setting has type, title and description, and no keys beyond those documented. With anything else the whole plugin fails to load.",
		Fix:     "correct the setting",
		Example: "\"userConfig\": {\"TOKEN\": {\"type\": \"string\", \"title\": \"Token\", \"description\": \"From your account page\", \"sensitive\": true}}",
	}
	ruleTooLarge = problem.Rule{
		ID: "claude/too-large", Severity: problem.Error, Since: "0.1.0",
		Title: "A configuration file that is too large",
		Help:  "plugin.json, hooks and server files are read up to 1 MiB.",
		Fix:   "keep data in files of its own",
	}
)

// Rules of this package about components.
var (
	rulePath = problem.Rule{
		ID: "claude/path", Severity: problem.Error, Since: "0.1.0",
		Title:   "A component path that the host refuses",
		Help:    "Paths start with \"./\", are relative to the plugin's directory, have no \"..\" and no backslash, and agents and hooks are files with a fixed ending.",
		Fix:     "write the path from the plugin's directory",
		Example: "\"skills\": \"skills/pdf\"  →  \"skills\": \"./skills/pdf\"",
	}
	ruleMissingPath = problem.Rule{
		ID: "claude/missing-path", Severity: problem.Error, Since: "0.1.0",
		Title: "A component path that does not exist",
		Help:  "The host reports the plugin as failed, or loads it without that part.",
		Fix:   "add the file, or remove the path",
	}
	ruleNoSkill = problem.Rule{
		ID: "claude/no-skill", Severity: problem.Warning, Since: "0.1.0",
		Title: "A skills directory without skills",
		Help:  "The host looks for SKILL.md in the directory and in the directories directly below it.",
		Fix:   "name the directory that holds SKILL.md",
	}
	ruleShadowed = problem.Rule{
		ID: "claude/shadowed", Severity: problem.Note, Since: "0.1.0",
		Title: "A default directory that is ignored",
		Help:  "commands, agents, workflows and outputStyles in plugin.json replace the directory of that name; skills and hooks add to it.",
		Fix:   "name the directory too, or remove it",
	}
	ruleMisplaced = problem.Rule{
		ID: "claude/misplaced", Severity: problem.Warning, Since: "0.1.0",
		Title: "Something that no host finds",
		Help:  "Only plugin.json belongs in .claude-plugin; components lie in the plugin's own directory, skills directly below skills/. CLAUDE.md in a plugin is not read.",
		Fix:   "move it to where hosts look",
	}
	ruleHooks = problem.Rule{
		ID: "claude/hooks", Severity: problem.Error, Since: "0.1.0",
		Title:   "A hooks file that does not load",
		Help:    "A hooks file is an object with \"hooks\": events, each with a list of matchers. When it cannot be read, Claude Code reports the plugin as failed.",
		Fix:     "correct the file",
		Example: "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./notify.sh\"}]}]}}",
	}
	ruleDuplicateHooks = problem.Rule{
		ID: "claude/duplicate-hooks", Severity: problem.Warning, Since: "0.1.0",
		Title: "The manifest names the hooks file that is loaded anyway",
		Help:  "hooks/hooks.json is loaded by itself. Earlier versions of Claude Code refuse the whole plugin with \"Duplicate hooks file detected\"; 2.1.332 loads the file once.",
		Fix:   "remove \"hooks\" from plugin.json",
	}
	ruleHooksKey = problem.Rule{
		ID: "claude/hooks-key", Severity: problem.Note, Since: "0.1.0",
		Title: "An unknown key in a hooks file",
		Help:  "Claude Code ignores it, but the desktop and web versions hide a plugin whose hooks file has other top-level keys.",
		Fix:   "remove the key",
	}
	ruleEvent = problem.Rule{
		ID: "claude/hook-event", Severity: problem.Warning, Since: "0.1.0",
		Title:   "An event that the host does not have",
		Help:    "Event names are matched exactly, also in case; a hook on another name never runs. Where the key hides PreToolUse or PermissionRequest hooks the plugin fails to load, and a catalog entry with it does not install.",
		Fix:     "use a name of the host's documentation",
		Example: "\"preToolUse\"  →  \"PreToolUse\"",
	}
	ruleHook = problem.Rule{
		ID: "claude/hook", Severity: problem.Warning, Since: "0.1.0",
		Title: "A hook that the host drops",
		Help:  "Each event has a list of matchers, each matcher a list \"hooks\", each hook a type and what it needs. Others are dropped; a broken PreToolUse or PermissionRequest hook makes the plugin fail, because it may be what guards the rest.",
		Fix:   "correct the hook",
	}
	ruleProgram = problem.Rule{
		ID: "claude/program", Severity: problem.Warning, Since: "0.1.0",
		Title: "A command whose program cannot run",
		Help:  "The file that the command names is not in the package, lacks the execute bit, or starts with a #! line that ends with CR LF. The plugin loads, and the command fails when it is needed.",
		Fix:   "add the file, or make it executable",
	}
	ruleServer = problem.Rule{
		ID: "claude/mcp-server", Severity: problem.Warning, Since: "0.1.0",
		Title:   "An MCP server that the host drops",
		Help:    "A server has a command, or a type of http, sse or ws and a url. In a file the host drops others silently; in plugin.json or a catalog entry the whole plugin fails to load.",
		Fix:     "correct the server",
		Example: "{\"url\": \"https://example.com/mcp\"}  →  {\"type\": \"http\", \"url\": \"https://example.com/mcp\"}",
	}
	ruleLSP = problem.Rule{
		ID: "claude/lsp-server", Severity: problem.Warning, Since: "0.1.0",
		Title: "A language server that the host drops",
		Help:  "A language server has a command and extensionToLanguage, and no unknown keys. One that is wrong drops the whole .lsp.json silently; in plugin.json the whole plugin fails to load.",
		Fix:   "correct the server",
	}
	ruleMonitor = problem.Rule{
		ID: "claude/monitor", Severity: problem.Error, Since: "0.1.0",
		Title: "A monitor that the host refuses",
		Help:  "A monitor has name, command and description, and optionally when. The host reports the plugin as failed for any other.",
		Fix:   "correct the monitor",
	}
	ruleAgentKey = problem.Rule{
		ID: "claude/agent-key", Severity: problem.Note, Since: "0.1.0",
		Title: "A key that agents of a plugin cannot set",
		Help:  "hooks, mcpServers and permissionMode are ignored in the agents of a plugin, so that an agent cannot give itself permissions.",
		Fix:   "declare hooks and servers for the whole plugin",
	}
)

// Rules lists the rules that this package defines.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists the rules that this package defines; those of skills are in
// the package agentskill.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleType, ruleIgnored, ruleUnknown, ruleName, ruleReserved, ruleNameMismatch, ruleVersion,
		ruleVersionDrift, ruleRecommended, ruleConflict, ruleDependency, ruleUserConfig, ruleTooLarge,
		rulePath, ruleMissingPath, ruleNoSkill, ruleShadowed, ruleMisplaced, ruleHooks, ruleDuplicateHooks,
		ruleHooksKey, ruleEvent, ruleHook, ruleProgram, ruleServer, ruleLSP, ruleMonitor, ruleAgentKey,
	}
}
