package compat

import "pinion/tree"

func skillsHost() *host {
	return &host{
		name: Skills, title: "skills installer",
		pkg: func(j *judge, t *tree.Tree, at Place) {},
	}
}
