package compat

import "pinion/tree"

func claudeHost() *host {
	return &host{
		name: Claude, title: "Claude Code",
		pkg: func(j *judge, t *tree.Tree, at Place) {},
	}
}
