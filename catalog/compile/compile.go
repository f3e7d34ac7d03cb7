// Package compile writes what each host needs to read one repository of
// plugins: its catalog, and where a host cannot read a package as it lies, a
// package of its own.
//
// It is pure: bytes come in, files come out. There is one source, which is
// either a native catalog together with what the owner added to the Claude
// catalog beside it, or the catalog of one host. What a host cannot express is
// left out and reported, each time with the host, the plugin, the part and the
// reason (rules compile/lost, compile/left-out, compile/not-carried); nothing
// is lost in silence.
//
// Packages stay untouched: what a host must be told of one stands in the entry
// of the catalog. Only where no entry can say it (a skill at the top of its
// package for Codex, every package without Cursor's own manifest) there is a
// copy below [HostsDir], with the exact files of the package, so that it has
// the same digest.
//
// A target file that is there already keeps its order and every key that is not
// written here. Same input, same bytes; a second run changes nothing.
package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// HostsDir is where packages for hosts are written, one directory for each
// plugin. It belongs to the compiler: what it does not write there is removed.
const HostsDir = ".pinion/hosts"

// File is one file of the repository, its path from the root.
type File struct {
	Path string
	Data []byte
	Exec bool
}

// Package is what is known of a package in the repository.
type Package struct {
	Format   string // as [pkgfmt.Package]
	Manifest *manifest.Manifest
	// Top are the names at its top.
	Top []string
	// Files are the package's own, paths from its directory. They are needed
	// only for what [Copied] asks for.
	Files []File
}

func (p *Package) has(name string) bool { return p != nil && slices.Contains(p.Top, name) }

// Input is what is compiled.
type Input struct {
	Hosts []catalog.Flavour // any of [Hosts]
	// Path and Data are the source. A native catalog is taken as it was just
	// built.
	Path string
	Data []byte
	// Packages are those of the repository, by their directory. Of a foreign
	// source it may be nil or have only some of them.
	Packages map[string]*Package
	// Existing are the files that are there at [Paths] and below [HostsDir].
	Existing map[string][]byte
	// Released are the catalogs of the last release, by path. What they list and
	// the new ones do not was removed.
	Released map[string][]byte
	// Taken are plugins of other marketplaces that are known here.
	Taken []Taken
}

// Taken is a plugin of another marketplace.
type Taken struct{ Name, Market string }

// Result is what is to be written. With an error in Problems that is nothing.
type Result struct {
	Files    []File   // sorted by path
	Remove   []string // files that are there and no longer wanted, sorted
	Hosts    []Host
	Problems problem.List
}

// Host is what became of the source for one host.
type Host struct {
	Host    catalog.Flavour `json:"host"`
	Path    string          `json:"path"` // of its catalog
	Plugins int             `json:"plugins"`
	LeftOut int             `json:"leftOut"` // entries it cannot have
}

// dialect is one target host.
type dialect struct {
	flavour catalog.Flavour
	host    string // for people, with the version these facts were tried with
	path    string
	// renames says that the host follows former names.
	renames bool
	// carries are the components it loads from a plugin in Claude's layout.
	carries []manifest.ComponentType
	header  func(c *compiler, head *syntax.Object)
	// entry writes the entry of a unit. It reports what is lost, and with ok
	// false why there is no entry.
	entry func(c *compiler, u *unit) (e *syntax.Object, ok bool)
	// own are the keys of an entry that are written here and nobody else's.
	own []string
	// defaults are keys that are written where the owner has not.
	defaults []string
}

// dialects are the targets in the order of [Hosts].
func dialects() []*dialect {
	return []*dialect{claudeDialect(), codexDialect(), copilotDialect(), cursorDialect()}
}

// Hosts returns the hosts that can be compiled for.
func Hosts() []catalog.Flavour {
	var out []catalog.Flavour
	for _, d := range dialects() {
		out = append(out, d.flavour)
	}
	return out
}

