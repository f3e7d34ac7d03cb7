package mcpb

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleManifestVersion = problem.Rule{
		ID: "mcpb/manifest-version", Severity: problem.Error, Since: "0.3.0",
		Title:   "A manifest version that is not known",
		Help:    "manifest_version says by which schema the manifest is read. 0.1 to 0.4 are known; a bundle of another version is refused rather than half understood.",
		Fix:     "write \"manifest_version\": \"0.3\"",
		Example: "\"manifest_version\": 0.3  →  \"manifest_version\": \"0.3\"",
	}
	ruleMissing = problem.Rule{
		ID: "mcpb/missing", Severity: problem.Error, Since: "0.3.0",
		Title:   "A field that a bundle needs",
		Help:    "A manifest has a name, a version, a description, an author with a name, and a server with type, entry_point and mcp_config. mcpb refuses others and packs no bundle.",
		Fix:     "add the field",
		Example: "\"server\": {\"type\": \"node\", \"entry_point\": \"server/index.js\", \"mcp_config\": {\"command\": \"node\", \"args\": [\"${__dirname}/server/index.js\"]}}",
	}
	ruleType = problem.Rule{
		ID: "mcpb/type", Severity: problem.Error, Since: "0.3.0",
		Title: "A value of another type than a manifest has",
		Help:  "mcpb checks the manifest by the schema of its version and refuses it.",
		Fix:   "write a value of the wanted type",
	}
	ruleUnknown = problem.Rule{
		ID: "mcpb/unknown-field", Severity: problem.Error, Since: "0.3.0",
		Title: "A field that manifests of this version do not have",
		Help:  "Manifests are closed: mcpb refuses a field that is not in the schema of its version. Data of one's own belongs in \"_meta\" (from version 0.3).",
		Fix:   "correct the spelling, raise manifest_version, or remove the field",
	}
	ruleValue = problem.Rule{
		ID: "mcpb/value", Severity: problem.Error, Since: "0.3.0",
		Title: "A value that mcpb refuses",
		Help:  "Addresses are URLs, author.email a mail address, and types and platforms one of a few words.",
		Fix:   "correct the value",
	}
	ruleIcon = problem.Rule{
		ID: "mcpb/icon", Severity: problem.Error, Since: "0.3.0",
		Title: "An icon that is not a PNG file of the bundle",
		Help:  "mcpb refuses a bundle whose icon is missing, is no PNG, or has an absolute path.",
		Fix:   "add the file, and name it from the bundle's top, as in icon.png",
	}
	ruleEntryPoint = problem.Rule{
		ID: "mcpb/entry-point", Severity: problem.Warning, Since: "0.3.0",
		Title: "A bundle without its program",
		Help:  "entry_point names the file that the server starts from. mcpb does not look for it; in a directory it may not be built yet, in a bundle the server fails when it is started.",
		Fix:   "build the server first, or correct the path",
	}
	ruleVariable = problem.Rule{
		ID: "mcpb/variable", Severity: problem.Warning, Since: "0.3.0",
		Title: "A variable that hosts do not replace",
		Help:  "In commands, arguments and environment hosts replace ${__dirname}, ${HOME}, ${DESKTOP}, ${DOCUMENTS}, ${DOWNLOADS}, ${pathSeparator}, ${/} and ${user_config.NAME}. The program gets anything else as it is written.",
		Fix:   "correct the name, or add the setting to \"user_config\"",
	}
	ruleName = problem.Rule{
		ID: "mcpb/name", Severity: problem.Warning, Since: "0.3.0",
		Title: "A bundle name that cannot be a directory",
		Help:  "mcpb takes any text. A name that is no file name on every system is not used; the bundle is called as its file or directory.",
		Fix:   "choose a name of letters, digits and dashes, and put the other into display_name",
	}
	ruleVersion = problem.Rule{
		ID: "mcpb/version", Severity: problem.Warning, Since: "0.3.0",
		Title: "A version that is not semantic",
		Help:  "mcpb takes any text. Pinion cannot order such versions and uses one made from the content.",
		Fix:   "write three numbers, as in 1.2.0",
	}
)

// Rules lists every rule this package reports.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists every rule this package defines.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleManifestVersion, ruleMissing, ruleType, ruleUnknown, ruleValue, ruleIcon, ruleEntryPoint, ruleVariable, ruleName, ruleVersion,
	}
}
