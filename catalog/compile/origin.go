package compile

import (
	"pinion/catalog"
	"pinion/internal/syntax"
)

// remote is a git repository that an entry points at, in the spelling of the
// source: URLs are never edited.
type remote struct {
	url      string // of URL and git-subdir; of a GitHub repository its https address
	repo     string // "owner/name" of the form github, else ""
	dir      string // "" for the root
	ref, sha string
}

// remote returns where a unit's plugin lives, false when that is no git
// repository.
func (u *unit) remote() (remote, bool) {
	o := u.entry.Source
	switch o.Form {
	case catalog.GitHub, catalog.URL, catalog.GitSubdir:
	default:
		return remote{}, false
	}
	if o.Dir == "" || o.Location == "" {
		return remote{}, false
	}
	var w struct {
		Repo string `json:"repo"`
		URL  string `json:"url"`
	}
	raw, _ := u.raw.Get("source")
	_ = syntax.Decode(raw, &w, syntax.Options{AllowDuplicates: true}) // it was read before
	r := remote{url: w.URL, ref: o.Ref, sha: o.SHA}
	if o.Form == catalog.GitHub {
		r.repo, r.url = w.Repo, "https://github.com/"+w.Repo+".git"
	}
	if o.Dir != "." {
		r.dir = o.Dir
	}
	return r, true
}

// gitSource is a source that is a git repository, in the order in which hosts
// document its fields.
type gitSource struct {
	Source string `json:"source"`
	Repo   string `json:"repo,omitempty"`
	URL    string `json:"url,omitempty"`
	Path   string `json:"path,omitempty"`
	Ref    string `json:"ref,omitempty"`
	SHA    string `json:"sha,omitempty"`
}

// needs returns the version of Claude Code that a unit's source needs, "" when
// all do that are in use. Older ones refuse the source, and before 2.1.120 the
// whole catalog (formats 1.1.3).
func needs(u *unit) string {
	switch u.entry.Source.Form {
	case catalog.Archive:
		return "2.1.224"
	case catalog.Command:
		return "2.1.229"
	}
	return ""
}

// raw returns the source as it is written.
func (u *unit) source() (syntax.Raw, bool) {
	raw, ok := u.raw.Get("source")
	return raw, ok
}

// lostForm says why a host cannot have a source.
func lostForm(u *unit) string {
	o := u.entry.Source
	if u.entry.Unavailable != "" && o.Dir == "" && o.Location == "" {
		return "its source cannot be read: " + u.entry.Unavailable
	}
	return "the host reads no sources of the kind " + o.Form.String()
}
