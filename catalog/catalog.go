// Package catalog reads, checks, builds and compares the catalogs of
// marketplaces: the file at a known place of a repository that lists plugins
// and says where each one is.
//
// It is pure: bytes come in, values go out. It fetches nothing, opens no file
// and does not look into plugins. Five flavours are read, each described in a
// file of its own by what its host does with unusual content; the native one is
// also written.
//
// A native catalog states a digest for every entry and is judged as a whole. A
// foreign catalog is judged entry by entry: an entry that cannot be used keeps
// its own problems and the reason, and the others go on.
package catalog

import (
	"cmp"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// Catalog is one parsed catalog. It is safe for concurrent reading.
type Catalog struct {
	Path    string
	Flavour Flavour
	// Native is true when the catalog publishes digests: it has a
	// schema_version, and a hash in every entry.
	Native bool

	Name        string
	Owner       Owner
	Description string
	Version     string
	// PluginRoot is the cleaned directory under which bare names lie, or "".
	PluginRoot string
	// Renames maps former names to present ones, "" for a plugin that was
	// removed.
	Renames map[string]string
	Entries []Entry

	// Problems concern the catalog as a whole. Those of single entries are in
	// [Entry.Problems].
	Problems problem.List

	byName []int32 // indexes of Entries, sorted by [Catalog.order]
}

// Owner is who publishes the catalog.
type Owner struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	URL   string `json:"url"`
}

// Entry is what the catalog says of one plugin.
type Entry struct {
	Name    string
	Version string // "" when the catalog leaves it to the manifest
	Source  Origin
	// Digest is zero where none is published.
	Digest      hashes.Digest
	DisplayName string
	Description string
	Kind        manifest.Kind // "" when not stated; foreign entries state none
	License     string
	Category    string
	Tags        []string // tags and keywords
	// Strict is false when the entry is the entire definition of the plugin.
	Strict bool
	// Fields are the component fields as written; nil when there are none.
	Fields map[string]syntax.Raw

	Line, Column int // of the entry in the file, 1-based
	Index        int // in the list, from 0

	// Unavailable is why the entry cannot be installed, or "".
	Unavailable string
	Problems    problem.List

	rule string // the one that makes it unavailable
}

// Manifest returns what a format needs of the entry to read its package.
func (e Entry) Manifest() *manifest.Entry {
	return &manifest.Entry{
		Name:        e.Name,
		Version:     e.Version,
		Description: e.Description,
		License:     e.License,
		Strict:      e.Strict,
		Fields:      e.Fields,
	}
}

// Rule returns the id of the rule that makes the entry unavailable, or "".
func (e Entry) Rule() string { return e.rule }

// blame makes an entry unavailable because of p, unless it is already.
func (e *Entry) blame(p problem.Problem) {
	if e.Unavailable == "" {
		e.Unavailable, e.rule = p.Message, p.Rule
	}
}

// Named returns the entries of a name: in a native catalog its versions, sorted
// as text, in any other the order of the file, where the first one counts.
func (c *Catalog) Named(name string) []Entry {
	var out []Entry
	for _, i := range c.find(name) {
		out = append(out, c.Entries[i])
	}
	return out
}

// find returns the indexes of the entries of a name.
func (c *Catalog) find(name string) []int32 {
	by := c.byName
	if len(by) != len(c.Entries) { // not made by Parse
		by = nil
		for i := range c.Entries {
			if c.Entries[i].Name == name {
				by = append(by, int32(i))
			}
		}
		return by
	}
	start, _ := slices.BinarySearchFunc(by, name, func(at int32, name string) int {
		return strings.Compare(c.Entries[at].Name, name)
	})
	end := start
	for end < len(by) && c.Entries[by[end]].Name == name {
		end++
	}
	return by[start:end]
}

// index sorts the entries by name, for lookups and for finding duplicates.
func (c *Catalog) index() {
	c.byName = make([]int32, len(c.Entries))
	for i := range c.byName {
		c.byName[i] = int32(i)
	}
	if !slices.IsSortedFunc(c.byName, c.order) {
		slices.SortFunc(c.byName, c.order)
	}
}

// order compares by name; then in a native catalog by version; then by place.
func (c *Catalog) order(a, b int32) int {
	x, y := &c.Entries[a], &c.Entries[b]
	n := strings.Compare(x.Name, y.Name)
	if n == 0 && c.Flavour == Native {
		n = strings.Compare(x.Version, y.Version)
	}
	return cmp.Or(n, cmp.Compare(a, b))
}
