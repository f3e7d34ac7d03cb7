package compat

import "pinion/tree"

func geminiHost() *host {
	return &host{
		name: Gemini, title: "Gemini CLI",
		pkg: func(j *judge, t *tree.Tree, at Place) {},
	}
}
