package compat

import (
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
