package native

import "pinion/problem"

// Rules about the manifest itself, the list of files, the licence and skills.
// The ids are permanent.
var (
	ruleAbsent = problem.Rule{
		ID: "manifest/absent", Severity: problem.Error, Since: "0.1.0",
		Title: "The package has no manifest",
		Help:  "A native package is a directory with pinion-plugin.json (or shinbot-plugin.json) at its top, as a regular file.",
		Fix:   "add pinion-plugin.json",
	}
	ruleTwoFiles = problem.Rule{
		ID: "manifest/two-files", Severity: problem.Error, Since: "0.1.0",
		Title: "Two manifests in one package",
		Help:  "pinion-plugin.json and shinbot-plugin.json are two names of the same format. With both, two hosts would read two different plugins.",
		Fix:   "keep one of the two",
	}
	ruleSchemaVersion = problem.Rule{
		ID: "manifest/schema-version", Severity: problem.Error, Since: "0.1.0",
		Title:   "The format version is not 1",
		Help:    "schema_version says how the file is to be read. The only version is the number 1; a larger one needs a newer Pinion.",
		Fix:     "write 1",
		Example: "\"schema_version\": \"1\"  →  \"schema_version\": 1",
	}
	ruleRequired = problem.Rule{
		ID: "manifest/required", Severity: problem.Error, Since: "0.1.0",
		Title: "A required key is missing",
		Help:  "Every manifest has schema_version, id, name, version, description, kind, license and files; tools, settings, pages and hooks have required keys of their own.",
		Fix:   "add the key",
	}
	ruleID = problem.Rule{
		ID: "manifest/id", Severity: problem.Error, Since: "0.1.0",
		Title:   "The id is not allowed",
		Help:    "The id is a directory name, a word in commands and part of every tool's name: lower-case letters and digits in words joined by single dashes, at most 40 characters, and no Windows device name.",
		Fix:     "write lower-case words joined by dashes",
		Example: "\"id\": \"Text_Tools\"  →  \"id\": \"text-tools\"",
	}
	ruleText = problem.Rule{
		ID: "manifest/text", Severity: problem.Error, Since: "0.1.0",
		Title: "A text is empty, too long or has control characters",
		Help:  "Names and labels are one line of at most 100 characters, descriptions at most 1,024 (those of tools 10,000). Control characters and marks that change the direction of writing can make a terminal show something else than what is there.",
		Fix:   "write a short text",
	}
	ruleVersion = problem.Rule{
		ID: "manifest/version", Severity: problem.Error, Since: "0.1.0",
		Title:   "The version is not a semantic version",
		Help:    "Versions are compared, so they follow semver.org 2.0.0 exactly: three numbers without leading zeros, an optional -pre-release and +build, no leading v, at most 64 characters.",
		Fix:     "write three numbers, such as 1.0.0",
		Example: "\"version\": \"v1.2\"  →  \"version\": \"1.2.0\"",
	}
	ruleKind = problem.Rule{
		ID: "manifest/kind", Severity: problem.Error, Since: "0.1.0",
		Title: "An unknown kind",
		Help:  "A plugin is a skill (instructions), mcp (tools), an extension (pages, styles, patches, hooks, and tools), or builtin (part of a host).",
		Fix:   "write one of skill, mcp, extension, builtin",
	}
	ruleChannel = problem.Rule{
		ID: "manifest/channel", Severity: problem.Error, Since: "0.1.0",
		Title: "Channels cannot be packaged",
		Help:  "A channel plugin runs as a separately managed service and needs integration into its host, so there is nothing that could be installed from a directory.",
		Fix:   "run the channel as a service beside the host; what agents need of it can be a plugin of kind mcp",
	}
	ruleKindField = problem.Rule{
		ID: "manifest/kind-field", Severity: problem.Error, Since: "0.1.0",
		Title: "A field that the kind does not have",
		Help:  "A skill has instructions only: no server, tools, settings, hooks or pages. A plugin of kind mcp has no pages and no hooks. The kind decides what a user has to agree to, so it must not say less than the content.",
		Fix:   "change the kind, or remove the field",
	}
	ruleRequires = problem.Rule{
		ID: "manifest/requires", Severity: problem.Error, Since: "0.1.0",
		Title:   "A plugin cannot install packages",
		Help:    "The runner has Python's standard library and the MCP library. Anything else needs a licence review and a prepared runner by whoever operates the host; a plugin cannot install packages into it.",
		Fix:     "remove the key, and use the standard library or ship the code in the package",
		Example: "\"requires\": [\"httpx\"]",
	}
	ruleEmpty = problem.Rule{
		ID: "manifest/empty", Severity: problem.Warning, Since: "0.1.0",
		Title: "An extension that adds nothing",
		Help:  "An extension without pages, styles, patches, hooks and tools asks for the grants of an extension and does nothing.",
		Fix:   "add a contribution, or change the kind",
	}
	rulePath = problem.Rule{
		ID: "manifest/path", Severity: problem.Error, Since: "0.1.0",
		Title:   "A path in the manifest that is not allowed",
		Help:    "Paths are relative to the package, slash-separated and canonical: no \"..\", no \"./\", no backslash, no drive letter, no hidden name, and nothing that some systems refuse.",
		Fix:     "write the path from the package's top, with slashes",
		Example: "\"./server.py\"  →  \"server.py\"",
	}
	ruleUndeclared = problem.Rule{
		ID: "files/undeclared", Severity: problem.Error, Since: "0.1.0",
		Title: "A file that the manifest does not list",
		Help:  "\"files\" lists every file of the package except the manifest, so that a reviewer sees what will be installed and nothing slips in.",
		Fix:   "pinion validate --fix, or delete the file",
	}
	ruleMissing = problem.Rule{
		ID: "files/missing", Severity: problem.Error, Since: "0.1.0",
		Title: "A listed file that is not there",
		Help:  "\"files\" names a file that the package does not have.",
		Fix:   "add the file, or remove the entry",
	}
	ruleCase = problem.Rule{
		ID: "files/case", Severity: problem.Error, Since: "0.1.0",
		Title:   "A listed file that is spelled differently",
		Help:    "Upper and lower case differ between \"files\" and the file's name. On some systems this works by accident.",
		Fix:     "write the name as the file has it",
		Example: "\"Readme.md\" is listed, README.md is there",
	}
	ruleDuplicateFile = problem.Rule{
		ID: "files/duplicate", Severity: problem.Error, Since: "0.1.0",
		Title: "A file is listed twice",
		Help:  "Each file is listed once.",
		Fix:   "remove one of the two",
	}
	ruleManifestListed = problem.Rule{
		ID: "files/manifest-listed", Severity: problem.Error, Since: "0.1.0",
		Title: "The manifest lists itself",
		Help:  "The manifest is part of every package, so \"files\" leaves it out.",
		Fix:   "remove the entry",
	}
	ruleNotAFile = problem.Rule{
		ID: "files/not-a-file", Severity: problem.Error, Since: "0.1.0",
		Title: "A directory or pattern in the list",
		Help:  "\"files\" is exact: directories and patterns such as *.md would let files in that nobody listed.",
		Fix:   "list each file by name (pinion validate --fix adds them)",
	}
	ruleTooManyFiles = problem.Rule{
		ID: "files/too-many", Severity: problem.Error, Since: "0.1.0",
		Title: "More than 100 files are declared",
		Help:  "A native package has at most 100 files besides its manifest.",
		Fix:   "leave out what the plugin does not need at run time",
	}
	ruleReference = problem.Rule{
		ID: "files/reference", Severity: problem.Error, Since: "0.1.0",
		Title: "A file that is used but not listed",
		Help:  "Entrypoints, hooks and what the ui names must be in \"files\", or they will not be installed.",
		Fix:   "add it to \"files\"",
	}
	ruleDecimalSize = problem.Rule{
		ID: "files/decimal-size", Severity: problem.Note, Since: "0.1.0",
		Title: "Above 2,000,000 bytes",
		Help:  "The limit of 2 MB is read as 2,097,152 bytes here. A host that counts decimal megabytes refuses this package.",
		Fix:   "leave out what the plugin does not need",
	}
	ruleLicense = problem.Rule{
		ID: "license/unknown", Severity: problem.Error, Since: "0.1.0",
		Title:   "A licence that is not supported",
		Help:    "Supported are MIT, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, 0BSD, Unlicense and CC0-1.0, as exact SPDX identifiers.",
		Fix:     "write one of the supported identifiers",
		Example: "\"license\": \"mit\"  →  \"license\": \"MIT\"",
	}
	ruleLicenseFile = problem.Rule{
		ID: "license/undeclared", Severity: problem.Error, Since: "0.1.0",
		Title: "No LICENSE in the list",
		Help:  "Every package carries the complete text of its licence in a file called LICENSE at its top.",
		Fix:   "add LICENSE with the text of the licence, and list it in \"files\"",
	}
	ruleLicenseEmpty = problem.Rule{
		ID: "license/empty", Severity: problem.Error, Since: "0.1.0",
		Title: "LICENSE is empty",
		Help:  "The file is there without the text that gives anyone the right to use the plugin.",
		Fix:   "put the complete text of the licence into it",
	}
	ruleSkillFile = problem.Rule{
		ID: "skill/missing", Severity: problem.Error, Since: "0.1.0",
		Title: "A skill without SKILL.md",
		Help:  "A plugin of kind skill is its SKILL.md: that file is what an agent reads.",
		Fix:   "add SKILL.md",
	}
	ruleGuidance = problem.Rule{
		ID: "skill/guidance", Severity: problem.Note, Since: "0.1.0",
		Title: "Thin instructions",
		Help:  "A good SKILL.md says when to use it, what information is needed, the steps, and how to check the result, under headings.",
		Fix:   "write these four parts",
	}
	ruleTooMany = problem.Rule{
		ID: "manifest/too-many", Severity: problem.Error, Since: "0.1.0",
		Title: "A list is too long",
		Help:  "Settings, pages, styles, patches, assets and hooks are at most 100 each.",
		Fix:   "split the plugin",
	}
)

// Rules lists every rule this package reports.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleAbsent, ruleTwoFiles, ruleSchemaVersion, ruleRequired, ruleID,
		ruleText, ruleVersion, ruleKind, ruleChannel, ruleKindField,
		ruleRequires, ruleEmpty, rulePath, ruleUndeclared, ruleMissing,
		ruleCase, ruleDuplicateFile, ruleManifestListed, ruleNotAFile, ruleTooManyFiles,
		ruleReference, ruleDecimalSize, ruleLicense, ruleLicenseFile, ruleLicenseEmpty,
		ruleSkillFile, ruleGuidance, ruleEntrypoint, ruleNoTools, ruleTooManyTools,
		ruleToolName, ruleToolLength, ruleToolTwice, ruleToolSchema, ruleSettingKey,
		ruleSettingPrefix, ruleSettingTwice, ruleTooMany, rulePermissionUnknown, rulePermissionTwice,
		rulePermissionMissing, rulePermissionUnused, rulePageID, rulePageTwice, ruleUIFile,
		ruleUIDuplicate, ruleImport, ruleUnscoped, ruleEffect, ruleEvent,
		ruleHookFile, ruleTimeout, ruleNoBundle, ruleBundleDiffers,
	}
}
