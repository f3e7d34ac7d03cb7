package claude

import (
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/problem"
)

// defaultSkills lists skills/, or the SKILL.md at the top of a plugin that has
// no other skills.
func (l *loader) defaultSkills(own, fromEntry fields) {
	if l.t.HasDir("skills") {
		l.skillDir("skills")
		return
	}
	if !own.has("skills") && !fromEntry.has("skills") {
		l.skill("SKILL.md", "")
	}
}

// declaredSkills lists what one path of `skills` names.
func (l *loader) declaredSkills(v value) {
	p, ok := l.existing(v, "skills", "")
	if !ok {
		return
	}
	if l.t.Lookup(p) != nil {
		l.report(v, rulePath.Report("the path %q in \"skills\" is a file, want the directory that holds SKILL.md", clip(v.text())).
			WithFix("name %q", "./"+path.Dir(p)).Survived())
		return
	}
	if l.skillDir(p) == 0 && !l.t.Partial && (p != "" || !l.t.HasDir("skills")) {
		l.report(v, ruleNoSkill.Report("there is no SKILL.md in %q nor in its directories", clip(v.text())))
	}
}

// skillDir lists the skill that dir is, or else those of its directories. It
// returns how many there are.
func (l *loader) skillDir(dir string) int {
	if l.skill(join(dir, "SKILL.md"), "") {
		return 1
	}
	n := 0
	files := l.t.Files
	if dir != "" {
		files = l.t.Under(dir)
	}
	for _, f := range files {
		rest := strings.TrimPrefix(f.Path, dir)
		name, file, nested := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		switch {
		case !nested:
		case file == "SKILL.md":
			l.skill(f.Path, name)
			n++
		case file == "skill.md" && l.t.Lookup(join(dir, name+"/SKILL.md")) == nil:
			l.skill(f.Path, name)
			n++
			l.add(agentskill.LowerCase(f.Path))
		}
	}
	return n
}

// skill lists one skill file; name is what the host calls it, "" for the name in
// its frontmatter. It is false when there is no such file.
func (l *loader) skill(p, name string) bool {
	if l.t.Lookup(p) == nil {
		return false
	}
	skill, read := l.skills[p]
	if !read {
		var found problem.List
		skill, found = agentskill.Read(p, l.data(p))
		l.skills[p] = skill
		l.addAll(found)
	}
	if name == "" {
		switch name = skill.Name; {
		case name != "":
		case p == "SKILL.md":
			name = l.m.ID
		default:
			name = base(path.Dir(p))
		}
	}
	l.component(skill.Component(name))
	for _, h := range slices.Concat(skill.Hooks, agentskill.Inline(p, l.data(p))) {
		l.component(h)
	}
	return true
}

func (l *loader) commandDir(dir string) {
	for _, p := range l.under(dir, ".md") {
		rel := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
		name := strings.TrimSuffix(rel, ".md")
		if base(p) == "SKILL.md" && rel != "SKILL.md" {
			name = path.Dir(rel) // a skill's directory among the commands
		}
		l.command(p, strings.ReplaceAll(name, "/", ":"))
	}
}

// declaredCommands reads `commands`: paths, or an object of name and definition.
func (l *loader) declaredCommands(v value) {
	if v.kind() != '{' {
		for _, e := range l.pathList(v, "commands") {
			p, ok := l.existing(e, "commands", "")
			switch {
			case !ok:
			case l.t.Lookup(p) == nil:
				l.commandDir(p)
			case strings.HasSuffix(p, ".md"):
				l.command(p, stem(p))
			default:
				l.report(e, rulePath.Report("the path %q in \"commands\" is not a Markdown file; the host ignores it", clip(e.text())).As(problem.Warning))
			}
		}
		return
	}
	for _, m := range v.members() {
		source, hasSource := m.get("source")
		content, hasContent := m.get("content")
		switch {
		case m.kind() != '{':
			l.report(m.value, ruleType.Report("the command %q is %s, want an object", clip(m.key), m.found()))
		case hasSource == hasContent:
			l.report(m.value, ruleType.Report("the command %q needs either \"source\" or \"content\"", clip(m.key)))
		case hasSource:
			if p, ok := l.existing(source, "commands", ""); ok {
				l.command(p, m.key)
			}
		case content.kind() != '"':
			l.report(content, ruleType.Report("\"content\" of the command %q is %s, want a string", clip(m.key), content.found()))
		default:
			l.component(manifest.Component{Type: manifest.CommandComponent, Name: m.key, Path: v.file()})
			for _, h := range agentskill.Inline(v.file(), []byte(content.text())) {
				l.component(h)
			}
		}
	}
}

// command lists one command file.
func (l *loader) command(p, name string) {
	front := l.described(p, "command")
	l.component(manifest.Component{Type: manifest.CommandComponent, Name: name, Path: p, Detail: agentskill.AllowedTools(front)})
	for _, h := range slices.Concat(agentskill.Hooks(p, front), agentskill.Inline(p, l.data(p))) {
		l.component(h)
	}
}

func (l *loader) agentDir(dir string) {
	for _, p := range l.under(dir, ".md") {
		sub := path.Dir(strings.TrimPrefix(strings.TrimPrefix(p, dir), "/"))
		if sub == "." {
			sub = ""
		}
		l.agent(p, strings.ReplaceAll(sub, "/", ":"))
	}
}

// agent lists one agent file; group is the directories it lies in.
func (l *loader) agent(p, group string) {
	front := l.described(p, "agent")
	name := stem(p)
	if f, ok := front.Get("name"); ok && f.Value != "" {
		name = f.Value
	}
	if group != "" {
		name = group + ":" + name
	}
	detail := ""
	if f, ok := front.Get("tools"); ok {
		detail = strings.TrimSpace(f.Value)
		if f.Kind == syntax.List {
			detail = strings.Join(f.List, ", ")
		}
		if detail != "" {
			detail = "tools: " + detail
		}
	}
	l.component(manifest.Component{Type: manifest.AgentComponent, Name: name, Path: p, Detail: detail})
	for _, key := range []string{"hooks", "mcpServers", "permissionMode"} {
		if f, ok := front.Get(key); ok {
			l.add(ruleAgentKey.Report("an agent of a plugin cannot set %q; the host ignores it", key).At(p, f.Line, f.Column))
		}
	}
	// The host ignores them, but another one may not.
	for _, h := range agentskill.Hooks(p, front) {
		l.component(h)
	}
}

// described reads the frontmatter of a command or agent file and reports what
// the host's validator does.
func (l *loader) described(p, what string) syntax.Front {
	front, found := agentskill.Front(p, l.data(p))
	l.addAll(found)
	if !front.Found {
		if len(found) == 0 {
			l.add(agentskill.NoFrontmatter(p, what))
		}
		return front
	}
	f, ok := front.Get("description")
	switch {
	case !ok:
		l.add(agentskill.NoDescription(p, what))
	case f.Kind == syntax.List || f.Kind == syntax.Map:
		l.add(agentskill.WrongType(p, f, "a string; the host drops it"))
	}
	if f, ok := front.Get("name"); ok && what == "agent" && (f.Kind == syntax.List || f.Kind == syntax.Map) {
		l.add(agentskill.WrongType(p, f, "a string"))
	}
	if f, ok := front.Get("allowed-tools"); ok && f.Kind != syntax.String && f.Kind != syntax.List && f.Kind != syntax.Null {
		l.add(agentskill.WrongType(p, f, "text or a list"))
	}
	return front
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
