package codex

import (
	"path"
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
)

// skills lists the skills of `skills`, or of the directory of that name when the
// field gives no path that Codex takes. Unlike in Claude Code the field replaces
// the directory (0.171.0).
func (l *loader) skills(own component.Fields) {
	v, ok := own.Get("skills")
	given := false
	if ok && v.Kind() != 'n' {
		if !l.isPaths(v) {
			l.Report(v, ruleIgnored.Report("\"skills\" is %s, want a path or a list of paths; Codex ignores it", v.Found()))
		} else {
			for _, e := range v.OneOrMore() {
				if p, ok := l.Resolve(e, "skills", ""); ok {
					given = true
					l.skillRoot(e, p)
				}
			}
		}
	}
	switch {
	case !given:
		l.skillsBelow("skills")
	case l.Tree.HasDir("skills") && !l.namesSkills(v):
		l.Report(v, ruleShadowed.Report("the directory \"skills\" is ignored, because the manifest sets \"skills\""))
	}
}

// isPaths reports whether v is a path or a list of paths.
func (l *loader) isPaths(v component.Value) bool {
	if v.Kind() == '"' {
		return true
	}
	_, ok := v.Texts()
	return ok
}

// namesSkills reports whether the field names the directory itself, or something
// in it.
func (l *loader) namesSkills(v component.Value) bool {
	return slices.ContainsFunc(v.OneOrMore(), func(e component.Value) bool {
		p := component.Inside(e.Text())
		return p == "skills" || strings.HasPrefix(p, "skills/")
	})
}

func (l *loader) skillRoot(v component.Value, p string) {
	switch {
	case l.Tree.Lookup(p) != nil:
		l.Report(v, rulePath.Report("the path %q in \"skills\" is a file, want a directory", component.Clip(v.Text())).As(problem.Warning))
	case !l.Tree.HasDir(p):
		l.missing(v, "skills")
	case l.skillsBelow(p) == 0 && !l.Tree.Partial:
		l.Report(v, ruleNoSkill.Report("there is no SKILL.md in %q", component.Clip(v.Text())))
	}
}

// skillsBelow lists every skill below a directory, at any depth: Codex looks five
// directories deep, and into skills as well (0.171.0).
func (l *loader) skillsBelow(dir string) int {
	n := 0
	for _, f := range l.Tree.Under(dir) {
		switch path.Base(f.Path) {
		case "SKILL.md":
			l.Skill(f.Path, "")
			n++
		case "skill.md":
			if l.Tree.Lookup(path.Join(path.Dir(f.Path), "SKILL.md")) == nil {
				l.Skill(f.Path, "")
				l.Add(agentskill.LowerCase(f.Path))
			}
		}
	}
	return n
}

// servers lists the MCP servers of `mcpServers`, or of .mcp.json when the field
// gives none.
func (l *loader) servers(own component.Fields) {
	switch v := field(own, "mcpServers"); v.Kind() {
	case '{':
		if inner, ok := v.Get("mcpServers"); ok && inner.Kind() == '{' {
			v = inner // 0.171.0 takes the wrapped form too
		}
		l.Servers(v, problem.Warning)
		return
	case '"':
		if p, ok := l.Resolve(v, "mcpServers", ""); ok {
			if l.Tree.Lookup(p) == nil {
				l.missing(v, "mcpServers")
			} else {
				l.ServerFile(p)
			}
			return
		}
	case 0, 'n':
	default:
		l.Report(v, ruleIgnored.Report("\"mcpServers\" is %s, want a path or an object; Codex ignores it", v.Found()))
		for _, e := range v.Elements() {
			l.Servers(e, problem.Warning) // another host may take them
		}
	}
	if l.Tree.Lookup(".mcp.json") != nil {
		l.ServerFile(".mcp.json")
	}
}

// serverFault returns what keeps Codex 0.171.0 from taking a server. The type is
// not looked at: a url makes it remote.
func serverFault(s component.Value) (why string, at component.Value) {
	if s.Kind() != '{' {
		return "is " + s.Found() + ", want an object", s
	}
	command, hasCommand := s.Get("command")
	link, hasURL := s.Get("url")
	switch {
	case hasCommand && hasURL:
		return "has a \"command\" and a \"url\"", s
	case hasCommand && command.Kind() != '"':
		return "has a \"command\" that is no string", command
	case hasURL && link.Kind() != '"':
		return "has a \"url\" that is no string", link
	case !hasCommand && !hasURL:
		return "needs a \"command\" or a \"url\"", s
	}
	for _, m := range s.Members() {
		switch m.Key {
		case "args":
			if _, ok := m.Texts(); !ok {
				return "has \"args\" that are no list of strings", m.Value
			}
		case "env":
			if !m.TextMap() && m.Kind() != 'n' {
				return "has \"env\" that is not text", m.Value
			}
		}
	}
	return "", s
}

// apps lists the connectors that the plugin brings. They are services of OpenAI,
// named by an id.
func (l *loader) apps(own component.Fields) {
	file := ".app.json"
	if v, ok := own.Get("apps"); ok && v.Text() != "" {
		p, ok := l.Resolve(v, "apps", "")
		if !ok {
			return
		}
		if file = p; l.Tree.Lookup(p) == nil {
			l.missing(v, "apps")
			return
		}
	}
	if l.Tree.Lookup(file) == nil {
		return
	}
	root, ok := l.JSON(file, manifest.OtherComponent, component.Lenient())
	if !ok {
		return
	}
	apps, _ := root.Get("apps")
	if apps.Kind() != '{' {
		l.Report(root, ruleApp.Report("the file has no object \"apps\"; Codex ignores it"))
		return
	}
	for _, a := range apps.Members() {
		id, _ := a.Get("id")
		if strings.TrimSpace(id.Text()) == "" {
			l.Report(a.Value, ruleApp.Report("the app %q needs an \"id\"; Codex ignores it", component.Clip(a.Key)))
			continue
		}
		l.Component(manifest.Component{Type: manifest.OtherComponent, Name: a.Key, Path: file, Detail: "app " + id.Text()})
	}
}

// missing reports a path that is not in the package; Codex goes on without.
func (l *loader) missing(v component.Value, name string) {
	if !l.Tree.Partial {
		l.Report(v, ruleMissingPath.Report("the path %q in %q is not in the package", component.Clip(v.Text()), name))
	}
	l.Refused(v, name)
}
