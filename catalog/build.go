package catalog

import (
	"path"
	"strings"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/problem"
)

// Item is one package of the catalog to build: what its manifest says, and what
// was measured.
type Item struct {
	ID          string
	Version     string
	Dir         string // slash-separated, relative to the root of the repository
	Kind        manifest.Kind
	DisplayName string // the manifest's name
	Description string
	License     string
	Digest      hashes.Digest
	Manifest    string // the name of the manifest file
}

// BuildInput is what a catalog is made from.
type BuildInput struct {
	// Items may be in any order; [Build] sorts them in place. Nil is none.
	Items *Items
	// Existing is the catalog being replaced, nil when there is none. Keys that
	// its owner wrote survive: all that Build does not write itself, in the
	// catalog and in each entry, and the name, owner and description.
	Existing []byte
	// Name, Owner and Description are used where Existing states none. The name
	// is made fit ("My Plugins" is "my-plugins").
	Name, Owner, Description string
}

// Result is a catalog ready to be written.
type Result struct {
	Path     string       // where it belongs in the repository
	Problems problem.List // with an error, nothing is written

	items *Items
	head  []field
	owned map[int][]field // the owner's keys, by index of the item
}

// FileName returns where the catalog of the items belongs: marketplace.json, or
// shinbot-marketplace.json when every package has a shinbot-plugin.json
// (SB-077).
func FileName(items *Items) string {
	for i := range items.Len() {
		if items.manifestName(i) != shinbotManifest {
			return nativePath
		}
	}
	if items.Len() == 0 {
		return nativePath
	}
	return shinbotPath
}

// Build makes a native catalog. The same input gives the same bytes, on every
// machine and in any order of the items. The result is never nil; one with
// errors cannot be written.
//
// Whether the packages are free of problems is for the caller to know: Build
// refuses only what a catalog cannot state.
func Build(in BuildInput) *Result {
	in.Items.sort()
	r := &Result{Path: FileName(in.Items), items: in.Items}
	var before Item
	for i := range r.items.Len() {
		it := r.items.At(i)
		r.checkItem(it, before)
		before = it
	}
	if n := r.items.Len(); n > MaxEntries {
		r.Problems.Add(ruleLimit.Report("the repository has %d packages, more than %d", n, MaxEntries).At(r.Path, 0, 0))
	}
	old := r.readExisting(in.Existing)
	r.header(in, old)
	r.owned = old.match(r.items)
	r.checkDropped(old)
	r.Problems.Sort()
	return r
}

// checkItem refuses what makes no valid entry. before is the package that comes
// before it in the order of the catalog, or nothing.
func (r *Result) checkItem(it, before Item) {
	add := func(p problem.Problem) { r.Problems.Add(p.At(path.Join(it.Dir, it.Manifest), 0, 0)) }
	if !validID(it.ID) {
		add(ruleEntryName.Report("%q is not a plugin id", clip(it.ID)))
		return
	}
	if !manifest.ValidVersion(it.Version) {
		add(ruleVersion.Report("%q is not a SemVer version", clip(it.Version)))
	}
	if it.Digest.IsZero() {
		add(ruleHash.Report("%q has no digest, since it could not be read completely", it.ID))
	}
	dir, why := cleanDir(it.Dir)
	switch {
	case why != "":
		add(ruleSourcePath.Report("the directory %q %s", clip(it.Dir), why))
	case path.Base(dir) != it.ID:
		add(ruleDirectoryName.Report("the directory is called %q and the plugin %q", path.Base(dir), it.ID).
			WithFix("git mv %s %s, or correct the id in %s", dir, path.Join(path.Dir(dir), it.ID), it.Manifest))
	}
	if before.ID == it.ID && manifest.Release(before.Version) == manifest.Release(it.Version) {
		add(ruleDuplicate.Report("%s %s is in %s and in %s", it.ID, it.Version, before.Dir, it.Dir))
	}
}

// header fills the members of the catalog around the list.
func (r *Result) header(in BuildInput, old *existing) {
	name := words(old.known["name"])
	if name == "" {
		name = fitName(in.Name)
	}
	owner := old.known["owner"]
	if !hasName(owner) {
		if in.Owner == "" {
			r.Problems.Add(ruleOwner.Report("nobody is named as the owner of the catalog").At(r.Path, 0, 0).
				WithFix("pinion build-catalog --owner NAME"))
		}
		owner = append(appendString([]byte(`{"name":`), in.Owner), '}')
	}
	description := old.known["description"]
	if description == nil && in.Description != "" {
		description = appendString(nil, in.Description)
	}
	if !usableName(name) {
		r.Problems.Add(ruleName.Report("the name %q cannot be typed and used as a directory", clip(name)).At(r.Path, 0, 0))
	}
	values := map[string][]byte{
		"schema_version": []byte("1"),
		"name":           appendString(nil, name),
		"owner":          owner,
		"description":    description,
	}
	r.head = keysAt(old.own, "")
	for _, key := range headKeys() {
		if values[key] != nil || key == "plugins" {
			r.head = append(r.head, field{name: key, value: values[key]})
		}
		r.head = append(r.head, keysAt(old.own, key)...)
	}
}

// headKeys and entryKeys are the keys that Build writes, in their order.
func headKeys() []string {
	return []string{"schema_version", "name", "owner", "description", "plugins"}
}

func entryKeys() []string {
	return []string{"name", "version", "source", "hash", "displayName", "description", "kind", "license"}
}

// fitName makes a marketplace name of any text.
func fitName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r < 0x80 && (isAlnum(byte(r)) || r == '.' || r == '_') {
			b.WriteRune(r)
		} else if n := b.Len(); n > 0 && b.String()[n-1] != '-' {
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-._")
	if len(name) > maxName {
		name = strings.TrimRight(name[:maxName], "-._")
	}
	if name == "" {
		return "plugins"
	}
	return name
}

// hasName reports whether an owner as written names somebody.
func hasName(owner []byte) bool {
	if len(owner) == 0 || owner[0] != '{' {
		return false
	}
	v, ok := member(owner, 0, "name")
	return ok && words(owner[v.start:v.end]) != ""
}

// CheckUpdate is the function [CheckUpdate] for a catalog that was just built;
// problems are at the manifests.
func (r *Result) CheckUpdate(released *Catalog) problem.List {
	var out problem.List
	for i := range r.items.Len() {
		it := r.items.At(i)
		out = append(out, versionChanged(released, it.ID, it.Version, it.Digest, it.Dir, path.Join(it.Dir, it.Manifest), 0, 0)...)
	}
	out.Sort()
	return out
}
