package component

import (
	"slices"
	"strconv"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
)

// Shape is what one JSON value must be. The zero Shape takes anything.
type Shape struct {
	// Kinds are the kinds of value it may be, as bytes of [Value.Kind] ("{", `"[`);
	// "t" is true or false. "" is any.
	Kinds string
	// Fields are the members of an object. Others are reported as unknown unless
	// the object is Open.
	Fields []Field
	Open   bool
	// Each is the shape of the elements of a list, and of the members of an Open
	// object that Fields does not name.
	Each *Shape
	// Text returns what is wrong with a string, "" when nothing.
	Text func(string) string
}

// Field is one member of an object.
type Field struct {
	Name     string
	Required bool
	Shape
}

// ShapeRules are the rules under which values of another shape are reported.
type ShapeRules struct {
	Type, Missing, Unknown, Text problem.Rule
}

// Check reports where v is not of the shape; name is how v is called in
// messages, "" for the document itself. It is false when anything was reported
// above a warning.
func (r *Reader) Check(v Value, name string, s Shape, rules ShapeRules) bool {
	kind := v.Kind()
	if kind == 'f' {
		kind = 't'
	}
	if s.Kinds == "" {
		return true
	}
	if !strings.ContainsRune(s.Kinds, rune(kind)) {
		p := rules.Type.Report("%s is %s, want %s", quoted(name), v.Found(), wanted(s.Kinds))
		r.Report(v, p)
		return p.Severity < problem.Error
	}
	switch {
	case kind == '"' && s.Text != nil:
		if why := s.Text(v.Text()); why != "" {
			p := rules.Text.Report("%s %s", quoted(name), why)
			r.Report(v, p)
			return p.Severity < problem.Error
		}
	case kind == '[' && s.Each != nil:
		ok := true
		for i, e := range v.Elements() {
			ok = r.Check(e, name+"["+strconv.Itoa(i)+"]", *s.Each, rules) && ok
		}
		return ok
	case kind == '{' && (s.Fields != nil || s.Each != nil || !s.Open):
		return r.checkMembers(v, name, s, rules)
	}
	return true
}

func (r *Reader) checkMembers(v Value, name string, s Shape, rules ShapeRules) bool {
	ok := true
	note := func(p problem.Problem) problem.Problem {
		ok = ok && p.Severity < problem.Error
		return p
	}
	seen := make(map[string]bool, len(s.Fields))
	for _, m := range v.Members() {
		seen[m.Key] = true
		path := m.Key
		if name != "" {
			path = name + "." + m.Key
		}
		i := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == m.Key })
		switch {
		case i >= 0:
			ok = r.Check(m.Value, path, s.Fields[i].Shape, rules) && ok
		case !s.Open:
			r.ReportKey(m.Value, note(unknownField(path, m.Key, s.Fields, rules.Unknown)))
		case s.Each != nil:
			ok = r.Check(m.Value, path, *s.Each, rules) && ok
		}
	}
	for _, f := range s.Fields {
		if f.Required && !seen[f.Name] {
			r.Report(v, note(rules.Missing.Report("%s has no %q", quoted(name), f.Name).WithFix("add %q", f.Name)))
		}
	}
	return ok
}

func unknownField(path, key string, fields []Field, rule problem.Rule) problem.Problem {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		names = append(names, f.Name)
	}
	if near, ok := syntax.Nearest(key, names); ok {
		return rule.Report("unknown field %q; did you mean %q?", Clip(path), near).WithFix("rename it to %q, or remove it", near)
	}
	return rule.Report("unknown field %q", Clip(path))
}

// quoted names a value in a message.
func quoted(name string) string {
	if name == "" {
		return "the file"
	}
	return `"` + strings.Map(printable, Clip(name)) + `"`
}

// printable keeps control characters of keys out of messages.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}

// wanted names the kinds of a shape.
func wanted(kinds string) string {
	var out []string
	for _, k := range kinds {
		switch k {
		case '{':
			out = append(out, "an object")
		case '[':
			out = append(out, "a list")
		case '"':
			out = append(out, "a string")
		case '0':
			out = append(out, "a number")
		case 't':
			out = append(out, "true or false")
		}
	}
	return strings.Join(out, " or ")
}

// Object is a closed object with these fields.
func Object(fields ...Field) Shape { return Shape{Kinds: "{", Fields: fields} }

// OpenObject is an object with these fields that may have others.
func OpenObject(fields ...Field) Shape { return Shape{Kinds: "{", Fields: fields, Open: true} }

// Map is an object whose members all have the shape.
func Map(s Shape) Shape { return Shape{Kinds: "{", Open: true, Each: &s} }

// List is a list of such elements.
func List(s Shape) Shape { return Shape{Kinds: "[", Each: &s} }

// String is text, for which the tests find nothing wrong.
func String(tests ...func(string) string) Shape {
	s := Shape{Kinds: `"`}
	if len(tests) > 0 {
		s.Text = func(text string) string {
			for _, test := range tests {
				if why := test(text); why != "" {
					return why
				}
			}
			return ""
		}
	}
	return s
}

// Bool is true or false.
func Bool() Shape { return Shape{Kinds: "t"} }

// Number is any number.
func Number() Shape { return Shape{Kinds: "0"} }

// OneOf is one of these words.
func OneOf(words ...string) Shape {
	return String(func(s string) string {
		if slices.Contains(words, s) {
			return ""
		}
		return "is none of " + strings.Join(words, ", ")
	})
}

// Required is a field that must be there.
func Required(name string, s Shape) Field { return Field{Name: name, Required: true, Shape: s} }

// Optional is a field that may be left out.
func Optional(name string, s Shape) Field { return Field{Name: name, Shape: s} }

// Tail is the string v without its first n bytes, at the place of v.
func (v Value) Tail(n int) Value {
	s := v.Text()
	if n < 0 || n > len(s) {
		return v
	}
	raw, err := syntax.Compact(s[n:])
	if err != nil {
		return v
	}
	v.raw = raw
	return v
}

// Raw is the JSON text of v.
func (v Value) Raw() string { return string(v.raw) }

// ServerDetail is what a server starts or connects to, in one line.
func ServerDetail(s Value) string { return serverDetail(s) }
