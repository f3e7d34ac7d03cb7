package compat

import "pinion/tree"

func agentPluginsHost() *host {
	return &host{name: AgentPlugins, title: "Agent Plugins", first: Version{1, 0, 0}, newest: Version{1, 0, 0}, pkg: func(j *judge, _ *tree.Tree, _ Place) { j.unread = true }}
}
