package gemini

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleManifest = problem.Rule{
		ID: "gemini/manifest", Severity: problem.Error, Since: "0.3.0",
		Title:   "A manifest without what an extension needs",
		Help:    "gemini-extension.json is an object with a name and a version. Gemini CLI refuses to validate and to install the extension without.",
		Fix:     "add the field",
		Example: "{\"name\": \"release-notes\", \"version\": \"1.0.0\"}",
	}
	ruleName = problem.Rule{
		ID: "gemini/name", Severity: problem.Error, Since: "0.3.0",
		Title:   "A name that Gemini CLI refuses",
		Help:    "Names are letters, digits and dashes, and become the directory of the extension. Anything else cannot be installed.",
		Fix:     "choose a name like release-notes",
		Example: "\"release_notes\"  →  \"release-notes\"",
	}
	ruleVersion = problem.Rule{
		ID: "gemini/version", Severity: problem.Warning, Since: "0.3.0",
		Title: "A version that is not semantic",
		Help:  "Gemini CLI's validator warns. Pinion cannot order such versions and uses one made from the content.",
		Fix:   "write three numbers, as in 1.2.0",
	}
	ruleType = problem.Rule{
		ID: "gemini/type", Severity: problem.Error, Since: "0.3.0",
		Title: "A value that breaks Gemini CLI",
		Help:  "The validator lets it pass, but the installation fails, or, worse, the extension installs and the host then stops with an error: excludeTools and themes of another type than a list end `gemini extensions list` and every session of the user.",
		Fix:   "write a value of the wanted type",
	}
	ruleField = problem.Rule{
		ID: "gemini/field", Severity: problem.Warning, Since: "0.3.0",
		Title: "A value that Gemini CLI ignores",
		Help:  "The extension loads, and what the field should do does not happen. \"trust\" of a server is taken out: only users can trust one.",
		Fix:   "write a value of the wanted type, or remove the field",
	}
	ruleUnknown = problem.Rule{
		ID: "gemini/unknown-field", Severity: problem.Note, Since: "0.3.0",
		Title: "A field that the manifest does not have",
		Help:  "Gemini CLI ignores it without a word, so what it should do does not happen.",
		Fix:   "correct the spelling, or remove the field",
	}
	ruleContext = problem.Rule{
		ID: "gemini/context-file", Severity: problem.Error, Since: "0.3.0",
		Title:   "A context file that is not loaded",
		Help:    "contextFileName is a path, or a list of paths, of files in the extension: relative, without \"..\". The validator refuses others and missing files; an installed extension is loaded without them.",
		Fix:     "add the file, or correct the path",
		Example: "\"contextFileName\": \"../GEMINI.md\"  →  \"contextFileName\": \"GEMINI.md\"",
	}
	ruleSetting = problem.Rule{
		ID: "gemini/setting", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A setting that does not work",
		Help:    "A setting has a name, a description and an envVar, the variable in which servers and hooks get the value. Gemini CLI loads others, and the value never arrives.",
		Fix:     "complete the setting",
		Example: "{\"name\": \"API key\", \"description\": \"From your account page\", \"envVar\": \"ACME_KEY\", \"sensitive\": true}",
	}
	ruleMigrated = problem.Rule{
		ID: "gemini/migrated", Severity: problem.Note, Since: "0.3.0",
		Title: "An extension that moves elsewhere",
		Help:  "With migratedTo, Gemini CLI takes the next update from that address, whoever owns it then. Pinion does not follow it.",
		Fix:   "add the new repository as a source of its own after a look at it",
	}
	ruleCommand = problem.Rule{
		ID: "gemini/command", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A command that Gemini CLI skips",
		Help:    "A command is a TOML file with the text \"prompt\", and optionally a \"description\".",
		Fix:     "correct the file",
		Example: "description = \"Reviews the change\"\nprompt = \"Review: !{git diff}\"",
	}
	ruleAgent = problem.Rule{
		ID: "gemini/agent", Severity: problem.Warning, Since: "0.3.0",
		Title: "An agent that Gemini CLI does not load",
		Help:  "An agent file begins with frontmatter of a name, a description and the keys that Gemini CLI documents, and no others. It warns about any other agent and loads the extension without it.",
		Fix:   "correct the frontmatter",
	}
	rulePolicy = problem.Rule{
		ID: "gemini/policy", Severity: problem.Warning, Since: "0.3.0",
		Title: "A policy rule that Gemini CLI ignores",
		Help:  "A rule has a toolName, a priority and a decision. In an extension only deny and ask_user count; rules that allow are ignored, so that an extension cannot give itself permissions.",
		Fix:   "remove the rule, or let it ask",
	}
)

// Rules lists every rule this package reports.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists every rule this package defines.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleManifest, ruleName, ruleVersion, ruleType, ruleField, ruleUnknown, ruleContext, ruleSetting, ruleMigrated,
		ruleCommand, ruleAgent, rulePolicy,
	}
}
