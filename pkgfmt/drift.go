package pkgfmt

import (
	"fmt"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// drift reports where the faces of a package say different things: every later
// manifest is held against the first. Users of one host would otherwise get
// another plugin than those of the next, and nobody would notice.
func (p *Package) drift() problem.List {
	var manifests []*manifest.Manifest
	for _, f := range p.Faces {
		if f.Path != "" && f.Format != skillFormat {
			manifests = append(manifests, f)
		}
	}
	if len(manifests) < 2 {
		return nil
	}
	var out problem.List
	first := p.statements(manifests[0])
	for _, m := range manifests[1:] {
		out = append(out, first.differences(p.statements(m))...)
		out = append(out, p.onlyIn(manifests[0], m)...)
		out = append(out, p.onlyIn(m, manifests[0])...)
	}
	return out
}

// statements are what one manifest file says of the package.
type statements struct {
	format, path string
	data         []byte
	said         map[string]string
}

// driftFields are what a manifest says of the package as a whole.
func driftFields(format string) []string {
	if format == "mcp-registry" {
		// Its names are reverse-DNS and its descriptions have 100 characters.
		return []string{"version"}
	}
	return []string{"name", "version", "description", "license"}
}

func (p *Package) statements(m *manifest.Manifest) statements {
	s := statements{format: m.Format, path: m.Path, said: map[string]string{}}
	f := p.Tree.Lookup(m.Path)
	if f == nil || !isJSON(m.Path) {
		return s
	}
	s.data = f.Data
	var o syntax.Object
	_ = syntax.Decode(f.Data, &o, syntax.Options{AllowDuplicates: true, AllowBOM: true}) // the format has reported its faults
	for _, field := range driftFields(m.Format) {
		raw, ok := o.Get(field)
		var text string
		if ok && raw.Kind() == '"' && len(syntax.Decode(raw, &text, syntax.Options{})) == 0 {
			s.said[field] = text
		}
	}
	return s
}

// differences reports the fields in which o says other than s, at o.
func (s statements) differences(o statements) problem.List {
	var out problem.List
	for _, field := range driftFields(o.format) {
		a, b := s.said[field], o.said[field]
		if a == "" || b == "" || a == b {
			continue
		}
		line, col := syntax.Locate(o.data, syntax.Pointer(field))
		there, _ := syntax.Locate(s.data, syntax.Pointer(field))
		out.Add(ruleDrift.Report("%s is %q here and %q in %s:%d", field, excerpt(b), excerpt(a), s.path, there).At(o.path, line, col))
	}
	return out
}

// onlyIn reports the components that the host of one face loads and that of the
// other does not, though it has components of that type.
func (p *Package) onlyIn(has, lacks *manifest.Manifest) problem.List {
	var f Format
	for _, known := range p.formats {
		if known.Name() == lacks.Format {
			f = known
		}
	}
	e, ok := f.(Expresser)
	if !ok {
		return nil
	}
	var out problem.List
	for _, t := range []manifest.ComponentType{
		manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent,
		manifest.HookComponent, manifest.ServerComponent, manifest.LSPComponent,
	} {
		if !e.Expresses(t) {
			continue
		}
		var names []string
		for _, c := range has.Components {
			if c.Type == t && !slices.ContainsFunc(lacks.Components, func(o manifest.Component) bool { return o.Type == t && sameJob(c, o) }) {
				names = append(names, c.Name)
			}
		}
		slices.Sort(names)
		if names = slices.Compact(names); len(names) == 0 {
			continue
		}
		what := strings.Join(names[:min(len(names), 3)], ", ")
		if more := len(names) - 3; more > 0 {
			what += fmt.Sprintf(" and %d more", more)
		}
		out.Add(ruleDrift.Report("%s has the %s %s, %s does not", has.Format, t, excerpt(what), lacks.Format).
			As(problem.Note).At(lacks.Path, 1, 1).
			WithFix("declare it in %s too, if that host should have it", lacks.Path))
	}
	return out
}

// sameJob reports whether two faces mean the same part. Hosts call events by
// different names, so any hook stands for the others.
func sameJob(a, b manifest.Component) bool {
	switch a.Type {
	case manifest.HookComponent:
		return true
	case manifest.ServerComponent, manifest.LSPComponent:
		return a.Name == b.Name
	}
	return a.Path == b.Path
}

// Expresser is a [Format] that says which components its host can have.
type Expresser interface {
	Expresses(t manifest.ComponentType) bool
}

func isJSON(path string) bool { return strings.HasSuffix(path, ".json") }

// excerpt bounds what a message repeats of a file.
func excerpt(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
