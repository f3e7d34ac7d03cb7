package copilot

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleType = problem.Rule{
		ID: "copilot/type", Severity: problem.Warning, Since: "0.3.0",
		Title: "A value of a type that Copilot ignores",
		Help:  "Copilot takes the plugin and does without the value, or without the components it names.",
		Fix:   "write a value of the wanted type",
	}
	ruleUnknown = problem.Rule{
		ID: "copilot/unknown-field", Severity: problem.Warning, Since: "0.3.0",
		Title: "A field that Copilot does not read",
		Help:  "Copilot ignores it, so what it should do does not happen.",
		Fix:   "correct the spelling, or remove the field",
	}
	ruleName = problem.Rule{
		ID: "copilot/name", Severity: problem.Warning, Since: "0.3.0",
		Title: "A plugin name outside the documented form",
		Help:  "A name has letters, digits and \"-\". Copilot installs a plugin whose manifest has another one, but refuses a whole catalog in which an entry has.",
		Fix:   "choose a name like release-notes",
	}
	ruleLimit = problem.Rule{
		ID: "copilot/limit", Severity: problem.Warning, Since: "0.3.0",
		Title: "A text that is longer than documented",
		Help:  "A name has at most 64 characters, a description at most 1,024. Copilot installs a plugin whose manifest has more, but refuses a whole catalog in which the name of an entry has.",
		Fix:   "shorten it",
	}
	ruleNameMismatch = problem.Rule{
		ID: "copilot/name-mismatch", Severity: problem.Note, Since: "0.3.0",
		Title: "The manifest and the catalog entry have different names",
		Help:  "Copilot installs the plugin under the entry's name.",
		Fix:   "use one name in both",
	}
	ruleVersion = problem.Rule{
		ID: "copilot/version", Severity: problem.Warning, Since: "0.3.0",
		Title: "A version that is not semantic",
		Help:  "Copilot takes any text. Pinion cannot order such versions and uses one made from the content.",
		Fix:   "write three numbers, as in 1.2.0",
	}
	rulePath = problem.Rule{
		ID: "copilot/path", Severity: problem.Warning, Since: "0.3.0",
		Title: "A path that Copilot ignores",
		Help:  "Paths are relative to the plugin's directory and stay inside it. Copilot loads nothing from others.",
		Fix:   "write the path from the plugin's directory",
	}
	ruleMissingPath = problem.Rule{
		ID: "copilot/missing-path", Severity: problem.Warning, Since: "0.3.0",
		Title: "A path that does not exist",
		Help:  "Copilot loads the plugin without that part. What lies at the fixed place is not loaded either, since the path replaces it.",
		Fix:   "add the file, or remove the path",
	}
	ruleNoSkill = problem.Rule{
		ID: "copilot/no-skill", Severity: problem.Warning, Since: "0.3.0",
		Title: "A skills directory without skills",
		Help:  "Copilot looks for SKILL.md in the directory, else in all directories below it.",
		Fix:   "name the directory that holds the skills",
	}
	ruleShadowed = problem.Rule{
		ID: "copilot/shadowed", Severity: problem.Note, Since: "0.3.0",
		Title: "Servers that are ignored because of a file",
		Help:  "Copilot reads the MCP servers of .mcp.json, else of .github/mcp.json, else of the manifest; never of two.",
		Fix:   "keep the servers in one place",
	}
	ruleServer = problem.Rule{
		ID: "copilot/mcp-server", Severity: problem.Warning, Since: "0.3.0",
		Title: "An MCP server for which Copilot drops the file",
		Help:  "A server has a command, or the type http or sse and a url. With one that is wrong Copilot loads no server of the file.",
		Fix:   "correct the server",
	}
	ruleLSP = problem.Rule{
		ID: "copilot/lsp-server", Severity: problem.Warning, Since: "0.3.0",
		Title: "A language server without a command",
		Help:  "Copilot has nothing to start.",
		Fix:   "add \"command\"",
	}
	ruleHooks = problem.Rule{
		ID: "copilot/hooks", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A hooks file of another shape",
		Help:    "A hooks file is an object with \"version\" and \"hooks\": events, each with a list of hooks.",
		Fix:     "correct the file",
		Example: "{\"version\": 1, \"hooks\": {\"sessionEnd\": [{\"type\": \"command\", \"bash\": \"./notify.sh\"}]}}",
	}
	ruleHook = problem.Rule{
		ID: "copilot/hook", Severity: problem.Warning, Since: "0.3.0",
		Title: "A hook that runs nothing",
		Help:  "A hook has \"bash\" or \"powershell\" (or \"command\", for both), or the type prompt and its text.",
		Fix:   "correct the hook",
	}
	ruleEvent = problem.Rule{
		ID: "copilot/hook-event", Severity: problem.Note, Since: "0.3.0",
		Title: "An event that the documentation does not have",
		Help:  "Events have their own names in Copilot, such as preToolUse; those of Claude Code are taken too. A hook on another name never runs.",
		Fix:   "use a name of the host's documentation",
	}
)

// Rules lists the rules that this package defines.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists the rules that this package defines; those of components are in
// the packages component and agentskill.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleType, ruleUnknown, ruleName, ruleLimit, ruleNameMismatch, ruleVersion, rulePath, ruleMissingPath, ruleNoSkill,
		ruleShadowed, ruleServer, ruleLSP, ruleHooks, ruleHook, ruleEvent,
	}
}
