package catalog

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleLimit = problem.Rule{
		ID: "catalog/limit", Severity: problem.Error, Since: "0.1.0",
		Title: "A catalog that is too large",
		Help:  "A catalog has at most 200,000 entries and 128 MiB. The limits are checked before anything is kept in memory.",
		Fix:   "split the marketplace",
	}
	ruleSchemaVersion = problem.Rule{
		ID: "catalog/schema-version", Severity: problem.Error, Since: "0.1.0",
		Title:   "A native catalog of an unknown version",
		Help:    "schema_version says how the rest is to be read. This Pinion reads version 1; guessing at another could miss what it says about trust.",
		Fix:     "run pinion build-catalog",
		Example: "\"schema_version\": 1",
	}
	ruleName = problem.Rule{
		ID: "catalog/name", Severity: problem.Error, Since: "0.1.0",
		Title:   "A catalog without a usable name",
		Help:    "The name is how people refer to the marketplace (plugin@name), and hosts make a directory of it. Claude Code refuses a catalog without one, or with a space in it.",
		Fix:     "give the catalog a name of lower-case letters, digits and dashes",
		Example: "\"name\": \"acme-plugins\"",
	}
	ruleReservedName = problem.Rule{
		ID: "catalog/reserved-name", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A marketplace name that a host keeps for itself",
		Help:    "Claude Code refuses marketplaces that are called like Anthropic's own, or nearly so, unless they come from Anthropic's repositories. Other hosts and Pinion reserve words of their own. The check is made again at each load, so the name may work today and not tomorrow.",
		Fix:     "choose a name with your own or your organisation's name in it",
		Example: "official-claude-plugins  →  acme-plugins",
	}
	ruleOwner = problem.Rule{
		ID: "catalog/owner", Severity: problem.Error, Since: "0.1.0",
		Title:   "A catalog without an owner",
		Help:    "Claude Code and Copilot refuse a catalog that does not say who publishes it; Codex does not ask.",
		Fix:     "add \"owner\": {\"name\": \"…\"}, or run pinion build-catalog --owner NAME",
		Example: "\"owner\": {\"name\": \"Acme Corp\"}",
	}
	rulePlugins = problem.Rule{
		ID: "catalog/plugins", Severity: problem.Error, Since: "0.1.0",
		Title:   "A catalog without a list of plugins",
		Help:    "Every host reads the entries from the list \"plugins\".",
		Fix:     "add \"plugins\": []",
		Example: "{\"name\": \"acme\", \"owner\": {\"name\": \"Acme\"}, \"plugins\": []}",
	}
	ruleDuplicate = problem.Rule{
		ID: "catalog/duplicate", Severity: problem.Error, Since: "0.1.0",
		Title: "One version of a plugin listed twice",
		Help:  "A version names exactly one content. With two entries for it, which one a user gets would depend on the reader.",
		Fix:   "remove one of the two directories, or give it another id or version",
	}
	ruleDuplicateName = problem.Rule{
		ID: "catalog/duplicate-name", Severity: problem.Warning, Since: "0.1.0",
		Title: "Two entries with one name",
		Help:  "A plugin is asked for by its name, so only the first entry can be installed. Copilot refuses the whole catalog; Claude Code loads it, but its validator calls this an error.",
		Fix:   "rename one of the two",
	}
	ruleEntryName = problem.Rule{
		ID: "catalog/entry-name", Severity: problem.Error, Since: "0.1.0",
		Title:   "An entry without a usable name",
		Help:    "In a native catalog the name is the plugin's id: lower-case words joined by dashes, at most 40 characters. In other catalogs letters, digits, '.', '_' and '-' are taken. One nameless entry makes Codex and Copilot refuse the whole catalog.",
		Fix:     "give the entry a name of lower-case letters, digits and dashes",
		Example: "\"name\": \"text-tools\"",
	}
	ruleVersion = problem.Rule{
		ID: "catalog/version", Severity: problem.Error, Since: "0.1.0",
		Title:   "A version that cannot be used",
		Help:    "In a native catalog every entry has a SemVer version with three numbers. In other catalogs the version may be left out, but hosts make a directory of it, so other characters than letters, digits, '.', '_', '+' and '-' are a warning.",
		Fix:     "write a version such as 1.0.0",
		Example: "1.0  →  1.0.0",
	}
	ruleKind = problem.Rule{
		ID: "catalog/kind", Severity: problem.Error, Since: "0.1.0",
		Title: "An unknown kind of plugin",
		Help:  "The kind decides what a user is asked before activation. The kinds are skill, mcp, extension and builtin.",
		Fix:   "run pinion build-catalog, which takes the kind from the manifest",
	}
	ruleHash = problem.Rule{
		ID: "catalog/hash", Severity: problem.Error, Since: "0.1.0",
		Title:   "An entry without a digest",
		Help:    "Each entry of a native catalog states the digest of its package. Without it a changed file could not be told from a released one.",
		Fix:     "run pinion build-catalog",
		Example: "\"hash\": \"h1:5VEGGP+0PMMzihjrKmWS/3RaWG5kc2suto2ji+MQTGQ=\"",
	}
	ruleHashMissing = problem.Rule{
		ID: "catalog/hash-missing", Severity: problem.Warning, Since: "0.1.0",
		Title: "A catalog that is native but for an entry without a digest",
		Help:  "The catalog has a schema_version, so it was made to publish digests; but an entry has none, and so all of it is read like a catalog of another host, where digests are only recorded by each user.",
		Fix:   "run pinion build-catalog",
	}
	ruleSource = problem.Rule{
		ID: "catalog/source", Severity: problem.Error, Since: "0.1.0",
		Title:   "A source that cannot be read",
		Help:    "The source says where a plugin is: a directory of the same repository (\"./plugins/x\"), or an object with its own \"source\" (github, url, git-subdir, …) and the fields of that kind. Git URLs are https, ssh or file; anything that git would take for a program or an option is refused.",
		Fix:     "write the source in one of the forms of the host's documentation",
		Example: "{\"source\": \"github\", \"repo\": \"acme/tools\", \"sha\": \"0123…\"}",
	}
	ruleSourcePath = problem.Rule{
		ID: "catalog/source-path", Severity: problem.Error, Since: "0.1.0",
		Title:   "A directory that could lie outside the repository",
		Help:    "Directories in a catalog are relative to the root of the repository, slash-separated, and contain no \"..\".",
		Fix:     "write the directory from the root of the repository, beginning with \"./\"",
		Example: "\"../plugins/x\" in .claude-plugin/marketplace.json  →  \"./plugins/x\"",
	}
	ruleSourceForm = problem.Rule{
		ID: "catalog/source-form", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A source that the host of this catalog does not read",
		Help:    "Each host knows some kinds of sources. Claude Code and Codex leave out an entry with another one; Copilot refuses the whole catalog. Claude Code wants relative sources to begin with \"./\".",
		Fix:     "use a source that the host knows; \"./dir\", url and git-subdir are read by all",
		Example: "\"plugins/x\"  →  \"./plugins/x\"",
	}
	ruleNotInstallable = problem.Rule{
		ID: "catalog/not-installable", Severity: problem.Note, Since: "0.1.0",
		Title: "A source that Pinion does not install from",
		Help:  "Commands and Python packages run somebody's code while they are installed, and kinds that Pinion does not know cannot be read. They are listed, with the reason. Pinion installs from directories, git, npm registries and archives, where a commit or a digest fixes the bytes.",
		Fix:   "install it with the host, or ask the author for a git source",
	}
	ruleUnpinnedArchive = problem.Rule{
		ID: "catalog/unpinned-archive", Severity: problem.Note, Since: "0.3.0",
		Title:   "An archive without a sha256",
		Help:    "Nothing but the address says which file is meant, so whatever is there is what a user gets. Pinion records the digest of the file that it sees first.",
		Fix:     "add \"sha256\", the output of sha256sum FILE",
		Example: "{\"source\": \"archive\", \"url\": \"https://…/tools-1.0.0.zip\", \"sha256\": \"<64 digits>\"}",
	}
	ruleSHA = problem.Rule{
		ID: "catalog/sha", Severity: problem.Error, Since: "0.1.0",
		Title:   "A commit that is not complete",
		Help:    "sha is the full commit id: 40 lower-case hex digits. A short one can come to mean another commit, and hosts refuse it. The sha256 of an archive has 64.",
		Fix:     "write the output of git rev-parse COMMIT",
		Example: "\"sha\": \"1f3c9a2\"  →  all 40 digits",
	}
	ruleRefIsCommit = problem.Rule{
		ID: "catalog/ref-is-commit", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A commit in the place of a branch",
		Help:    "Hosts pass ref to git clone --branch, which takes no commit, so they always fail here. Pinion takes it for the commit, and never for a branch of that name.",
		Fix:     "rename \"ref\" to \"sha\"",
		Example: "{\"source\": \"url\", \"url\": \"…\", \"sha\": \"<40 digits>\"}",
	}
	ruleDirectoryName = problem.Rule{
		ID: "catalog/directory-name", Severity: problem.Error, Since: "0.1.0",
		Title:   "A directory that is not called like its plugin",
		Help:    "A package lies in a directory that has its id as name, so that one id cannot pass for another in a review.",
		Fix:     "rename the directory, or correct the id in the manifest",
		Example: "plugins/texttools with id text-tools  →  plugins/text-tools",
	}
	ruleDirectoryMissing = problem.Rule{
		ID: "catalog/directory-missing", Severity: problem.Error, Since: "0.1.0",
		Title: "An entry whose directory does not exist",
		Help:  "The catalog loads, but installing this plugin fails in every host.",
		Fix:   "correct the source, or remove the entry",
	}
	ruleRenameCycle = problem.Rule{
		ID: "catalog/rename-cycle", Severity: problem.Warning, Since: "0.1.0",
		Title:   "Renames that never end",
		Help:    "renames leads from former names to present ones, over any number of steps. A circle leads to no plugin at all.",
		Fix:     "let the last name of the chain be the name of an entry",
		Example: "{\"a\": \"b\", \"b\": \"a\"}  →  {\"a\": \"c\", \"b\": \"c\"}",
	}
	ruleRenameTarget = problem.Rule{
		ID: "catalog/rename-target", Severity: problem.Warning, Since: "0.1.0",
		Title: "A rename to a plugin that is not there",
		Help:  "Users of the former name would be led to nothing. A plugin that was removed is renamed to null.",
		Fix:   "write the name of an entry, or null",
	}
	ruleVersionChanged = problem.Rule{
		ID: "catalog/version-changed", Severity: problem.Error, Since: "0.1.0",
		Title: "Changed files under a released version",
		Help:  "A released version never changes: users have its digest on record and would refuse other bytes under the same number. A change is a new version.",
		Fix:   "raise the version with pinion bump, or restore the files",
	}
	ruleStale = problem.Rule{
		ID: "catalog/stale", Severity: problem.Error, Since: "0.1.0",
		Title: "A catalog that is not what the packages give",
		Help:  "The catalog was not built after the last change, or was edited by hand. Users would be refused the changed plugins.",
		Fix:   "run pinion build-catalog and commit the result",
	}
	ruleForeignFile = problem.Rule{
		ID: "catalog/foreign-file", Severity: problem.Error, Since: "0.1.0",
		Title: "A catalog in the way that Pinion did not make",
		Help:  "The file at the place of the native catalog lists plugins that are no packages of this repository. Building would drop them, so it is not done.",
		Fix:   "move the file to the place of its host (.claude-plugin/marketplace.json, .github/plugin/marketplace.json)",
	}
)

// Rules lists every rule this package reports by itself.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleLimit, ruleSchemaVersion, ruleName, ruleReservedName, ruleOwner, rulePlugins, ruleDuplicate,
		ruleDuplicateName, ruleEntryName, ruleVersion, ruleKind, ruleHash, ruleHashMissing, ruleSource,
		ruleSourcePath, ruleSourceForm, ruleNotInstallable, ruleUnpinnedArchive, ruleSHA, ruleRefIsCommit, ruleDirectoryName,
		ruleDirectoryMissing, ruleRenameCycle, ruleRenameTarget, ruleVersionChanged, ruleStale, ruleForeignFile,
	}
}
