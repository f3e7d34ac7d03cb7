// Package native reads the native format: a directory with pinion-plugin.json
// or shinbot-plugin.json, which lists every other file of the package.
//
// Everything that is wrong is reported in one run, each with the line and
// column of the value it is about. Positions are looked up only when there is
// something to report; a clean manifest costs one typed decode and the checks.
// The shape (types, required keys, patterns, counts) is published as the schema
// "plugin" of package schemas, and a test holds both against each other; here
// shape.go checks it. The other files check the meaning: the list against the
// tree, references against the list, permissions against contributions, and
// what the user interface files do.
//
// The package knows no digests, and it does not compare the manifest with a
// catalog entry; whoever reads the catalog does.
package native

import (
	"io/fs"
	"slices"
	"sync"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
	"pinion/tree"
)

// flavour is one of the two names under which the format exists. Everything
// else is the same for both.
type flavour struct {
	file          string // the manifest's name
	settingPrefix string // what keys of settings begin with (SB-037)
}

var flavours = [...]flavour{
	{"pinion-plugin.json", "PINION_PLUGIN_"},
	{"shinbot-plugin.json", "SHINBOT_PLUGIN_"},
}

// FileNames returns the names a manifest may have. A package has exactly one.
func FileNames() []string {
	names := make([]string, 0, len(flavours))
	for _, f := range flavours {
		names = append(names, f.file)
	}
	return names
}

func isManifest(path string) bool {
	for _, f := range flavours {
		if f.file == path {
			return true
		}
	}
	return false
}

// Options are what the format needs from its surroundings.
type Options struct {
	// Bundle holds the files that the host ships, one directory for each id.
	// Packages of kind builtin must equal it byte for byte (SB-111); with nil
	// they are refused.
	Bundle fs.FS
}

// Format reads native packages. It is safe for concurrent use.
type Format struct {
	bundle fs.FS

	mu      sync.Mutex
	schemas map[[32]byte]struct{} // input schemas that were found to be valid
}

// New returns the format. It keeps what it learns about input schemas, so one
// value should read all packages of a run.
func New(opts Options) *Format {
	return &Format{bundle: opts.Bundle, schemas: map[[32]byte]struct{}{}}
}

// Name returns "native".
func (*Format) Name() string { return "native" }

// Detect reports whether the names at the top of a package, sorted, are those
// of a native one.
func (*Format) Detect(top []string) bool {
	for _, f := range flavours {
		if _, ok := slices.BinarySearch(top, f.file); ok {
			return true
		}
	}
	return false
}

// Profile is what the format allows in its tree: no links, no hidden names,
// 2 MiB.
func (*Format) Profile() tree.Profile {
	return tree.Profile{Limits: tree.Native(), Strict: true}
}

// Load reads the package's manifest and checks the package against it. The
// manifest is never nil, but with an error among the problems it is only what
// could be read. What the tree itself found wrong is not repeated. entry may be
// nil; a native package defines itself, so nothing is taken from it.
func (f *Format) Load(t *tree.Tree, entry *manifest.Entry) (*manifest.Manifest, problem.List) {
	m := &manifest.Manifest{Format: "native"}
	file, fl, problems := choose(t)
	if file == nil {
		return m, problems
	}
	m.Path = fl.file
	if file.Data == nil {
		return m, problems // a limit stopped the reading; the tree says so
	}
	c := &checker{format: f, flavour: fl, tree: t, data: file.Data, problems: problems}
	if c.decode() {
		c.shape()
		c.meaning()
		c.fill(m)
	}
	c.problems.Sort()
	return m, c.problems
}

// choose returns the manifest's file, and a problem when there are two or none.
func choose(t *tree.Tree) (*tree.File, flavour, problem.List) {
	var problems problem.List
	var file *tree.File
	var fl flavour
	for _, candidate := range flavours {
		found := t.Lookup(candidate.file)
		switch {
		case found == nil:
		case file == nil:
			file, fl = found, candidate
		default:
			problems.Add(ruleTwoFiles.Report("both %s and %s are in the package", fl.file, candidate.file).
				At(candidate.file, 0, 0).
				WithFix("keep %s and delete %s, or the other way round", fl.file, candidate.file))
		}
	}
	if file == nil && !blocked(t, flavours[0].file) && !blocked(t, flavours[1].file) {
		problems.Add(ruleAbsent.Report("the package has no %s", flavours[0].file).
			WithFix("run pinion init, or add %s", flavours[0].file))
	}
	return file, fl, problems
}

// decode reads the manifest and reports whether there is anything to check.
func (c *checker) decode() bool {
	opts := syntax.Options{RejectUnknown: true}
	// A clean manifest lists the files of the tree, so the list has its room.
	c.doc.Files = make([]string, 0, len(c.tree.Files))
	if c.decoded = syntax.Decode(c.data, &c.doc, opts); len(c.doc.Files) == 0 {
		// An absent list is nil, and an empty one is not.
		c.doc = document{}
		c.decoded = syntax.Decode(c.data, &c.doc, opts)
	}
	if newer := c.newerVersion(); newer != "" {
		// What a later version looks like is not known here, so nothing else of
		// the file is judged.
		c.decoded = nil
		c.at(ruleSchemaVersion.Report("schema_version is %s; this Pinion knows version 1", newer).
			WithFix("use a newer Pinion, or write 1"), "/schema_version")
		return false
	}
	for _, p := range c.decoded {
		p.File = c.flavour.file
		c.problems.Add(p)
	}
	return len(c.decoded) == 0 || !c.doc.empty()
}
