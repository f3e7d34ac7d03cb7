package compat

import (
	"bytes"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
)

// skill is what hosts look at in a SKILL.md.
type skill struct {
	front  bool // there is a block between --- lines
	first  bool // which begins with the first byte of the file
	marked bool // or after a byte order mark
	exact  bool // and the line has nothing but the three dashes
	broken bool // it is no YAML
	raw    []byte
	// name and description are as written, "" when missing or of another type;
	// text says that they are strings and not numbers or the like.
	name, description         string
	nameText, descriptionText bool
	fields                    []syntax.Field
}

// fits reports whether the values are of the types that a strict reader wants.
func (s skill) fits() bool {
	for _, f := range s.fields {
		switch f.Key {
		case "name":
			if f.Kind == syntax.List || f.Kind == syntax.Map {
				return false
			}
		case "metadata":
			if f.Kind != syntax.Map && f.Kind != syntax.Null {
				return false
			}
		}
	}
	return true
}

// readSkill reads the frontmatter of a skill by YAML's own rules; what hosts
// repair is their own.
func readSkill(data []byte) skill {
	f, found := syntax.Frontmatter(data)
	s := skill{front: f.Found, first: bytes.HasPrefix(data, []byte("---")), marked: bytes.HasPrefix(data, []byte("\ufeff---")), exact: exactFence(data), broken: f.Lenient}
	if f.Found && f.Start <= f.End && f.End <= len(data) {
		s.raw = data[f.Start:f.End]
		s.broken = s.broken || bytes.IndexByte(s.raw, 0) >= 0
	}
	for _, p := range found {
		if p.Rule == "yaml/syntax" || p.Rule == "yaml/limit" || p.Rule != "yaml/unsafe" && p.Severity == problem.Error {
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
	s.fields = f.Fields
	return s
}

// internal reports whether the metadata says that the skill is not for others.
func (s skill) internal() bool {
	for _, f := range s.fields {
		if f.Key == "metadata" {
			for _, i := range f.Items {
				if i.Key == "internal" && i.Value == "true" {
					return true
				}
			}
		}
	}
	return false
}

// mend reads the frontmatter again as hosts do that put quotes around a value
// with ": " in it, or with a beginning that YAML keeps for itself, when the text
// is no YAML or a value is no string. It is false when that mends nothing.
func (s *skill) mend() bool {
	plain := s.broken
	for _, f := range s.fields {
		if (f.Key == "name" || f.Key == "description") && (f.Kind == syntax.Map || f.Kind == syntax.List) {
			plain = true
		}
	}
	if !plain {
		return false
	}
	mended := false
	for line := range strings.Lines(string(s.raw)) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		value = strings.TrimSpace(value)
		if !ok || value == "" || strings.ContainsAny(key, " \t#\"'") {
			continue
		}
		if strings.Contains(value, ": ") && value[0] != '"' && value[0] != '\'' || value[0] == '`' || value[0] == '@' || value[0] == '[' && !strings.HasSuffix(value, "]") {
			mended = true
			switch key {
			case "name":
				s.name, s.nameText = value, true
			case "description":
				s.description, s.descriptionText = value, true
			default:
				continue
			}
			s.fields = slices.DeleteFunc(slices.Clone(s.fields), func(f syntax.Field) bool { return f.Key == key })
		}
	}
	return mended
}

// exactFence reports whether the first line is three dashes and nothing else.
func exactFence(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r"))) == "---"
}

// date reports whether a value is a date by YAML's own types, which JavaScript
// keeps as text.
func (s skill) date(key string) bool { return s.has(key, syntax.Date) }

// has reports whether a value is there and of a kind.
func (s skill) has(key string, kind syntax.Kind) bool {
	return slices.ContainsFunc(s.fields, func(f syntax.Field) bool { return f.Key == key && f.Kind == kind })
}

// written is a value as written, with the blanks around it.
func (s skill) written(key string) string {
	for _, f := range s.fields {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}
