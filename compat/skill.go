package compat

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
)

// skill is what hosts look at in a SKILL.md.
type skill struct {
	front  bool // there is a block between --- lines
	broken bool // which is no YAML
	// name and description are as written, "" when missing or of another type;
	// text says that they are strings and not numbers or the like.
	name, description         string
	nameText, descriptionText bool
	keys                      []string
}

// readSkill reads the frontmatter of a skill by YAML's own rules; what hosts
// repair is their own.
func readSkill(data []byte) skill {
	f, found := syntax.Frontmatter(data)
	s := skill{front: f.Found, broken: f.Lenient}
	for _, p := range found {
		if p.Rule == "yaml/syntax" || p.Rule == "yaml/unsafe" || p.Rule == "yaml/limit" || p.Severity == problem.Error {
			s.broken = true
		}
	}
	value := func(key string) (string, bool) {
		v, ok := f.Get(key)
		if !ok || v.Kind == syntax.List || v.Kind == syntax.Map || v.Kind == syntax.Null {
			return "", false
		}
		return strings.TrimSpace(v.Value), v.Kind == syntax.String
	}
	s.name, s.nameText = value("name")
	s.description, s.descriptionText = value("description")
	for _, field := range f.Fields {
		s.keys = append(s.keys, field.Key)
	}
	return s
}
