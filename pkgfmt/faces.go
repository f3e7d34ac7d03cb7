package pkgfmt

import (
	"cmp"
	"slices"

	"pinion/manifest"
	"pinion/problem"
	"pinion/tree"
)

// Recognizer is a [Format] that the names at the top do not show by themselves:
// Recognize reports, by the content of files, whether a directory that Detect
// accepted is a package of the format. read is false for a file that is not there.
type Recognizer interface {
	Recognize(read func(path string) (data []byte, ok bool)) bool
}

// Lodger is a [Format] whose host loads parts of a package from places of its own
// also when the package has none of its manifests: Lodges reports whether there
// are any that it would start. Such a face is read for its components alone.
type Lodger interface {
	Lodges(t *tree.Tree) bool
}

// skillFormat is the format whose manifest may also be a part of a plugin.
const skillFormat = "agent-skill"

// face is a package as one format reads it.
type face struct {
	format Format
	m      *manifest.Manifest
	found  problem.List
}

// Formats returns the formats that a directory is a package of, by the names at
// its top and what read returns for a path in it, in the order of the loader.
func (l *Loader) Formats(top []string, read func(path string) ([]byte, bool)) []Format {
	var out []Format
	for _, f := range l.formats {
		if !f.Detect(top) {
			continue
		}
		if r, ok := f.(Recognizer); ok && !r.Recognize(read) {
			continue
		}
		if f.Name() == nativeFormat {
			return []Format{f}
		}
		out = append(out, f)
	}
	return out
}

// faces reads t in every format that it is a package of; the first is the
// primary one. A catalog entry is part of the package, so it has a reader too.
func (l *Loader) faces(t *tree.Tree, entry *manifest.Entry) []face {
	read := func(p string) ([]byte, bool) {
		if f := t.Lookup(p); f != nil {
			return f.Data, true
		}
		return nil, false
	}
	formats := l.Formats(t.Top, read)
	native := len(formats) > 0 && formats[0].Name() == nativeFormat
	if entry != nil && !native && !slices.Contains(formats, l.byEntry) {
		formats = slices.Insert(formats, 0, l.byEntry)
	}
	for _, f := range l.formats {
		if len(formats) > 0 && !slices.Contains(formats, f) && alsoOf(f, t, read, native) {
			formats = append(formats, f)
		}
	}
	var out []face
	for _, f := range formats {
		says := entry
		if f.Name() == skillFormat && len(out) > 0 {
			// The skill at the top is a part of the plugin, which has its reader; and
			// the entry names the plugin.
			if says = nil; !native && (lists(out, manifest.SkillComponent, "SKILL.md") || lists(out, manifest.SkillComponent, "skill.md")) {
				continue
			}
		}
		m, found := f.Load(t, says)
		out = append(out, face{f, m, found})
	}
	// A directory that only looks like a plugin is what its manifest says, unless
	// the entry is the definition.
	if !native && (entry == nil || entry.Strict && len(entry.Fields) == 0) {
		i := slices.IndexFunc(out, func(f face) bool { return f.m.Path != "" && f.format.Name() != skillFormat })
		if i > 0 {
			first := out[i]
			out = slices.Insert(slices.Delete(out, i, i+1), 0, first)
		}
	}
	return out
}

// alsoOf reports whether the host of f finds something in a package of other
// formats. A native package is no plugin of any host by the names of its
// directories, but it is handed over with all of its files, so that a manifest in it
// counts.
func alsoOf(f Format, t *tree.Tree, read func(string) ([]byte, bool), native bool) bool {
	if lodger, ok := f.(Lodger); ok && lodger.Lodges(t) {
		return true
	}
	r, ok := f.(Recognizer)
	return native && ok && f.Detect(t.Top) && r.Recognize(read)
}

func lists(faces []face, t manifest.ComponentType, path string) bool {
	return slices.ContainsFunc(faces, func(f face) bool {
		return slices.ContainsFunc(f.m.Components, func(c manifest.Component) bool { return c.Type == t && c.Path == path })
	})
}

