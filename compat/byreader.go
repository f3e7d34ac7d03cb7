package compat

import (
	"cmp"

	"pinion/manifest"
	"pinion/problem"
	"pinion/tree"
)

// reader is a format's own reader, for hosts whose only witness is the text of
// the format.
type reader interface {
	Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List)
}

// byReader judges a package by a reader: its errors are what makes a host refuse
// the package, what the package survives is a part that is left out.
func (j *judge) byReader(f reader, t *tree.Tree, in Place, refuses, leaves rule) {
	m, found := f.Load(t, in.Entry)
	for _, p := range found {
		switch {
		case p.Severity == problem.Error && !p.Tolerated:
			j.report(refuses, at(p), "%s (%s)", p.Message, p.Rule)
		case p.Severity == problem.Error:
			j.report(leaves, at(p), "%s (%s)", p.Message, p.Rule)
		}
	}
	j.components = m.Components
}

// loneSkill judges a package that is one skill by what every host wants of one:
// a name and a description.
func (j *judge) loneSkill(t *tree.Tree, in Place, refuses rule) {
	s := readSkill(t.Lookup("SKILL.md").Data)
	if !s.front || s.broken || s.description == "" {
		j.report(refuses, place{file: "SKILL.md", line: 1, column: 1}, "it loads no skill from a file without a name and a description")
		return
	}
	j.component(manifest.Component{Type: manifest.SkillComponent, Name: cmp.Or(s.name, in.Dir), Path: "SKILL.md"})
}
