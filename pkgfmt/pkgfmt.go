// Package pkgfmt holds a package together: a tree of files, the manifest that
// describes it, and the digest that identifies it.
//
// It is the one door. Everything that is validated, catalogued, refreshed or
// installed is read by [Loader.Load], and only [Package.Verify] makes the
// [Verified] value that the store accepts, so nothing can be placed that was
// not checked.
//
// The digest covers every file of the package, the manifest included. In a
// native package permission bits are not content. In every other format two
// synthetic files exist, whose names no real path can have: "//exec", when a
// file is executable, lists the executable paths; "//entry", when the catalog
// entry itself defines components, is their canonical JSON, so that consent
// and scans cover it.
package pkgfmt

import (
	"pinion/hashes"
	"pinion/manifest"
	"pinion/problem"
	"pinion/tree"
)

// nativeFormat is the name of the format with an exact list of files.
const nativeFormat = "native"

// Format reads one on-disk format. Implementations are the folders of manifest
// and are safe for concurrent use.
type Format interface {
	// Name is "native", "claude", "codex" and so on.
	Name() string
	// Detect reports whether a directory with these top-level names, sorted,
	// is a package of the format by itself.
	Detect(top []string) bool
	// Profile is what a tree of the format may contain.
	Profile() tree.Profile
	// Load reads the manifest of t. entry is what the catalog says of the
	// package, or nil. The manifest is never nil.
	Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List)
}

// NameChecker is a [Format] that wants to know the name of the directory.
type NameChecker interface {
	CheckName(m *manifest.Manifest, dir string) problem.List
}

// Loader loads packages of the formats it was made with. It is safe for
// concurrent use.
type Loader struct {
	formats []Format
	byEntry Format
}

// New returns a loader that asks the formats in order. byEntry reads packages
// that are defined by a catalog entry and have no manifest of their own.
func New(byEntry Format, formats ...Format) *Loader {
	return &Loader{formats: formats, byEntry: byEntry}
}

// Detect returns the format of a directory by its top-level names, or nil.
func (l *Loader) Detect(top []string) Format {
	for _, f := range l.formats {
		if f.Detect(top) {
			return f
		}
	}
	return nil
}

// format returns how a package is read: by its own manifest, else by its
// catalog entry, else nil.
func (l *Loader) format(top []string, entry *manifest.Entry) Format {
	f := l.Detect(top)
	if entry == nil {
		return f
	}
	if f == nil || f.Name() != "native" {
		return l.byEntry // the entry's words count beside the package's own
	}
	return f
}

// FormatOf returns the name of the format a directory is read as, "" for none.
func (l *Loader) FormatOf(top []string, entry *manifest.Entry) string {
	if f := l.format(top, entry); f != nil {
		return f.Name()
	}
	return ""
}

// Place says where a package lies and what is known of it from outside.
type Place struct {
	// Path is how the package is called in problems: the path the user typed,
	// or the directory inside a repository. "" leaves file names as they are
	// inside the package.
	Path string
	// Name is the name of the directory, the identity of last resort.
	Name string
	// Root identifies where the bytes were read from; the store places only
	// what was read from its own staging directory.
	Root string
	// Entry is what the catalog says, or nil.
	Entry *manifest.Entry
	// Listed is where the entry stands, as the user calls the catalog; findings
	// in the entry are shown there. The zero value shows them at Path.
	Listed Position
	// Select is the part of the directory that belongs to the package.
	Select Selection
	// Exec overrides the execute bits of the tree where the file system does
	// not tell what git records. Nil keeps them; a path it lacks keeps its own.
	Exec map[string]bool
}

// Position is a place in a file, 1-based, column in code points.
type Position struct {
	File         string
	Line, Column int
}

// Options returns how to read the tree for [Loader.Load] with the same place.
func (l *Loader) Options(at Place) tree.Options {
	opts := tree.Options{Profile: func(top []string) tree.Profile {
		if f := l.format(top, at.Entry); f != nil {
			return f.Profile()
		}
		return tree.Profile{Limits: tree.Foreign()}
	}}
	if !at.Select.Whole() {
		opts.Want = at.Select.Want
	}
	return opts
}

