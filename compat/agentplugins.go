package compat

import "pinion/tree"

func agentPluginsHost() *host {
	return &host{
		name: AgentPlugins, title: "Agent Plugins",
		pkg: func(j *judge, t *tree.Tree, at Place) {},
	}
}
