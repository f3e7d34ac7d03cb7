package compile

import "pinion/problem"

// Rules of this package. The ids are permanent.
var (
	ruleLost = problem.Rule{
		ID: "compile/lost", Severity: problem.Warning, Since: "0.3.0",
		Title: "A part of a plugin that a host does not get",
		Help:  "The catalog of the host lists the plugin, but the host cannot have this part of it: it has no place for such a thing, or works in another way. Users of other hosts have it. The message names the host, the plugin, the part and the reason.",
		Fix:   "leave it when the plugin is of use without that part; else add what the host can read",
	}
	ruleLeftOut = problem.Rule{
		ID: "compile/left-out", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A plugin that a host does not get",
		Help:    "The catalog of the host does not list the plugin, because the host could not install it, or would refuse the whole catalog because of it. The other plugins are not touched by that.",
		Fix:     "leave it, or give the plugin a form that the host reads: a directory, or a git source with sha",
		Example: "Copilot: tools is left out: the host reads no sources of the kind npm, and would refuse the whole catalog because of it",
	}
	ruleNotCarried = problem.Rule{
		ID: "compile/not-carried", Severity: problem.Note, Since: "0.3.0",
		Title: "Words of an entry that a host has no place for",
		Help:  "Keys that only describe a plugin, such as tags, are not written where the host's catalog does not have them. What the plugin does is the same.",
	}
	ruleNeeds = problem.Rule{
		ID: "compile/needs-python", Severity: problem.Note, Since: "0.3.0",
		Title: "A server that runs with the host's own Python",
		Help:  "Pinion runs servers of native packages with a Python that has the package mcp. A host starts them with the python3 it finds, so that must have it.",
		Fix:   "tell users to install the package mcp, or to use the plugin through Pinion",
	}
	ruleNeedsVersion = problem.Rule{
		ID: "compile/needs-version", Severity: problem.Note, Since: "0.3.0",
		Title: "An entry that only newer versions of a host read",
		Help:  "Older versions refuse the source, and the oldest the whole catalog. A second catalog without such entries is written beside it, which users of older versions can add instead.",
		Fix:   "a git source (url with sha) is read by all versions",
	}
	ruleHostName = problem.Rule{
		ID: "compile/host-name", Severity: problem.Warning, Since: "0.3.0",
		Title: "A catalog's name that a host does not accept",
		Help:  "The name becomes part of every install command and of directory names of the host.",
		Fix:   "use lower-case letters, digits and single dashes, at most 64, which all hosts accept",
	}
	ruleWrite = problem.Rule{
		ID: "compile/write", Severity: problem.Error, Since: "0.3.0",
		Title: "A file for a host that cannot be written",
		Help:  "The source has something in it that has no JSON form, so no file is written.",
		Fix:   "correct the entry",
	}
	ruleRemoved = problem.Rule{
		ID: "catalog/removed", Severity: problem.Warning, Since: "0.3.0",
		Title:   "A released plugin that is no longer listed",
		Help:    "Users have it installed. renames tells their hosts what became of it: another name, or null for a plugin that is gone. null is written by default.",
		Fix:     "if it has another name now, write that name in renames instead of null",
		Example: "\"renames\": {\"old-name\": \"new-name\", \"gone\": null}",
	}
	ruleRenameDropped = problem.Rule{
		ID: "catalog/rename-dropped", Severity: problem.Warning, Since: "0.3.0",
		Title: "A rename that was taken out of a catalog",
		Help:  "Users who installed the plugin under its former name are led by renames for as long as they have it, so the list only grows.",
	}
	ruleReservedPlugin = problem.Rule{
		ID: "catalog/reserved-plugin", Severity: problem.Warning, Since: "0.3.0",
		Title: "A plugin's name that a host keeps for itself",
		Help:  "Claude Code refuses a plugin.json with a name that looks like one of Anthropic's own.",
		Fix:   "choose another name",
	}
	ruleConfusable = problem.Rule{
		ID: "catalog/confusable-name", Severity: problem.Warning, Since: "0.3.0",
		Title:   "Two names that look the same",
		Help:    "They differ only in case, in dashes, dots and underscores, or in letters that look alike. A user cannot tell which one is meant, and on some disks they are one directory.",
		Fix:     "rename one of the two",
		Example: "text-tools and text_tools",
	}
	ruleNear = problem.Rule{
		ID: "catalog/near-name", Severity: problem.Note, Since: "0.3.0",
		Title: "Two names that differ in one letter",
		Help:  "A slip of the finger installs the other plugin.",
	}
	ruleTaken = problem.Rule{
		ID: "catalog/taken-name", Severity: problem.Warning, Since: "0.3.0",
		Title: "A name that is taken elsewhere",
		Help:  "One of the marketplaces you have added lists a plugin of that name, or of one that looks the same. Hosts keep plugins of one name apart only by the marketplace's name.",
		Fix:   "choose a name of its own before the first release",
	}
)

// Rules lists every rule this package reports by itself.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleLost, ruleLeftOut, ruleNotCarried, ruleNeeds, ruleNeedsVersion, ruleHostName, ruleWrite, ruleRemoved,
		ruleRenameDropped, ruleReservedPlugin, ruleConfusable, ruleNear, ruleTaken,
	}
}
