package compat

import (
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
)

// catalogFile is a catalog as its host reads it.
type catalogFile struct {
	root    map[string]any
	entries []any
	repo    Repo
}

// catalogRules are the rules of a host about a catalog as a whole.
type catalogRules struct {
	json   rule    // the text
	faults []fault // of the text that the host refuses
	header rule    // a value of a type that the host refuses
	shape  []member
}

// open reads the text and the header of a catalog. It is nil when the host
// cannot read on; why has been reported. What is wrong in the header does not
// end the reading, so that all of it is found at once.
func (j *judge) open(data []byte, repo Repo, rules catalogRules) *catalogFile {
	v, found := parse(data)
	if p, bad := broken(found, rules.faults...); bad {
		j.report(rules.json, place{file: j.file, line: p.Line, column: p.Column}, "it refuses the catalog: %s", p.Message)
		return nil
	}
	root, ok := v.(map[string]any)
	if !ok {
		j.report(rules.header, j.in(), "it refuses the catalog, which is %s and no object", kindOf(v))
		return nil
	}
	for _, m := range rules.shape {
		j.check(rules.header, -1, root, m, "it refuses the catalog")
	}
	entries, _ := root["plugins"].([]any)
	c := &catalogFile{root: root, entries: entries, repo: repo}
	for i, e := range entries {
		j.entries = append(j.entries, EntryVerdict{Name: text(object(e)["name"]), Index: i, Listed: true})
	}
	return c
}

// check reports a member that does not fit. at is the path to the object.
func (j *judge) check(r rule, entry int, o map[string]any, m member, what string, at ...any) bool {
	v, there := o[m.key]
	switch {
	case !there && m.required:
		j.report(r, j.in(at...), "%s: %q is missing", what, m.key).entry = entry
		return false
	case !there:
		return true
	}
	inner, want := m.shape(v)
	if want == "" {
		return true
	}
	where := slices.Concat(at, []any{m.key}, inner)
	j.report(r, j.in(where...), "%s: %s is not %s", what, quoted(where), want).entry = entry
	return false
}

// quoted names a place in a document for people: "plugins[3].author".
func quoted(at []any) string {
	var b strings.Builder
	for _, p := range at {
		switch p := p.(type) {
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(p))
		case int:
			b.WriteString(syntax.Pointer(p)) // "/3", as a pointer has it
		}
	}
	return "\"" + b.String() + "\""
}

// clip bounds what a message repeats of a file.
func clip(s string) string {
	const most = 80
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// entryName names an entry in messages.
func entryName(e map[string]any, i int) string {
	if n := text(e["name"]); n != "" {
		return clip(n)
	}
	return syntax.Pointer("plugins", i)
}

// source is an entry's source as written.
type source struct {
	kind string // "./" for text, the word of an object, "" for neither
	text string
	o    map[string]any
}

func sourceOf(e map[string]any) source {
	switch s := e["source"].(type) {
	case string:
		return source{kind: "./", text: s}
	case map[string]any:
		return source{kind: text(s["source"]), o: s}
	}
	return source{}
}

// within reports whether a relative path stays in its directory.
func within(p string) bool {
	c := path.Clean(p)
	return !path.IsAbs(p) && c != ".." && !strings.HasPrefix(c, "../")
}

// hasDots reports whether a path has a part "..".
func hasDots(p string) bool { return slices.Contains(strings.Split(p, "/"), "..") }

// at is where a finding of another reader is.
func at(p problem.Problem) place { return place{file: p.File, line: p.Line, column: p.Column} }

// only reports whether s is not empty and has nothing but ASCII letters, digits
// and these characters.
func only(s, more string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && strings.IndexByte(more, c) < 0 {
			return false
		}
	}
	return s != ""
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// cleaned is a relative directory as [Repo] is asked for it.
func cleaned(dir string) string { return path.Clean(strings.TrimPrefix(dir, "./")) }

// twice reports keys that are there twice where read says that the host reads
// them; at is the path to the key, with the numbers of list elements.
func (j *judge) twice(r rule, data []byte, read func(at []string) bool) {
	for _, at := range syntax.DuplicateKeys(data) {
		if read(at.Path) {
			j.report(r, place{file: j.file, line: at.Line, column: at.Column}, "it refuses the catalog: the key %q is there twice", clip(at.Path[len(at.Path)-1]))
		}
	}
}
