package claude

import (
	"path"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
)

// resolve returns the path inside the package that v names, "" for its root, or
// false after reporting why it cannot be used. ending, when set, is what the
// host wants it to end with.
func (l *loader) resolve(v value, field, ending string) (string, bool) {
	if v.kind() != '"' {
		l.report(v, ruleType.Report("%q has %s where a path is wanted", field, v.found()))
		return "", false
	}
	text := v.text()
	switch {
	case strings.Contains(text, `\`):
		l.report(v, rulePath.Report("the path %q in %q has a backslash", clip(text), field).WithFix("write / between the names"))
		return "", false
	case field == "skills" && text == ".":
		return "", true
	case !strings.HasPrefix(text, "./"):
		l.report(v, rulePath.Report("the path %q in %q does not start with \"./\"", clip(text), field).WithFix("write ./ before it, relative to the plugin's directory"))
		return "", false
	case ending != "" && !strings.HasSuffix(text, ending):
		l.report(v, rulePath.Report("the path %q in %q does not end with %q", clip(text), field, ending))
		return "", false
	}
	p := inside(text)
	if p == ".." || strings.HasPrefix(p, "../") {
		l.report(v, rulePath.Report("the path %q in %q leaves the package", clip(text), field))
		return "", false
	}
	if hasDotDot(text) {
		// The host loads it; its validator and every other host refuse the dots.
		l.report(v, rulePath.Report("the path %q in %q contains \"..\"", clip(text), field).As(problem.Warning))
	}
	return p, true
}

// inside cleans a "./" path; the root is "".
func inside(text string) string {
	if p := path.Clean(text); p != "." {
		return p
	}
	return ""
}

func hasDotDot(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// exists reports whether p is a file or a directory of the package.
func (l *loader) exists(p string) bool {
	return p == "" || l.t.Lookup(p) != nil || l.t.HasDir(p)
}

// existing is resolve for a path that must be there.
func (l *loader) existing(v value, field, ending string) (string, bool) {
	p, ok := l.resolve(v, field, ending)
	if ok && !l.exists(p) {
		l.missing(v, field, problem.Error)
		return "", false
	}
	return p, ok
}

// missing reports a path that is not in the package. A tree that was not read
// completely proves nothing.
func (l *loader) missing(v value, field string, s problem.Severity) {
	if !l.t.Partial {
		l.report(v, ruleMissingPath.Report("the path %q in %q is not in the package", clip(v.text()), field).As(s).Survived())
	}
}

// oneOrMore returns the elements of a list, or v itself when it is none.
func oneOrMore(v value) []value {
	if v.kind() == '[' {
		return v.elements()
	}
	return []value{v}
}

// ComponentPaths returns the paths that the component fields of a catalog entry
// name, clean and relative to the package, "" for its root, in order of the
// fields. Paths that leave the package are left out: loading reports them.
func ComponentPaths(entry map[string]syntax.Raw) []string {
	var out []string
	add := func(v value) {
		text := v.text()
		// Shared directories are selected for every host, and some write bare paths.
		if text == "" || strings.Contains(text, "://") || strings.Contains(text, `\`) || strings.HasPrefix(text, "/") {
			return
		}
		if p := inside(text); p != ".." && !strings.HasPrefix(p, "../") {
			out = append(out, p)
		}
	}
	var experimental []member
	for _, field := range componentFields() {
		raw, ok := entry[field]
		if !ok {
			continue
		}
		v := value{doc: &document{entry: true}, raw: raw}
		switch field {
		case "skills", "agents", "hooks", "mcpServers", "lspServers", "monitors", "outputStyles", "workflows", "themes":
			for _, e := range oneOrMore(v) {
				add(e)
			}
		case "commands":
			for _, e := range oneOrMore(v) {
				add(e)
			}
			for _, m := range v.members() {
				source, _ := m.get("source")
				add(source)
			}
		case "experimental":
			experimental = v.members()
		}
	}
	for _, m := range experimental {
		for _, e := range oneOrMore(m.value) {
			add(e)
		}
	}
	return out
}
