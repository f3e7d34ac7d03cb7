package agentplugins

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleVersion = problem.Rule{
		ID: "agent-plugins/version", Severity: problem.Error, Since: "0.3.0",
		Title:   "A version of the specification that is not known",
		Help:    "\"$schema\" says by which version of the Agent Plugins Specification a plugin is read. Only 1.0.0 is known; clients reject a plugin of another version, and schemas are never fetched to find out.",
		Fix:     "target version 1.0.0",
		Example: "\"$schema\": \"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\"",
	}
	ruleManifest = problem.Rule{
		ID: "agent-plugins/manifest", Severity: problem.Error, Since: "0.3.0",
		Title: "A manifest that clients reject",
		Help:  "name is needed; version, description, homepage, repository and license are text, keywords a list of text, author an object of name, email and url alone, and each extension an object. With anything else clients load nothing of the plugin.",
		Fix:   "write a value of the wanted type",
	}
	ruleName = problem.Rule{
		ID: "agent-plugins/name", Severity: problem.Error, Since: "0.3.0",
		Title:   "A plugin name outside the specification",
		Help:    "A name has 1 to 64 lower case letters, digits, dashes and dots, begins and ends with a letter or digit, and has no two dashes or dots in a row. Clients reject others.",
		Fix:     "choose a name like acme.tools",
		Example: "My Plugin  →  my-plugin",
	}
	ruleUnknown = problem.Rule{
		ID: "agent-plugins/unknown-field", Severity: problem.Warning, Since: "0.3.0",
		Title: "A field that clients ignore",
		Help:  "The manifest is closed. Clients report and ignore other fields, so what they should do does not happen: components lie at fixed places, and data of one client belongs in \"extensions\".",
		Fix:   "remove the field, or move it into \"extensions\" under the client's namespace",
	}
	ruleNamespace = problem.Rule{
		ID: "agent-plugins/namespace", Severity: problem.Note, Since: "0.3.0",
		Title: "An extension without a namespace",
		Help:  "Data of a client stands under a domain in reverse that the client controls. No client looks under another name.",
		Fix:   "use the client's namespace, such as com.example.client",
	}
	ruleSemver = problem.Rule{
		ID: "agent-plugins/semver", Severity: problem.Warning, Since: "0.3.0",
		Title: "A version that is not semantic",
		Help:  "The specification only recommends Semantic Versioning. Pinion cannot order other versions and uses one made from the content.",
		Fix:   "write three numbers, as in 1.2.0",
	}
	rulePlace = problem.Rule{
		ID: "agent-plugins/place", Severity: problem.Note, Since: "0.3.0",
		Title: "A component where clients do not look",
		Help:  "Skills lie in the directories directly below skills/, servers in the file mcp.json. The manifest cannot name other places.",
		Fix:   "move it to its fixed place",
	}
	ruleServers = problem.Rule{
		ID: "agent-plugins/mcp", Severity: problem.Error, Since: "0.3.0",
		Title:   "A file of servers that clients refuse",
		Help:    "mcp.json is an object of \"$schema\", of the manifest's version, and \"mcpServers\", and of nothing else. Otherwise clients load the plugin without its servers.",
		Fix:     "correct the file",
		Example: "{\"$schema\": \"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json\", \"mcpServers\": {}}",
	}
	ruleServer = problem.Rule{
		ID: "agent-plugins/mcp-server", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A server that clients skip",
		Help:    "A server is one of stdio (command, args, env, cwd), streamable-http and sse (url, headers), with no other field. A command is one bare name or a path that begins with ./, addresses are https except on this machine, and PLUGIN_ROOT and PLUGIN_DATA are set by the client.",
		Fix:     "correct the server",
		Example: "{\"command\": \"npx\"}  →  {\"type\": \"stdio\", \"command\": \"npx\"}",
	}
)

// Rules lists every rule this package reports.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists every rule this package defines.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleVersion, ruleManifest, ruleName, ruleUnknown, ruleNamespace, ruleSemver, rulePlace, ruleServers, ruleServer,
	}
}
