package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/tree"
)

// entryFile is the name under which what a catalog entry defines is looked at.
// No real path begins with a slash.
const entryFile = "//entry.json"

// ScanPlace is [Engine.Scan] of a package together with what its catalog entry
// defines: hooks and servers may stand there alone, and a host runs them as it
// runs those of the files. Findings in the entry are of the package as a whole.
// entry may be nil.
func (e *Engine) ScanPlace(ctx context.Context, pkg *pkgfmt.Package, entry *manifest.Entry) (*Report, error) {
	whole, err := withEntry(pkg, entry)
	if err != nil {
		return nil, err
	}
	r, err := e.Scan(ctx, whole)
	if err != nil || whole == pkg {
		return r, err
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.File == entryFile {
			f.File, f.Line, f.Column = "", 0, 0
			f.Message = "the catalog entry: " + f.Message
		}
	}
	for i, l := range r.Limits {
		if rest, ok := strings.CutPrefix(l, entryFile); ok {
			r.Limits[i] = "the catalog entry" + rest
		}
	}
	sortFindings(r.Findings)
	return r, nil
}

// withEntry returns the package with what the entry defines as one more file;
// the same package when it defines nothing.
func withEntry(pkg *pkgfmt.Package, entry *manifest.Entry) (*pkgfmt.Package, error) {
	if pkg.Format == "native" {
		return pkg, nil
	}
	content, err := pkgfmt.EntryContent(entry)
	if err != nil {
		return nil, fmt.Errorf("the catalog entry: %w", err)
	}
	if content == nil {
		return pkg, nil
	}
	files := slices.Clone(pkg.Tree.Files)
	at, _ := slices.BinarySearchFunc(files, entryFile, func(f tree.File, p string) int { return strings.Compare(f.Path, p) })
	t := *pkg.Tree
	t.Files = slices.Insert(files, at, tree.File{Path: entryFile, Size: int64(len(content)), Sum: hashes.Of(content), Data: content})
	m := *pkg.Manifest
	m.Components = slices.Clone(m.Components)
	for i := range m.Components {
		// What has no file is in the entry.
		if m.Components[i].Path == "" {
			m.Components[i].Path = entryFile
		}
	}
	out := *pkg
	out.Tree, out.Manifest = &t, &m
	return &out, nil
}
