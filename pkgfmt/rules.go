package pkgfmt

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleNoManifest = problem.Rule{
		ID: "manifest/missing", Severity: problem.Error, Since: "0.1.0",
		Title:   "No manifest",
		Help:    "A package is a directory with pinion-plugin.json or shinbot-plugin.json, with the manifest of a plugin, extension or bundle of another host, in the layout of a Claude Code plugin, or an Agent Skill with SKILL.md. Nothing in this directory says what it is.",
		Fix:     "pinion init skill NAME makes a package to start from",
		Example: "plugins/notes/ with only notes.md in it",
	}
	ruleID = problem.Rule{
		ID: "manifest/name-missing", Severity: problem.Error, Since: "0.1.0",
		Title: "A package without a usable name",
		Help:  "Neither the manifest, the catalog entry nor the directory gives a name that can be typed and used as a directory: letters, digits, '.', '_' and '-', at most 128 characters.",
		Fix:   "give the plugin a name in its manifest",
	}
	ruleEntry = problem.Rule{
		ID: "catalog/entry-content", Severity: problem.Error, Since: "0.1.0",
		Title: "A catalog entry that has no canonical form",
		Help:  "The components that a catalog entry defines are part of the package's digest in canonical JSON (RFC 8785). This entry has a value without one, such as a number beyond double precision.",
		Fix:   "write the value as a string",
	}
	ruleNoDigest = problem.Rule{
		ID: "hash/impossible", Severity: problem.Error, Since: "0.1.0",
		Title: "Files that have no digest",
		Help:  "The digest has one line for each file; a path that appears twice or contains a newline has no place in it.",
		Fix:   "rename the file",
	}
	ruleLFS = problem.Rule{
		ID: "files/lfs", Severity: problem.Error, Since: "0.1.0",
		Title: "A Git LFS pointer instead of the file",
		Help:  "Git stores a three-line pointer here and the content elsewhere. Users would get the pointer: nothing is fetched from LFS, because those bytes are not covered by the commit.",
		Fix:   "commit the file itself (git lfs untrack FILE), or leave it out",
	}
	ruleEOL = problem.Rule{
		ID: "text/eol", Severity: problem.Warning, Since: "0.1.0",
		Title:   "The working tree is not what git stores",
		Help:    "Git converts this file when it is committed or checked out (line endings, ident, an encoding or a filter), so a digest made from the working tree is not the digest of the published bytes.",
		Fix:     "pinion build-catalog --from HEAD builds from the committed bytes",
		Example: "*.py text eol=lf in .gitattributes keeps one form everywhere",
	}
)

// ruleDrift is about packages for several hosts.
var ruleDrift = problem.Rule{
	ID: "manifest/drift", Severity: problem.Warning, Since: "0.3.0",
	Title:   "Two manifests of a package say different things",
	Help:    "A directory with the manifests of several hosts is one package with several faces. Where they state another name, version, description or licence, users of one host see another plugin than those of the next. A component that only one of them declares is a note.",
	Fix:     "write the same value into both manifests",
	Example: ".claude-plugin/plugin.json: \"version\": \"1.1.0\"\n.codex-plugin/plugin.json:  \"version\": \"1.0.0\"",
}

// ruleCase is about systems that do not tell cases apart.
var ruleCase = problem.Rule{
	ID: "files/case", Severity: problem.Warning, Since: "0.3.0",
	Title:   "A file that hosts start only where case does not count",
	Help:    "The name differs in case alone from one that hosts look for. On Linux they do not find it; on macOS and Windows they do, and start what is in it. It counts as part of the package, so that it needs consent everywhere.",
	Fix:     "rename the file to the name of the host's documentation, or to another one",
	Example: "Hooks/hooks.json  →  hooks/hooks.json",
}

// Rules lists every rule this package reports.
func Rules() []problem.Rule {
	return []problem.Rule{ruleNoManifest, ruleID, ruleEntry, ruleNoDigest, ruleLFS, ruleEOL, ruleDrift, ruleCase}
}
