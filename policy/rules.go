package policy

import "pinion/problem"

var (
	ruleValue = problem.Rule{
		ID: "policy/value", Severity: problem.Error, Since: "0.2.0",
		Title: "A policy says something that cannot be carried out",
		Help: "A value is not one of the words or forms that the key takes, or a project's policy tries to loosen: it can only forbid more than the user's. " +
			"A policy with a mistake is not used at all, and nothing executable is activated until it is mended, since the line with the mistake may be the one that forbids.",
		Fix:     "correct the value; docs/policy.md lists every key",
		Example: "cooldown = \"three days\"   not understood\ncooldown = \"3d\"           correct",
	}
	ruleSource = problem.Rule{
		ID: "policy/source", Severity: problem.Error, Since: "0.2.0",
		Title: "The policy does not allow this source",
		Help:  "[allow] sources lists where plugins may come from, [deny] sources where they may not. A pattern is a canonical source such as github.com/acme/plugins; * stands for any characters.",
		Fix:   "use a plugin from an allowed source, or change the policy",
	}
	ruleKind = problem.Rule{
		ID: "policy/kind", Severity: problem.Error, Since: "0.2.0",
		Title: "The policy does not allow this kind of plugin",
		Help:  "[allow] kinds and [deny] kinds list skill, mcp, extension and builtin. Everything but a skill lets code run.",
		Fix:   "use another plugin, or change the policy",
	}
	ruleLicense = problem.Rule{
		ID: "policy/license", Severity: problem.Error, Since: "0.2.0",
		Title: "The policy does not allow this licence",
		Help:  "[allow] licenses and [deny] licenses list SPDX ids. A plugin that states no licence counts as \"none\".",
		Fix:   "use another plugin, or change the policy",
	}
	ruleHost = problem.Rule{
		ID: "policy/host", Severity: problem.Error, Since: "0.2.0",
		Title: "The policy does not allow a network host",
		Help: "Hosts are those that code, commands and server addresses of the plugin name. [allow] hosts and [deny] hosts take names and patterns such as *.example.com. " +
			"The list is what can be read from the files: code can make up a host as it runs, so this is no firewall.",
		Fix: "use another plugin, or change the policy",
	}
	ruleAge = problem.Rule{
		ID: "policy/age", Severity: problem.Error, Since: "0.2.0",
		Title: "The version is younger than the policy's cooldown",
		Help: "Most malicious releases are found within days. With a cooldown a version is used only after it has been known for that long. " +
			"The time counts from when this machine's ledger first met the version; dates in a repository are its author's to choose.",
		Fix: "wait, use the version before, or change the policy",
	}
	ruleLaunch = problem.Rule{
		ID: "policy/launch", Severity: problem.Error, Since: "0.2.0",
		Title: "The policy does not allow code that is fetched at launch",
		Help:  "The digest of a plugin covers its files. A server started with npx, uvx or docker without an exact version runs whatever is newest on that day, whatever was reviewed. With launch = \"block\" such a plugin is not activated.",
		Fix:   "ask the author to pin the exact version, or change the policy",
	}
	ruleScan = problem.Rule{
		ID: "policy/scan", Severity: problem.Error, Since: "0.2.0",
		Title: "The scan does not allow the plugin to be activated",
		Help: "A plugin that lets code run needs a completed scan of exactly its bytes, by this scanner and under this policy, without a high or critical finding. " +
			"A scan that crashed, took too long or hit a limit is not completed. [scan] block changes the level.",
		Fix: "look at the finding; report it to the author, or accept it with a reason",
	}
)

// Rules lists every rule this package reports.
func Rules() []problem.Rule {
	return []problem.Rule{ruleValue, ruleSource, ruleKind, ruleLicense, ruleHost, ruleAge, ruleLaunch, ruleScan}
}
