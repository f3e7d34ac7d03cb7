package cursor

import (
	"path"
	"strings"
	"unicode"

	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
)

// autoHooks and autoServers are the files that Cursor reads by itself.
const (
	autoHooks   = "hooks/hooks.json"
	autoServers = "mcp.json"
)

// components lists what lies at the fixed places, and instead of these what the
// manifest names: a field replaces its place.
func (l *loader) components(own component.Fields) {
	for _, kind := range []struct {
		field string
		file  func(p, dir string)
		ends  []string
	}{
		{"skills", l.skillFile, nil},
		{"commands", l.command, []string{".md", ".mdc", ".markdown", ".txt"}},
		{"agents", l.agent, []string{".md", ".mdc", ".markdown"}},
		{"rules", l.rule, []string{".md", ".mdc", ".markdown"}},
	} {
		v, named := own.Get(kind.field)
		switch {
		case named:
			l.named(v, kind.field, kind.ends, kind.file)
		case kind.field == "skills":
			if l.Tree.HasDir("skills") {
				l.SkillDir("skills")
			} else {
				l.Skill("SKILL.md", "")
			}
		default:
			l.files(kind.field, kind.ends, kind.file)
		}
	}
	if v, ok := own.Get("hooks"); ok {
		l.hooks(v)
	} else if l.Tree.Lookup(autoHooks) != nil {
		l.hooksFile(autoHooks)
	}
	if v, ok := own.Get("mcpServers"); ok {
		l.DeclaredServers(v)
	} else if l.Tree.Lookup(autoServers) != nil {
		l.ServerFile(autoServers)
	}
}

// named reads a field of paths and patterns.
func (l *loader) named(v component.Value, field string, ends []string, file func(p, dir string)) {
	for _, e := range l.PathList(v, field) {
		if strings.ContainsAny(e.Text(), "*?[{") {
			l.pattern(e, field, file)
			continue
		}
		p, ok := l.Existing(e, field, "")
		switch {
		case !ok:
		case l.Tree.Lookup(p) != nil:
			file(p, path.Dir(p))
		case field == "skills":
			if l.SkillDir(p) == 0 && !l.Tree.Partial {
				l.Report(e, component.Shared().NoSkill.Report("there is no SKILL.md in %q nor in its directories", component.Clip(e.Text())))
			}
		default:
			l.files(p, ends, file)
		}
	}
}

// pattern lists the files that a pattern matches.
func (l *loader) pattern(v component.Value, field string, file func(p, dir string)) {
	glob := component.Inside(v.Text())
	if strings.HasPrefix(glob, "..") || strings.HasPrefix(glob, "/") || strings.Count(glob, "**") > maxStars || strings.ContainsAny(glob, `{\`) {
		l.Report(v, rulePattern.Report("the pattern %q in %q is not followed", component.Clip(v.Text()), field))
		return
	}
	n := 0
	for _, f := range l.Tree.Files {
		if matches(strings.Split(glob, "/"), strings.Split(f.Path, "/")) {
			file(f.Path, path.Dir(f.Path))
			n++
		}
	}
	if n == 0 && !l.Tree.Partial {
		l.Report(v, rulePattern.Report("the pattern %q in %q matches no file", component.Clip(v.Text()), field))
	}
}

// maxStars is how many "**" a pattern may have: each multiplies the work.
const maxStars = 3

// matches reports whether a path matches a pattern, both cut at slashes. "**" is
// any number of names.
func matches(pattern, names []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(names) + 1 {
				if matches(pattern[1:], names[i:]) {
					return true
				}
			}
			return false
		}
		if len(names) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], names[0]); err != nil || !ok {
			return false
		}
		pattern, names = pattern[1:], names[1:]
	}
	return len(names) == 0
}

// files lists the files of a kind below a directory.
func (l *loader) files(dir string, ends []string, file func(p, dir string)) {
	for _, p := range l.Under(dir, "") {
		for _, end := range ends {
			if strings.HasSuffix(p, end) {
				file(p, dir)
				break
			}
		}
	}
}

func (l *loader) skillFile(p, _ string) {
	if component.Base(p) == "SKILL.md" {
		l.Skill(p, "")
	}
}

func (l *loader) command(p, dir string) {
	l.Command(p, called(p, dir))
}

func (l *loader) agent(p, _ string) { l.Agent(p, "") }

// called is a command's name: its path without the ending.
func called(p, dir string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
	return strings.TrimSuffix(rel, path.Ext(rel))
}

// rule lists a file of instructions. One that is always applied reaches every
// conversation.
func (l *loader) rule(p, _ string) {
	front, found := agentskill.Front(p, l.Data(p))
	l.AddAll(found)
	detail := "rule"
	if always, _ := front.Get("alwaysApply"); always.Value == "true" {
		detail = "rule, always applied"
	}
	l.Component(manifest.Component{Type: manifest.OtherComponent, Name: component.Stem(p), Path: p, Detail: detail})
}

// hooks reads the field: a path, or the hooks themselves with or without the
// object around them.
func (l *loader) hooks(v component.Value) {
	switch v.Kind() {
	case '"':
		if p, ok := l.Existing(v, "hooks", ".json"); ok {
			l.hooksFile(p)
		}
	case '{':
		if inner, ok := v.Get("hooks"); ok && inner.Kind() == '{' {
			v = inner
		}
		l.Events(v)
	default:
		l.Report(v, ruleManifest.Report("\"hooks\" is %s, want a path or an object", v.Found()))
	}
}

// hooksFile reads a file of hooks. One in Claude Code's shape lies at the same
// place in plugins of both hosts: it is listed, and noted once.
func (l *loader) hooksFile(p string) {
	quiet := component.New(l.Tree, host())
	root, ok := quiet.JSON(p, manifest.HookComponent, component.Lenient())
	if ok {
		hooks, _ := root.Get("hooks")
		for _, m := range hooks.Members() {
			if m.Key != "" && unicode.IsUpper(rune(m.Key[0])) {
				l.ReportKey(m.Value, ruleClaudeHooks.Report("the events are named as in Claude Code: %q", component.Clip(m.Key)).As(problem.Note))
				quiet.Events(hooks)
				for _, c := range quiet.Components {
					l.Component(c)
				}
				return
			}
		}
	}
	l.HooksFile(p)
}
