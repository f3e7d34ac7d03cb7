package hostcheck

import (
	"fmt"
	"strings"
)

// The made-up cases are written with these words. "@" in a path or text stands
// for the case's own name, so that no two cases share the name of a plugin, a
// skill or a server; "@@" is one "@".

// maker collects cases.
type maker struct{ cases []Case }

// add makes a case; a file of the same path in a later part takes the place of
// the earlier one, and one without data takes it away.
func (m *maker) add(shape Shape, id string, parts ...[]File) *Case {
	c := Case{ID: id, Shape: shape}
	name := slug(id)
	for _, part := range parts {
		for _, f := range part {
			f.Path = named(f.Path, name)
			if f.Link == "" {
				f.Data = []byte(named(string(f.Data), name))
			}
			c.put(f)
		}
	}
	m.cases = append(m.cases, c)
	return &m.cases[len(m.cases)-1]
}

func (c *Case) put(f File) {
	for i := range c.Files {
		if c.Files[i].Path == f.Path {
			if f.Data == nil || string(f.Data) == gone {
				c.Files = append(c.Files[:i], c.Files[i+1:]...)
				return
			}
			c.Files[i] = f
			return
		}
	}
	if string(f.Data) != gone {
		c.Files = append(c.Files, f)
	}
}

// gone is the text of a file that is taken away.
const gone = "\x00gone\x00"

// only names the clients that are asked.
func (c *Case) only(names ...Name) { c.Clients = names }

// names are texts with the case's name for "@".
func (c *Case) names(texts ...string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, named(t, slug(c.ID)))
	}
	return out
}

func named(text, name string) string {
	text = strings.ReplaceAll(text, "@@", "\x01")
	return strings.ReplaceAll(strings.ReplaceAll(text, "@", name), "\x01", "@")
}

// file is one file; without its texts in between, several.
func file(path, text string) []File { return []File{{Path: path, Data: []byte(text)}} }

func link(path, target string) []File { return []File{{Path: path, Link: target}} }

func without(path string) []File { return file(path, gone) }

func files(pathsAndTexts ...string) []File {
	var out []File
	for i := 0; i+1 < len(pathsAndTexts); i += 2 {
		out = append(out, file(pathsAndTexts[i], pathsAndTexts[i+1])...)
	}
	return out
}

const (
	claudeManifest = ".claude-plugin/plugin.json"
	codexManifest  = ".codex-plugin/plugin.json"
	claudeCatalog  = ".claude-plugin/marketplace.json"
)

// skill is a good skill, in the default directory.
func skill() []File { return file("skills/@-skill/SKILL.md", skillText("@-skill")) }

func skillText(name string) string {
	return "---\nname: " + name + "\ndescription: Says hello to the user.\n---\nSay hello.\n"
}

// manifestWith is a good manifest of Claude with more fields after its name.
func manifestWith(path string, more ...string) []File {
	fields := append([]string{`"name": "@"`, `"version": "1.0.0"`, `"description": "A case."`}, more...)
	return file(path, "{"+strings.Join(fields, ", ")+"}\n")
}

// good is a package that every host loads.
func good(more ...string) []File { return append(manifestWith(claudeManifest, more...), skill()...) }

// idOf makes a part of an id from any text.
func idOf(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// values are the JSON values that a field is probed with, by the name of their
// type.
func values() [][2]string {
	return [][2]string{{"null", "null"}, {"number", "1"}, {"true", "true"}, {"text", `"some text"`}, {"list", "[]"}, {"list-of-number", "[1]"}, {"object", "{}"}}
}

// field writes one member.
func field(name, value string) string { return fmt.Sprintf("%q: %s", name, value) }
