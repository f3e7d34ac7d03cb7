package mcpregistry

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleMissing = problem.Rule{
		ID: "mcp-registry/missing", Severity: problem.Error, Since: "0.3.0",
		Title:   "A field that the MCP registry needs",
		Help:    "A server.json has a name, a description and a version; each package a registryType, an identifier and a transport, and an MCP bundle its SHA-256. The registry refuses others.",
		Fix:     "add the field",
		Example: "{\"name\": \"io.github.user/weather\", \"description\": \"Weather reports.\", \"version\": \"1.0.0\"}",
	}
	ruleType = problem.Rule{
		ID: "mcp-registry/type", Severity: problem.Error, Since: "0.3.0",
		Title: "A value of another type than the registry's schema has",
		Help:  "The registry checks server.json with its schema of 2025-12-11 and refuses a file that does not follow it.",
		Fix:   "write a value of the wanted type",
	}
	ruleValue = problem.Rule{
		ID: "mcp-registry/value", Severity: problem.Error, Since: "0.3.0",
		Title:   "A value that the registry refuses",
		Help:    "Names are a namespace, one slash and a name; versions name one release, never a range and never \"latest\"; digests are SHA-256.",
		Fix:     "correct the value",
		Example: "\"version\": \"^1.2.0\"  →  \"version\": \"1.2.0\"",
	}
	ruleName = problem.Rule{
		ID: "mcp-registry/name", Severity: problem.Error, Since: "0.3.0",
		Title: "A server name that cannot be a directory",
		Help:  "The part of the name after the slash is what the package is called and the directory it is installed into.",
		Fix:   "choose a name of letters, digits, '.', '_' and '-'",
	}
	ruleVersion = problem.Rule{
		ID: "mcp-registry/version", Severity: problem.Warning, Since: "0.3.0",
		Title: "A version that is not semantic",
		Help:  "The registry takes other versions but cannot order them. Pinion uses one made from the content.",
		Fix:   "write three numbers, as in 1.2.0",
	}
	ruleSchema = problem.Rule{
		ID: "mcp-registry/schema", Severity: problem.Note, Since: "0.3.0",
		Title: "A server.json of another schema",
		Help:  "The file names another schema than the one of 2025-12-11, by which it is read. Fields of earlier schemas had other names.",
		Fix:   "name the schema of 2025-12-11 and follow it",
	}
	ruleNothing = problem.Rule{
		ID: "mcp-registry/nothing", Severity: problem.Warning, Since: "0.3.0",
		Title: "A server that cannot be reached",
		Help:  "Hosts start a server from one of its packages or connect to one of its remotes. This one has neither.",
		Fix:   "add packages or remotes",
	}
	ruleRegistry = problem.Rule{
		ID: "mcp-registry/registry-type", Severity: problem.Warning, Since: "0.3.0",
		Title: "A kind of package that the registry does not take",
		Help:  "The registry takes npm, pypi, oci, nuget, cargo and mcpb. Hosts do not know how to fetch others.",
		Fix:   "publish the package in one of these",
	}
	ruleUnpinned = problem.Rule{
		ID: "mcp-registry/unpinned", Severity: problem.Warning, Since: "0.3.0",
		Title: "A package without a version",
		Help:  "Hosts fetch what is newest when they start the server, so what was reviewed is not what runs.",
		Fix:   "add the version",
	}
	ruleAddress = problem.Rule{
		ID: "mcp-registry/address", Severity: problem.Warning, Since: "0.3.0",
		Title: "An address that is not https",
		Help:  "What is sent and fetched without encryption can be read and changed on its way.",
		Fix:   "write an https address",
	}
)

// Rules lists every rule this package reports.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists every rule this package defines.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleMissing, ruleType, ruleValue, ruleName, ruleVersion, ruleSchema, ruleNothing, ruleRegistry, ruleUnpinned, ruleAddress,
	}
}
