package component

import "pinion/problem"

// Ruleset are the rules under which a format reports what is wrong with its
// components. Severities are the usual ones; a report carries what the host
// does in that case.
type Ruleset struct {
	Type, TooLarge                 problem.Rule
	Path, MissingPath, NoSkill     problem.Rule
	Hooks, HooksKey, Event, Hook   problem.Rule
	Program, Server, LSP, AgentKey problem.Rule
	// DuplicateHooks reports a manifest that names AutoHooks; the zero rule does not.
	DuplicateHooks problem.Rule
}

// Shared returns the rules of this package, for hosts without rules of their own.
func Shared() Ruleset {
	return Ruleset{
		Type: ruleType, TooLarge: ruleTooLarge, Path: rulePath, MissingPath: ruleMissingPath, NoSkill: ruleNoSkill,
		Hooks: ruleHooks, HooksKey: ruleHooksKey, Event: ruleEvent, Hook: ruleHook,
		Program: ruleProgram, Server: ruleServer, LSP: ruleLSP, AgentKey: ruleAgentKey,
	}
}

// Rules of this package. The ids are permanent.
var (
	ruleType = problem.Rule{
		ID: "component/type", Severity: problem.Error, Since: "0.3.0",
		Title: "A component field of a type that the host refuses",
		Help:  "The field that declares the component holds another kind of value than the host reads: text where a list is wanted, say. The host refuses the plugin or leaves the component out.",
		Fix:   "write a value of the wanted type",
	}
	ruleTooLarge = problem.Rule{
		ID: "component/too-large", Severity: problem.Error, Since: "0.3.0",
		Title: "A configuration file that is too large",
		Help:  "Manifests, hooks and server files are read up to 1 MiB.",
		Fix:   "keep data in files of its own",
	}
	rulePath = problem.Rule{
		ID: "component/path", Severity: problem.Error, Since: "0.3.0",
		Title:   "A component path that the host refuses",
		Help:    "Paths are relative to the plugin's directory, stay inside it and have no backslash. Most hosts want \"./\" at their beginning.",
		Fix:     "write the path from the plugin's directory",
		Example: "\"skills\": \"../shared/skills\"  →  \"skills\": \"./skills\"",
	}
	ruleMissingPath = problem.Rule{
		ID: "component/missing-path", Severity: problem.Error, Since: "0.3.0",
		Title: "A component path that does not exist",
		Help:  "The host reports the plugin as failed, or loads it without that part.",
		Fix:   "add the file, or remove the path",
	}
	ruleNoSkill = problem.Rule{
		ID: "component/no-skill", Severity: problem.Warning, Since: "0.3.0",
		Title: "A skills directory without skills",
		Help:  "The host looks for SKILL.md in the directory and in the directories directly below it.",
		Fix:   "name the directory that holds SKILL.md",
	}
	ruleHooks = problem.Rule{
		ID: "component/hooks", Severity: problem.Error, Since: "0.3.0",
		Title:   "A hooks file that does not load",
		Help:    "A hooks file is an object with \"hooks\": events, each with a list. The host loads no hook of a file that it cannot read.",
		Fix:     "correct the file",
		Example: "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./notify.sh\"}]}]}}",
	}
	ruleHooksKey = problem.Rule{
		ID: "component/hooks-key", Severity: problem.Note, Since: "0.3.0",
		Title: "An unknown key in a hooks file",
		Help:  "The host ignores it.",
		Fix:   "remove the key",
	}
	ruleEvent = problem.Rule{
		ID: "component/hook-event", Severity: problem.Warning, Since: "0.3.0",
		Title: "An event that the host does not have",
		Help:  "Event names are matched exactly, also in case, and hosts use different names; a hook on another name never runs.",
		Fix:   "use a name of the host's documentation",
	}
	ruleHook = problem.Rule{
		ID: "component/hook", Severity: problem.Warning, Since: "0.3.0",
		Title: "A hook that the host drops",
		Help:  "A hook has a type and what that type needs, a command most of all. The host drops others.",
		Fix:   "correct the hook",
	}
	ruleProgram = problem.Rule{
		ID: "component/program", Severity: problem.Warning, Since: "0.3.0",
		Title: "A command whose program cannot run",
		Help:  "The file that the command names is not in the package, lacks the execute bit, or starts with a #! line that ends with CR LF. The plugin loads, and the command fails when it is needed.",
		Fix:   "add the file, or make it executable",
	}
	ruleServer = problem.Rule{
		ID: "component/mcp-server", Severity: problem.Warning, Since: "0.3.0",
		Title: "An MCP server that the host drops",
		Help:  "A server has a command, or a url and, for most hosts, a type. The host drops others, or refuses the plugin.",
		Fix:   "correct the server",
	}
	ruleLSP = problem.Rule{
		ID: "component/lsp-server", Severity: problem.Warning, Since: "0.3.0",
		Title: "A language server that the host drops",
		Help:  "A language server has a command and the endings of its files. The host drops others.",
		Fix:   "correct the server",
	}
	ruleAgentKey = problem.Rule{
		ID: "component/agent-key", Severity: problem.Note, Since: "0.3.0",
		Title: "A key that agents of a plugin cannot set",
		Help:  "The host ignores the key in the agents of a plugin, so that an agent cannot give itself permissions.",
		Fix:   "declare hooks and servers for the whole plugin",
	}
)

// Rules lists the rules that this package defines.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleType, ruleTooLarge, rulePath, ruleMissingPath, ruleNoSkill, ruleHooks, ruleHooksKey, ruleEvent, ruleHook,
		ruleProgram, ruleServer, ruleLSP, ruleAgentKey,
	}
}
