package agentskill

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// maxDescription is the longest description of the specification, in characters.
const maxDescription = 1024

// Skill is the frontmatter of one SKILL.md.
type Skill struct {
	Path        string
	Name        string // "" when it states none
	Description string
	License     string
	Version     string // SemVer, or ""
	Tools       string // the tools it may use without asking, or ""
	// Hooks are the commands that a host runs while the skill is in use.
	Hooks []manifest.Component
}

// Component returns the skill as what a package adds, under the name that the
// host gives it.
func (s Skill) Component(name string) manifest.Component {
	return manifest.Component{Type: manifest.SkillComponent, Name: name, Path: s.Path, Detail: s.Tools}
}

// specKeys are the keys of the specification; hostKeys those that Claude Code
// documents beyond it.
func specKeys() []string {
	return []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
}

func hostKeys() []string {
	return []string{
		"when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable",
		"model", "context", "agent", "hooks", "effort", "paths", "shell", "disallowed-tools",
	}
}

// Read reads the frontmatter of a skill file; the body is not looked at. What it
// finds is never an error.
func Read(file string, data []byte) (Skill, problem.List) {
	s := Skill{Path: file}
	front, probs := Front(file, data)
	if !front.Found {
		s.Hooks = Hooks(file, front) // where there is more than is read
		if len(probs) == 0 {
			probs.Add(ruleFrontmatter.Report("there is no frontmatter; hosts find no name and no description").At(file, 1, 1))
		}
		return s, probs
	}
	r := reader{file: file, front: front, found: probs}
	s.Name = r.name()
	s.Description = r.description()
	s.License, _ = r.text("license")
	s.Tools = AllowedTools(front)
	s.Version = r.version()
	s.Hooks = Hooks(file, front)
	r.types()
	r.unknown()
	return s, r.found
}

// Front is [syntax.Frontmatter] with the file's name in the findings, and none
// above a warning: hosts load such files.
func Front(file string, data []byte) (syntax.Front, problem.List) {
	front, probs := syntax.Frontmatter(data)
	for i, p := range probs {
		p.File = file
		p.Severity = min(p.Severity, problem.Warning)
		probs[i] = p
	}
	return front, probs
}

type reader struct {
	file  string
	front syntax.Front
	found problem.List
}

// at reports r for a field at its value.
func (r *reader) at(f syntax.Field, p problem.Problem) {
	r.found.Add(p.At(r.file, f.ValueLine, f.ValueColumn))
}

// atTop reports r for what is missing.
func (r *reader) atTop(p problem.Problem) { r.found.Add(p.At(r.file, 1, 1)) }

// text returns a scalar's text. Numbers and dates count: authors mean the text.
func (r *reader) text(key string) (string, bool) {
	f, ok := r.front.Get(key)
	if !ok || f.Kind == syntax.List || f.Kind == syntax.Map || f.Kind == syntax.Null {
		return "", false
	}
	return strings.TrimSpace(f.Value), true
}

func (r *reader) name() string {
	f, ok := r.front.Get("name")
	if !ok || f.Kind == syntax.Null || f.Kind == syntax.String && f.Value == "" {
		r.atTop(ruleName.Report("the skill has no name"))
		return ""
	}
	name, ok := r.text("name")
	if !ok || f.Kind != syntax.String {
		r.at(f, ruleType.Report("\"name\" is a %s, want a string", f.Kind))
		return name
	}
	if why := nameFault(name); why != "" {
		r.at(f, ruleName.Report("the name %q %s", clip(name), why))
	}
	if dir := dirName(r.file); dir != "" && dir != name {
		r.found.Add(mismatch(r.file, f.ValueLine, f.ValueColumn, name, dir))
	}
	return name
}

func mismatch(file string, line, col int, name, dir string) problem.Problem {
	return ruleDirectory.Report("the skill is named %q, but its directory %q", clip(name), clip(dir)).At(file, line, col).
		WithFix("give the directory and the skill the same name")
}

func (r *reader) description() string {
	f, ok := r.front.Get("description")
	text, scalar := r.text("description")
	switch {
	case !ok || f.Kind == syntax.Null || scalar && text == "":
		r.atTop(ruleDescription.Report("the skill has no description"))
	case !scalar:
		r.at(f, ruleType.Report("\"description\" is a %s, want a string; hosts drop it", f.Kind))
	case utf8.RuneCountInString(text) > maxDescription:
		r.at(f, ruleDescription.Report("the description has %d characters, more than %d", utf8.RuneCountInString(text), maxDescription).
			WithFix("shorten it: hosts cut or refuse the rest"))
	}
	return text
}

// version returns `version` or `metadata.version` when it is SemVer.
func (r *reader) version() string {
	if v, ok := r.text("version"); ok && manifest.ValidVersion(v) {
		return v
	}
	meta, _ := r.front.Get("metadata")
	for _, f := range meta.Items {
		if f.Key == "version" && manifest.ValidVersion(f.Value) {
			return f.Value
		}
	}
	return ""
}

// types reports values of other types than the specification has.
func (r *reader) types() {
	if f, ok := r.front.Get("allowed-tools"); ok {
		switch f.Kind {
		case syntax.List:
			r.at(f, ruleType.Report("\"allowed-tools\" is a list, want text with spaces").As(problem.Note))
		case syntax.String, syntax.Null:
		default:
			r.at(f, ruleType.Report("\"allowed-tools\" is a %s, want text with spaces", f.Kind))
		}
	}
	f, ok := r.front.Get("metadata")
	if !ok || f.Kind == syntax.Null {
		return
	}
	if f.Kind != syntax.Map {
		r.at(f, ruleType.Report("\"metadata\" is a %s, want keys and values; hosts drop it", f.Kind))
		return
	}
	for _, item := range f.Items {
		if item.Kind != syntax.String {
			r.at(item, ruleType.Report("\"metadata.%s\" is a %s, want a string", clip(item.Key), item.Kind).As(problem.Note))
			return // one is enough: such files have many
		}
	}
}

// unknown reports the keys that neither the specification nor Claude Code has.
func (r *reader) unknown() {
	known := append(specKeys(), hostKeys()...)
	for _, f := range r.front.Fields {
		if slices.Contains(known, f.Key) {
			continue
		}
		p := ruleKey.Report("unknown key %q", clip(f.Key))
		if near, ok := syntax.Nearest(f.Key, known); ok {
			p = ruleKey.Report("unknown key %q; did you mean %q?", clip(f.Key), near).WithFix("rename it to %q, or move it into metadata", near)
		}
		r.found.Add(p.At(r.file, f.Line, f.Column))
	}
}

// AllowedTools returns the tools that the frontmatter allows without asking, on
// one line.
func AllowedTools(front syntax.Front) string {
	f, _ := front.Get("allowed-tools")
	text := f.Value
	if f.Kind == syntax.List {
		text = strings.Join(f.List, ", ")
	}
	if text == "" {
		return ""
	}
	return "allowed-tools: " + strings.Join(strings.Fields(text), " ")
}

// dirName is the skill's directory: the one that holds file, "" at the top of
// the package and for a file that lies in skills/ itself.
func dirName(file string) string {
	if d := path.Dir(file); d != "." && d != "skills" {
		return path.Base(d)
	}
	return ""
}

// clip bounds what a message repeats of a file.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	for i := most; ; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i] + "…"
		}
	}
}
