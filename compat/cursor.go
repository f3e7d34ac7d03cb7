package compat

import "pinion/tree"

func cursorHost() *host {
	return &host{
		name: Cursor, title: "Cursor",
		pkg: func(j *judge, t *tree.Tree, at Place) {},
	}
}
