package cursor

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleManifest = problem.Rule{
		ID: "cursor/manifest", Severity: problem.Error, Since: "0.3.0",
		Title: "A manifest that cannot be understood",
		Help:  "A Cursor plugin has .cursor-plugin/plugin.json, an object with a name; component fields are paths, lists of paths, or for hooks and mcpServers the definitions themselves.",
		Fix:   "correct the manifest",
	}
	ruleName = problem.Rule{
		ID: "cursor/name", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A plugin name outside Cursor's schema",
		Help:    "Names are lower case letters, digits, dashes and dots, and begin and end with a letter or digit. Cursor's schema refuses others; its marketplace has a few. A name that cannot be a directory is not used.",
		Fix:     "choose a name like release-notes",
		Example: "\"Expo\"  →  \"expo\"",
	}
	ruleSchema = problem.Rule{
		ID: "cursor/schema", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A manifest that does not follow Cursor's schema",
		Help:    "The schema of plugin.json is closed: it has no other fields, author is a name and an email, homepage and repository are URLs. Its check refuses the plugin where it is published; published plugins show that Cursor itself loads it.",
		Fix:     "correct the field, or remove it",
		Example: "\"author\": {\"name\": \"Ann\", \"url\": \"https://example.com\"}  →  \"author\": {\"name\": \"Ann\"}",
	}
	ruleVersion = problem.Rule{
		ID: "cursor/version", Severity: problem.Warning, Since: "0.3.0",
		Title: "A version that is not semantic",
		Help:  "Pinion cannot order such versions and uses one made from the content.",
		Fix:   "write three numbers, as in 1.2.0",
	}
	rulePattern = problem.Rule{
		ID: "cursor/pattern", Severity: problem.Warning, Since: "0.3.0",
		Title: "A pattern that finds no file",
		Help:  "Component fields may hold patterns with *, ? and **. This one matches nothing in the package, leaves it, or is of a kind that is not read here ({a,b}, more than three **).",
		Fix:   "name the directory or the files",
	}
	ruleClaudeHooks = problem.Rule{
		ID: "cursor/claude-hooks", Severity: problem.Note, Since: "0.3.0",
		Title: "Hooks in Claude Code's shape",
		Help:  "Cursor's events are written preToolUse and sessionStart and list their hooks directly. hooks/hooks.json is the place of both hosts, so a plugin for both needs a file for Cursor that its manifest names.",
		Fix:   "write Cursor's hooks into a file of their own and name it in \"hooks\"",
	}
)

// Rules lists every rule this package reports.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists every rule this package defines.
func Rules() []problem.Rule {
	return []problem.Rule{ruleManifest, ruleName, ruleSchema, ruleVersion, rulePattern, ruleClaudeHooks}
}
