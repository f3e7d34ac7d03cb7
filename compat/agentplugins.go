package compat

import (
	"pinion/manifest/agentplugins"
	"pinion/tree"
)

// agentPluginsHost is the Agent Plugins specification 1.0.0, as a client that
// follows it by the letter.
func agentPluginsHost() *host {
	return &host{
		name: AgentPlugins, title: "Agent Plugins",
		first: Version{1, 0, 0}, newest: Version{1, 0, 0},
		rules: []rule{standardNothing, standardManifest, standardPart},
		pkg:   standardPackage,
	}
}

const standardText = "Agent Plugins specification 1.0.0 and its schemas"

var (
	standardNothing = rule{
		id: "nothing", effect: note,
		title: "No plugin of the Agent Plugins specification", help: "A plugin has plugin.json at its top, with the $schema of the specification.",
		fix: "add plugin.json with \"$schema\": \"" + agentPluginsSchema + "\" and a name", evidence: standardText,
	}
	standardManifest = rule{
		id: "manifest", effect: fatal,
		title: "A plugin that clients of the specification reject", help: "plugin.json breaks the specification; the message names the rule of the format. Unknown fields are ignored, any other violation is fatal.",
		fix: "see the rule that the message names", evidence: standardText,
	}
	standardPart = rule{
		id: "part", effect: part,
		title: "A part that clients of the specification leave out", help: "The plugin loads without this file.",
		fix: "see the rule that the message names", evidence: standardText,
	}
)

func standardPackage(j *judge, t *tree.Tree, in Place) {
	if !isAgentPlugins(t) {
		j.unread = true
		j.report(standardNothing, whole(), "there is no plugin.json with the $schema of the specification")
		return
	}
	// The specification has no catalogs, so an entry says nothing.
	j.byReader(agentplugins.New(), t, Place{Dir: in.Dir}, standardManifest, standardPart)
}
