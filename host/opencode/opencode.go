// Package opencode gives skills to opencode: links in ~/.config/opencode/skills,
// and in .opencode/skills of a project.
//
// opencode's own plugins are JavaScript modules that run inside it, named in
// opencode.json or put into .opencode/plugins. No package format that Pinion
// reads contains one, so there is nothing to hand over by that door: a plugin
// with hooks or servers is left out, with the reason.
//
// opencode also reads ~/.agents/skills and ~/.claude/skills. A user who has
// linked those needs no link here; a skill that is in both is one skill to it.
package opencode

import (
	"pinion/host"
	"pinion/host/skills"
)

// New returns the adapter.
func New() host.Adapter {
	d, _ := skills.For("opencode")
	return skills.New(d)
}
