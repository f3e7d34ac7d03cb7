package compat

import "pinion/tree"

func codexHost() *host {
	return &host{
		name: Codex, title: "Codex",
		pkg: func(j *judge, t *tree.Tree, at Place) {},
	}
}