// take makes the package what its faces are together: the identity is that of
// the primary one, the components are those of all, and the kind is the
// strongest, since any host may be the one that runs it.
func (p *Package) take(faces []face, at Place) (listed problem.List) {
	primary := faces[0]
	p.Format, p.Manifest = primary.format.Name(), primary.m
	for _, f := range faces {
		p.Faces = append(p.Faces, f.m)
	}
	if len(faces) > 1 {
		p.Manifest = merge(p.Faces)
	}
	found := primary.found
	for _, f := range faces[1:] {
		found = append(found, f.others(found)...)
	}
	if p.Manifest.License != "" {
		// Said by one of the faces, so it is not missing.
		found = slices.DeleteFunc(found, func(q problem.Problem) bool { return q.Rule == licenseMissing })
	}
	found = append(found, p.drift()...)
	for _, q := range found {
		if q.File == "" && at.Listed.File != "" {
			listed.Add(q.At(at.Listed.File, at.Listed.Line, at.Listed.Column))
			continue
		}
		p.Problems.Add(q)
	}
	return listed
}

// licenseMissing is the rule of a package that states no licence.
const licenseMissing = "license/missing"

// others returns what a further face finds beside what is known. Its host is not
// the one that the package is installed for, so nothing of it keeps the package
// from being used. A face without a manifest is nobody's claim, and finds nothing.
func (f face) others(known problem.List) problem.List {
	if f.m.Path == "" {
		return nil
	}
	var out problem.List
	for _, q := range f.found {
		same := func(k problem.Problem) bool {
			return k.Rule == q.Rule && k.File == q.File && k.Line == q.Line && k.Column == q.Column
		}
		if q.Rule == licenseMissing || slices.ContainsFunc(known, same) {
			continue
		}
		q.Message = f.format.Name() + ": " + q.Message
		out.Add(q.Survived())
	}
	return out
}

// merge returns what several faces say together; the first one goes first.
func merge(faces []*manifest.Manifest) *manifest.Manifest {
	m := *faces[0]
	m.Components = slices.Clone(m.Components)
	seen := map[manifest.Component]bool{}
	for _, c := range m.Components {
		seen[partKey(c)] = true
	}
	for _, f := range faces[1:] {
		m.ID = cmp.Or(m.ID, f.ID)
		m.Name = cmp.Or(m.Name, f.Name)
		m.Description = cmp.Or(m.Description, f.Description)
		m.License = cmp.Or(m.License, f.License)
		if strength(f.Kind) > strength(m.Kind) {
			m.Kind = f.Kind
		}
		for _, c := range f.Components {
			if k := partKey(c); !seen[k] {
				seen[k] = true
				m.Components = append(m.Components, c)
			}
		}
		for _, s := range f.Settings {
			if !slices.ContainsFunc(m.Settings, func(o manifest.Setting) bool { return o.Key == s.Key }) {
				m.Settings = append(slices.Clip(m.Settings), s)
			}
		}
		for _, t := range f.Tools {
			if !slices.ContainsFunc(m.Tools, func(o manifest.Tool) bool { return o.Name == t.Name }) {
				m.Tools = append(slices.Clip(m.Tools), t)
			}
		}
	}
	return &m
}

// strength orders kinds by what they let run.
func strength(k manifest.Kind) int {
	return slices.Index([]manifest.Kind{manifest.Skill, manifest.MCP, manifest.Extension, manifest.Builtin}, k)
}

// partKey identifies a component in all faces. Hosts call a file by different
// names, and it is one part all the same; what is started is one only when it is
// the same in every respect.
func partKey(c manifest.Component) manifest.Component {
	switch c.Type {
	case manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent:
		if c.Path != "" && !isJSON(c.Path) {
			return manifest.Component{Type: c.Type, Path: c.Path}
		}
	}
	return c
}

// FacesOf returns the names of the formats whose hosts see a component, in the
// order of the package's faces.
func (p *Package) FacesOf(c manifest.Component) []string {
	var out []string
	for _, f := range p.Faces {
		if slices.ContainsFunc(f.Components, func(o manifest.Component) bool { return partKey(o) == partKey(c) }) {
			out = append(out, f.Format)
		}
	}
	return out
}

// IsManifest reports whether a file of the package is the manifest of one of its
// faces.
func (p *Package) IsManifest(path string) bool {
	return slices.ContainsFunc(p.Faces, func(f *manifest.Manifest) bool { return f.Path == path })
}