// Package is one package: its files, what they say, and what is wrong.
type Package struct {
	Path   string
	Format string // "" when no format was recognised
	Tree   *tree.Tree
	// Manifest is what the package says of itself, in all of its faces: the
	// identity of the primary one, the components of all, and the strongest kind.
	Manifest *manifest.Manifest
	// Digest is zero when the package could not be read completely.
	Digest   hashes.Digest
	Problems problem.List // sorted; files as the user would name them

	// Faces are the package as each of its formats reads it, the primary one
	// first: a directory may hold the manifests of several hosts. Manifest is what
	// they say together.
	Faces []*manifest.Manifest

	root    string
	exec    []string // executable paths, sorted; nil in native packages
	formats []Format
}

// ID returns the package's id, or "".
func (p *Package) ID() string { return p.Manifest.ID }

// Version returns the stated version, or for a package without one the version
// that its content gives it: 0.0.0-h and 12 hex digits of the digest.
func (p *Package) Version() string {
	if p.Manifest.Version != "" || p.Digest.IsZero() {
		return p.Manifest.Version
	}
	return ContentVersion(p.Digest)
}

// ContentVersion is the version of a package that states none. It is valid
// SemVer whatever the digits are.
func ContentVersion(d hashes.Digest) string { return "0.0.0-h" + d.Hex(12) }

// Load checks a tree as a package. It never fails: what is wrong is in the
// package's problems, and a package with errors has no [Verified].
func (l *Loader) Load(t *tree.Tree, at Place) *Package {
	p := &Package{Path: at.Path, Tree: t, root: at.Root, formats: l.formats}
	p.Problems = append(p.Problems, t.Problems...)
	faces := l.faces(t, at.Entry)
	if len(faces) == 0 {
		p.Manifest = &manifest.Manifest{ID: at.Name, Kind: manifest.Skill}
		p.Problems.Add(ruleNoManifest.Report("no manifest: this is no package of a format Pinion reads").At(".", 0, 0))
		p.finish()
		return p
	}
	listed := p.take(faces, at)
	p.otherCase(l, at.Entry)
	m := p.Manifest
	if m.ID == "" && p.Format != nativeFormat {
		m.ID = at.Name
		if m.ID == "" || !validID(m.ID) {
			p.Problems.Add(ruleID.Report("the package has no usable name: %q", m.ID).At(m.Path, 0, 0))
		}
	}
	for i := range m.Components {
		if m.Components[i].Name == "" {
			m.Components[i].Name = m.ID // a skill at the root is called as the plugin is
		}
	}
	if n, ok := faces[0].format.(NameChecker); ok && at.Name != "" && at.Entry == nil {
		p.Problems = append(p.Problems, n.CheckName(m, at.Name)...)
	}
	if p.Format != "native" {
		p.exec = executables(t, at.Exec)
	}
	p.checkPointers()
	if !t.Partial {
		p.digest(at.Entry)
	}
	p.finish(listed...)
	return p
}

// finish gives problems the names the user knows the files by; those of listed
// have them.
func (p *Package) finish(listed ...problem.Problem) {
	p.Problems = append(p.Problems.Under(p.Path), listed...)
	for i := range p.Problems {
		if p.Problems[i].File == "" {
			p.Problems[i].File = "." // the package as a whole, and nobody said where it lies
		}
	}
	p.Problems.Sort()
}

func executables(t *tree.Tree, known map[string]bool) []string {
	var out []string
	for _, f := range t.Files {
		exec := f.Exec
		if v, ok := known[f.Path]; ok {
			exec = v
		}
		if exec {
			out = append(out, f.Path)
		}
	}
	return out
}

// validID reports whether a name can be typed in a REF and is safe as one path
// component: letters, digits, dot, dash and underscore, beginning with a letter
// or digit, at most 128 bytes.
func validID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case i > 0 && (c == '-' || c == '_' || c == '.'):
		default:
			return false
		}
	}
	return id[len(id)-1] != '.'
}
