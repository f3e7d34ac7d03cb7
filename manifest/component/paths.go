package component

import (
	"path"
	"strings"

	"pinion/manifest"
	"pinion/problem"
)

// Resolve returns the path inside the package that v names, "" for its root, or
// false after reporting why it cannot be used. ending, when set, is what the
// host wants it to end with.
func (r *Reader) Resolve(v Value, field, ending string) (string, bool) {
	p, ok := r.resolve(v, field, ending)
	if !ok {
		r.Refused(v, field)
	}
	return p, ok
}

// Refused lists the file behind a path that this host does not take, or that is
// there in another case: another host, or the same one on another system, may
// start what is in it.
func (r *Reader) Refused(v Value, field string) {
	var holds manifest.ComponentType
	switch field {
	case "hooks":
		holds = manifest.HookComponent
	case "mcpServers":
		holds = manifest.ServerComponent
	case "lspServers":
		holds = manifest.LSPComponent
	case "monitors":
		holds = manifest.MonitorComponent
	default:
		return
	}
	p := Inside(strings.TrimLeft(strings.ReplaceAll(v.Text(), `\`, "/"), "/"))
	for i := range r.Tree.Files {
		if f := r.Tree.Files[i].Path; len(f) == len(p) && strings.EqualFold(f, p) {
			r.Unread(holds, f)
		}
	}
}

func (r *Reader) resolve(v Value, field, ending string) (string, bool) {
	if v.Kind() != '"' {
		r.Report(v, r.rules.Type.Report("%q has %s where a path is wanted", field, v.Found()))
		return "", false
	}
	text := v.Text()
	switch {
	case strings.Contains(text, `\`):
		r.Report(v, r.rules.Path.Report("the path %q in %q has a backslash", Clip(text), field).WithFix("write / between the names"))
		return "", false
	case field == "skills" && text == "." && !r.host.Paths.NoRoot:
		return "", true
	case !strings.HasPrefix(text, "./") && (!r.host.Paths.Bare || text == "" || text[0] == '/'):
		r.Report(v, r.rules.Path.Report("the path %q in %q does not start with \"./\"", Clip(text), field).WithFix("write ./ before it, relative to the plugin's directory"))
		return "", false
	case ending != "" && !strings.HasSuffix(text, ending):
		r.Report(v, r.rules.Path.Report("the path %q in %q does not end with %q", Clip(text), field, ending))
		return "", false
	}
	p := Inside(text)
	if p == ".." || strings.HasPrefix(p, "../") {
		r.Report(v, r.rules.Path.Report("the path %q in %q leaves the package", Clip(text), field))
		return "", false
	}
	if p == "" && r.host.Paths.NoRoot {
		r.Report(v, r.rules.Path.Report("the path %q in %q is the package itself", Clip(text), field))
		return "", false
	}
	if hasDotDot(text) {
		report := r.rules.Path.Report("the path %q in %q contains \"..\"", Clip(text), field)
		if r.host.Paths.NoDots {
			r.Report(v, report)
			return "", false
		}
		// The host loads it; its validator and every other host refuse the dots.
		r.Report(v, report.As(problem.Warning))
	}
	return p, true
}

// Inside cleans a "./" path; the root is "".
func Inside(text string) string {
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
func (r *Reader) exists(p string) bool {
	return p == "" || r.Tree.Lookup(p) != nil || r.Tree.HasDir(p)
}

// Existing is resolve for a path that must be there.
func (r *Reader) Existing(v Value, field, ending string) (string, bool) {
	p, ok := r.Resolve(v, field, ending)
	if ok && !r.exists(p) {
		r.Missing(v, field, problem.Error)
		return "", false
	}
	return p, ok
}

// Missing reports a path that is not in the package. A tree that was not read
// completely proves nothing.
func (r *Reader) Missing(v Value, field string, s problem.Severity) {
	if !r.Tree.Partial {
		r.Report(v, r.rules.MissingPath.Report("the path %q in %q is not in the package", Clip(v.Text()), field).As(s).Survived())
	}
	r.Refused(v, field)
}
