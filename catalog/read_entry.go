package catalog

import (
	"path"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// entryCheck turns entries as written into entries, and gives their problems
// positions in the file.
type entryCheck struct {
	file    string
	profile *profile
	e       *Entry
	raw     []byte // the entry's text
}

// report adds a problem at a value of the entry, "" for the entry itself. The
// first error is why the entry is unavailable.
func (k *entryCheck) report(pointer string, p problem.Problem) {
	line, col := k.e.Line, k.e.Column
	if pointer != "" {
		l, c := syntax.Locate(k.raw, pointer)
		line, col = inside(l, c, line, col)
	}
	k.add(p.At(k.file, line, col))
}

// reportIn adds problems whose positions are inside the value at pointer, which
// is called what.
func (k *entryCheck) reportIn(pointer, what string, found problem.List) {
	if len(found) == 0 {
		return
	}
	line, col := 1, 1
	if pointer != "" {
		line, col = syntax.Locate(k.raw, pointer)
	}
	line, col = inside(line, col, k.e.Line, k.e.Column)
	for _, p := range found {
		l, c := inside(p.Line, p.Column, line, col)
		p.Message = naming(p.Message, what)
		k.add(p.At(k.file, l, c))
	}
}

// naming gives a message about a part of the file, read for itself, the name of
// the part.
func naming(message, what string) string {
	if rest, ok := strings.CutPrefix(message, "the document"); ok {
		return what + rest
	}
	return message
}

func (k *entryCheck) add(p problem.Problem) {
	if p.Severity == problem.Error {
		k.e.blame(p)
	}
	k.e.Problems.Add(p)
}

// read fills k.e from w.
func (k *entryCheck) read(w *wireEntry) {
	e := k.e
	e.Name, e.Version = w.Name, w.Version
	e.Digest = w.Hash.digest
	e.DisplayName, e.Description = w.DisplayName, w.Description
	e.Kind = manifest.Kind(w.Kind)
	e.License, e.Category = w.License, words(w.Category)
	if e.Tags = w.Keywords; len(w.Tags) > 0 {
		e.Tags = append(w.Tags, w.Keywords...)
	}
	e.Strict = w.Strict == nil || *w.Strict
	if k.raw[0] != '{' {
		if e.Unavailable == "" { // null fits every type
			k.report("", ruleEntryName.Report("the entry is not an object"))
		}
		return
	}
	k.name()
	e.Source = k.readSource(&w.Source)
	if k.profile.flavour == Native {
		k.native(w)
		return
	}
	e.Kind = "" // not a key of the other formats
	e.Fields = w.fields()
	if e.Version != "" && !plainVersion(e.Version) {
		k.report("/version", ruleVersion.Report("the version %q cannot be a directory name", clip(e.Version)).
			As(problem.Warning).WithFix("use letters, digits, '.', '_', '+' and '-'"))
	}
	if why := e.Source.Why(); why != "" && e.Unavailable == "" {
		p := ruleNotInstallable.Report("%q cannot be installed by Pinion: %s", clip(e.Name), why)
		k.report("/source", p)
		p.Message = why
		e.blame(p)
	}
}

// name checks the entry's name by the format's own rule.
func (k *entryCheck) name() {
	e := k.e
	switch {
	case e.Name == "" && e.Unavailable != "": // its JSON is wrong
	case e.Name == "":
		found := ruleEntryName.Report("the entry has no name")
		if k.profile.namelessKills {
			found.Message += "; " + k.profile.host + " refuses the whole catalog because of it"
		}
		k.report("", found)
	case k.profile.flavour == Native:
		if !validID(e.Name) {
			k.report("/name", ruleEntryName.Report("%q is not a plugin id", clip(e.Name)))
		}
	case !usableName(e.Name):
		k.report("/name", ruleEntryName.Report("%q cannot be typed as a name and used as a directory", clip(e.Name)).
			WithFix("use letters, digits, '.', '_' and '-', at most %d, beginning with a letter or digit", maxName))
	}
}

// native checks what only the native format has.
func (k *entryCheck) native(w *wireEntry) {
	e := k.e
	switch {
	case e.Version == "":
		k.report("", ruleVersion.Report("%q has no version", clip(e.Name)))
	case !manifest.ValidVersion(e.Version):
		k.report("/version", ruleVersion.Report("%q is not a SemVer version", clip(e.Version)))
	}
	switch e.Kind {
	case "", manifest.Skill, manifest.MCP, manifest.Extension, manifest.Builtin:
	default:
		k.report("/kind", ruleKind.Report("%q is no kind of plugin", clip(w.Kind)))
	}
	switch {
	case !w.Hash.present:
		k.report("", ruleHash.Report("%q has no hash", clip(e.Name)))
	case e.Digest.IsZero():
		k.report("/hash", ruleHash.Report("the hash %s is not \"h1:\" and base64 of 32 bytes", clip(w.Hash.text)))
	}
	if dir, ok := e.Source.Relative(); ok && e.Name != "" && path.Base(dir) != e.Name {
		k.report("/source", ruleDirectoryName.Report("the directory %q is not called like the plugin %q", clip(dir), clip(e.Name)))
	}
	if _, ok := e.Source.Relative(); !ok && e.Unavailable == "" {
		k.report("/source", ruleSource.Report("a native entry is a directory of the same repository"))
	}
}

// validID reports whether s is a native id: lower-case words joined by single
// dashes (SB-007).
func validID(s string) bool {
	if s == "" || len(s) > maxID {
		return false
	}
	for word := range strings.SplitSeq(s, "-") {
		if word == "" {
			return false
		}
		for i := range len(word) {
			if c := word[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
				return false
			}
		}
	}
	return true
}

// usableName reports whether s can be typed in a REF and be one directory.
func usableName(s string) bool {
	if s == "" || len(s) > maxName || !isAlnum(s[0]) || s[len(s)-1] == '.' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// plainVersion reports whether hosts can make a directory of s (formats 1.15).
func plainVersion(s string) bool {
	if len(s) > maxVersion || s == "." || s == ".." {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '.' && c != '_' && c != '+' && c != '-' {
			return false
		}
	}
	return true
}
