package compat

import "pinion/tree"

func copilotHost() *host {
	return &host{
		name: Copilot, title: "Copilot CLI",
		pkg: func(j *judge, t *tree.Tree, at Place) {},
	}
}
