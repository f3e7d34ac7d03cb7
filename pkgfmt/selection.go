package pkgfmt

import (
	"path"
	"slices"
	"strings"
)

// Selection is the part of a directory that belongs to a package. The zero
// value is the whole directory.
//
// A part is selected only where several packages share a directory, or where a
// package's directory is the root of its repository, and the catalog entry
// names its components: then the package is the named paths, the manifest, and
// the licence files at the top. Otherwise one entry would contain all others.
type Selection struct {
	Paths []string `json:"paths,omitempty"` // files or directories, sorted, inside the directory
}

// NewSelection selects the named component paths ("./skills/pdf", "hooks.json").
// Without paths, or when one of them is the directory itself, it is everything.
func NewSelection(paths []string) Selection {
	var s Selection
	for _, p := range paths {
		p = path.Clean(strings.TrimPrefix(p, "./"))
		if p == "." {
			return Selection{}
		}
		s.Paths = append(s.Paths, p)
	}
	slices.Sort(s.Paths)
	s.Paths = slices.Compact(s.Paths)
	return s
}

// Whole reports whether everything is selected.
func (s Selection) Whole() bool { return len(s.Paths) == 0 }

// Want answers for a path inside the directory, with a trailing slash for a
// directory that might hold selected files.
func (s Selection) Want(p string) bool {
	if s.Whole() {
		return true
	}
	name, isDir := strings.CutSuffix(p, "/")
	if name == ".claude-plugin" && isDir || name == ".claude-plugin/plugin.json" {
		return true
	}
	if !isDir && !strings.Contains(name, "/") && isLegal(name) {
		return true
	}
	for _, sel := range s.Paths {
		if name == sel || strings.HasPrefix(name, sel+"/") {
			return true
		}
		if isDir && strings.HasPrefix(sel, name+"/") {
			return true
		}
	}
	return false
}

// isLegal reports whether a file at the top of a repository states its licence.
func isLegal(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem {
	case "LICENSE", "LICENCE", "NOTICE", "COPYING":
		return true
	}
	return false
}