// ParseHosts reads names of hosts, each "vscode" too, which reads what Copilot
// reads.
func ParseHosts(names []string) ([]catalog.Flavour, error) {
	var out []catalog.Flavour
	for _, name := range names {
		f := catalog.Flavour(strings.ToLower(strings.TrimSpace(name)))
		if f == "vscode" {
			f = catalog.Copilot
		}
		if !slices.Contains(Hosts(), f) {
			return nil, fmt.Errorf("%q is no host that catalogs are written for; the hosts are %v", name, Hosts())
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b catalog.Flavour) int {
		return cmp.Compare(slices.Index(Hosts(), a), slices.Index(Hosts(), b))
	})
	return out, nil
}

// Targets returns the hosts that a catalog itself asks for, in its key
// "targets", nil when it does not.
func Targets(data []byte) ([]catalog.Flavour, error) {
	var head syntax.Object
	_ = syntax.Decode(data, &head, syntax.Options{AllowBOM: true, AllowDuplicates: true}) // whoever reads the catalog says what is wrong with it
	raw, ok := head.Get("targets")
	if !ok {
		return nil, nil
	}
	var names []string
	if len(syntax.Decode(raw, &names, syntax.Options{})) > 0 {
		return nil, fmt.Errorf("\"targets\" is no list of names of hosts")
	}
	return ParseHosts(names)
}

// Paths returns every catalog that may be read or written, for
// [Input.Existing] and [Input.Released].
func Paths() []string {
	out := []string{portablePath}
	for _, d := range dialects() {
		out = append(out, d.path)
	}
	slices.Sort(out)
	return out
}

// compiler is one run.
type compiler struct {
	in      Input
	source  *catalog.Catalog
	head    syntax.Object // of the source
	units   []*unit
	d       *dialect
	host    *Host
	out     Result
	written map[string]bool
	// forCopilot are the native entries with what Copilot needs, nil when it is
	// no target.
	forCopilot []syntax.Object
}

// Compile writes the catalogs of all hosts of in.
func Compile(in Input) *Result {
	c := &compiler{in: in, written: map[string]bool{}}
	if c.read(); !c.out.Problems.HasErrors() {
		for _, d := range dialects() {
			if slices.Contains(in.Hosts, d.flavour) {
				c.compile(d)
			}
		}
		if c.native() {
			c.nativeFile()
		}
		c.names()
		c.removed()
	}
	c.out.Problems.Sort()
	if c.out.Problems.HasErrors() {
		c.out.Files, c.out.Remove = nil, nil
	}
	slices.SortFunc(c.out.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return &c.out
}

// native reports whether the source is one.
func (c *compiler) native() bool { return c.source.Flavour == catalog.Native }

// compile writes the files of one host.
func (c *compiler) compile(d *dialect) {
	path := d.path
	if d.flavour == catalog.Copilot && c.native() && c.in.Path == nativePath {
		path = nativePath // Copilot and VS Code read it before any other
	}
	c.d = d
	c.out.Hosts = append(c.out.Hosts, Host{Host: d.flavour, Path: path})
	c.host = &c.out.Hosts[len(c.out.Hosts)-1]
	switch {
	case path == nativePath:
		c.nativeForCopilot()
	case path == c.in.Path:
		c.itself()
	default:
		c.catalog(path)
	}
}

// put adds a file to the result.
func (c *compiler) put(path string, data []byte, exec bool) {
	if c.written[path] {
		return
	}
	c.written[path] = true
	c.out.Files = append(c.out.Files, File{Path: path, Data: data, Exec: exec})
}

// removed lists what is there from an earlier run and was not written again.
func (c *compiler) removed() {
	for path := range c.in.Existing {
		mine := strings.HasPrefix(path, HostsDir+"/") && c.copies() || path == portablePath && slices.Contains(c.in.Hosts, catalog.Claude)
		if mine && !c.written[path] {
			c.out.Remove = append(c.out.Remove, path)
		}
	}
	slices.Sort(c.out.Remove)
}

// copies reports whether a host of this run may want packages below HostsDir.
func (c *compiler) copies() bool {
	return slices.Contains(c.in.Hosts, catalog.Codex) || slices.Contains(c.in.Hosts, catalog.Cursor)
}
