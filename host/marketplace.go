package host

import (
	"cmp"
	"fmt"
	"strings"
)

// Marketplace is a marketplace that a host knows by itself.
type Marketplace struct {
	Name   string // as the host calls it
	Source string // "owner/repo", a git URL, a directory
	Ref    string // branch or tag of Source, "" for its default
	// Catalog is the path of the catalog in Source, "" for where the host looks.
	Catalog string
	Commit  string // what the host's copy is at, "" when unknown
	Dir     string // the host's copy, "" when it has none
	// Why completes "NAME: " when it cannot be taken over: it is no repository.
	Why string
}

// FromSource makes a marketplace of a source as Claude Code, Codex and Copilot
// write it: its kind, and the fields that the kind uses. What is no git
// repository has Why set.
func FromSource(kind, repo, url, path, ref string) Marketplace {
	m := Marketplace{Ref: ref}
	switch kind {
	case "github":
		m.Source = repo
	case "git":
		m.Source = url
	case "directory", "local", "file":
		m.Source, m.Why = path, "it is a local path: what lies there has no commit"
		return m
	case "url":
		m.Source, m.Why = url, "it is a catalog at a URL, without the repository around it"
		return m
	default:
		m.Source = cmp.Or(repo, url, path)
		m.Why = fmt.Sprintf("it is of the kind %q, which is no repository", cmp.Or(kind, "unknown"))
		return m
	}
	if m.Source == "" {
		m.Why = "the host does not say which repository it is"
		return m
	}
	if kind == "github" && (strings.Count(repo, "/") != 1 || strings.ContainsAny(repo[:1], "./~")) {
		m.Why = "it names no repository of GitHub"
	}
	if kind == "github" && path != "" || kind == "git" && path != "" {
		m.Catalog = path
	}
	return m
}

// IsElement reports whether a name that a host wrote is one element of a path.
func IsElement(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= 255 && !strings.ContainsAny(s, "/\\\x00:")
}
