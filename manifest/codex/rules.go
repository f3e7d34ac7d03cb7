package codex

import "pinion/problem"

// Rules of this package. The ids are permanent. The severity is the usual one; a
// report carries what Codex does in that case.
var (
	ruleType = problem.Rule{
		ID: "codex/type", Severity: problem.Error, Since: "0.3.0",
		Title:   "A value of a type that Codex refuses",
		Help:    "Codex checks these fields before it loads anything. With a wrong type it says \"missing or invalid plugin.json\" and does not install the plugin.",
		Fix:     "write a value of the wanted type",
		Example: "\"keywords\": \"notes\"  →  \"keywords\": [\"notes\"]",
	}
	ruleIgnored = problem.Rule{
		ID: "codex/ignored-field", Severity: problem.Warning, Since: "0.3.0",
		Title: "A component field that Codex ignores",
		Help:  "skills is a path or a list of paths, mcpServers a path or an object, hooks a path, an object or a list of them. Codex ignores others with a line in its log, and loads what lies at the fixed place instead.",
		Fix:   "write a value of the wanted type",
	}
	ruleUnknown = problem.Rule{
		ID: "codex/unknown-field", Severity: problem.Warning, Since: "0.3.0",
		Title: "A field that Codex does not read",
		Help:  "Codex ignores it, so what it should do does not happen. commands, agents and lspServers are fields of other hosts.",
		Fix:   "correct the spelling, or remove the field",
	}
	ruleName = problem.Rule{
		ID: "codex/name", Severity: problem.Error, Since: "0.3.0",
		Title: "A plugin name that Codex refuses",
		Help:  "A name has letters, digits, \".\", \"_\" and \"-\". Without one Codex takes the directory's, which is a warning.",
		Fix:   "choose a name like release-notes",
	}
	ruleNameMismatch = problem.Rule{
		ID: "codex/name-mismatch", Severity: problem.Error, Since: "0.3.0",
		Title: "The manifest and the catalog entry have different names",
		Help:  "Codex refuses to install a plugin whose plugin.json has another name than the entry that lists it.",
		Fix:   "use one name in both",
	}
	ruleVersion = problem.Rule{
		ID: "codex/version", Severity: problem.Warning, Since: "0.3.0",
		Title: "A version that is not semantic, or that Codex refuses",
		Help:  "The version becomes a directory: letters, digits, \".\", \"+\", \"_\" and \"-\", and not empty; anything else does not install. Pinion cannot order versions that are not semantic and uses one made from the content.",
		Fix:   "write three numbers, as in 1.2.0",
	}
	ruleLink = problem.Rule{
		ID: "codex/manifest-link", Severity: problem.Error, Since: "0.3.0",
		Title: "The manifest is a link",
		Help:  "Codex copies regular files only, so that the plugin it installs has no manifest and does not load.",
		Fix:   "replace the link with the file",
	}
	rulePrompt = problem.Rule{
		ID: "codex/default-prompt", Severity: problem.Warning, Since: "0.3.0",
		Title: "A default prompt that Codex leaves out",
		Help:  "Codex shows the first three prompts, of at most 128 characters each.",
		Fix:   "shorten the list or the prompt",
	}
	rulePath = problem.Rule{
		ID: "codex/path", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A path that Codex ignores",
		Help:    "Paths start with \"./\", name something below the plugin's directory and have no \"..\". Codex ignores others with a line in its log.",
		Fix:     "write the path from the plugin's directory",
		Example: "\"skills\": \"skills\"  →  \"skills\": \"./skills\"",
	}
	ruleMissingPath = problem.Rule{
		ID: "codex/missing-path", Severity: problem.Warning, Since: "0.3.0",
		Title: "A path that does not exist",
		Help:  "Codex loads the plugin without that part. What lies at the fixed place is not loaded either, since the path replaces it.",
		Fix:   "add the file, or remove the path",
	}
	ruleNoSkill = problem.Rule{
		ID: "codex/no-skill", Severity: problem.Warning, Since: "0.3.0",
		Title: "A skills directory without skills",
		Help:  "Codex looks for SKILL.md in the directory and five directories deep.",
		Fix:   "name the directory that holds the skills",
	}
	ruleShadowed = problem.Rule{
		ID: "codex/shadowed", Severity: problem.Note, Since: "0.3.0",
		Title: "The skills directory is ignored",
		Help:  "In Codex the field skills replaces the directory of that name; in Claude Code it adds to it.",
		Fix:   "name the directory too: \"skills\": [\"./skills\", \"./more\"]",
	}
	ruleHooks = problem.Rule{
		ID: "codex/hooks", Severity: problem.Error, Since: "0.3.0",
		Title:   "A hooks file that does not load",
		Help:    "A hooks file is an object with \"hooks\": events, each with a list of matchers. Codex loads no hook of a file that it cannot read, and says so when it starts.",
		Fix:     "correct the file",
		Example: "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./notify.sh\"}]}]}}",
	}
	ruleHooksKey = problem.Rule{
		ID: "codex/hooks-key", Severity: problem.Error, Since: "0.3.0",
		Title: "A key that a hooks file may not have",
		Help:  "A hooks file has \"hooks\" and \"description\". With any other key, also \"$schema\", Codex loads no hook of it.",
		Fix:   "remove the key",
	}
	ruleHook = problem.Rule{
		ID: "codex/hook", Severity: problem.Warning, Since: "0.3.0",
		Title: "A hook for which Codex drops the file",
		Help:  "A hook has the type command, prompt or agent, a command has its text, and a timeout is a whole number of seconds. One that is wrong makes Codex load none of the file.",
		Fix:   "correct the hook",
	}
	ruleApp = problem.Rule{
		ID: "codex/app", Severity: problem.Warning, Since: "0.3.0",
		Title:   "An app that Codex ignores",
		Help:    "The file of apps is an object with \"apps\": names, each with the id of a connector.",
		Fix:     "correct the entry",
		Example: "{\"apps\": {\"calendar\": {\"id\": \"connector_123\"}}}",
	}
)

// Rules lists the rules that this package defines.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists the rules that this package defines; those of components are in
// the packages component and agentskill.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleType, ruleIgnored, ruleUnknown, ruleName, ruleNameMismatch, ruleVersion, ruleLink, rulePrompt, rulePath,
		ruleMissingPath, ruleNoSkill, ruleShadowed, ruleHooks, ruleHooksKey, ruleHook, ruleApp,
	}
}
