package component

import (
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/problem"
)

// DeclaredSkills lists what one path of `skills` names.
func (r *Reader) DeclaredSkills(v Value) {
	p, ok := r.Existing(v, "skills", "")
	if !ok {
		return
	}
	if r.Tree.Lookup(p) != nil {
		r.Report(v, r.rules.Path.Report("the path %q in \"skills\" is a file, want the directory that holds SKILL.md", Clip(v.Text())).
			WithFix("name %q", "./"+path.Dir(p)).Survived())
		return
	}
	if r.SkillDir(p) == 0 && !r.Tree.Partial && (p != "" || !r.Tree.HasDir("skills")) {
		r.Report(v, r.rules.NoSkill.Report("there is no SKILL.md in %q nor in its directories", Clip(v.Text())))
	}
}

// SkillDir lists the skill that dir is, or else those of its directories. It
// returns how many there are.
func (r *Reader) SkillDir(dir string) int {
	if r.Skill(join(dir, "SKILL.md"), "") {
		return 1
	}
	n := 0
	files := r.Tree.Files
	if dir != "" {
		files = r.Tree.Under(dir)
	}
	for _, f := range files {
		rest := strings.TrimPrefix(f.Path, dir)
		name, file, nested := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		switch {
		case !nested:
		case file == "SKILL.md":
			r.Skill(f.Path, name)
			n++
		case file == "skill.md" && r.Tree.Lookup(join(dir, name+"/SKILL.md")) == nil:
			r.Skill(f.Path, name)
			n++
			r.Add(agentskill.LowerCase(f.Path))
		}
	}
	return n
}

// Skill lists one skill file; name is what the host calls it, "" for the name in
// its frontmatter. It is false when there is no such file.
func (r *Reader) Skill(p, name string) bool {
	if r.Tree.Lookup(p) == nil {
		return false
	}
	skill, read := r.skills[p]
	if !read {
		var found problem.List
		skill, found = agentskill.Read(p, r.Data(p))
		r.skills[p] = skill
		r.AddAll(found)
	}
	if name == "" {
		switch name = skill.Name; {
		case name != "":
		case p == "SKILL.md":
			name = r.ID
		default:
			name = Base(path.Dir(p))
		}
	}
	r.Component(skill.Component(name))
	for _, h := range slices.Concat(skill.Hooks, agentskill.Inline(p, r.Data(p))) {
		r.Component(h)
	}
	return true
}

func (r *Reader) CommandDir(dir string) {
	for _, p := range r.Under(dir, ".md") {
		rel := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
		name := strings.TrimSuffix(rel, ".md")
		if Base(p) == "SKILL.md" && rel != "SKILL.md" {
			name = path.Dir(rel) // a skill's directory among the commands
		}
		r.Command(p, strings.ReplaceAll(name, "/", ":"))
	}
}

// DeclaredCommands reads `commands`: paths, or an object of name and definition.
func (r *Reader) DeclaredCommands(v Value) {
	if v.Kind() != '{' {
		for _, e := range r.PathList(v, "commands") {
			p, ok := r.Existing(e, "commands", "")
			switch {
			case !ok:
			case r.Tree.Lookup(p) == nil:
				r.CommandDir(p)
			case strings.HasSuffix(p, ".md"):
				r.Command(p, Stem(p))
			default:
				r.Report(e, r.rules.Path.Report("the path %q in \"commands\" is not a Markdown file; the host ignores it", Clip(e.Text())).As(problem.Warning))
			}
		}
		return
	}
	for _, m := range v.Members() {
		source, hasSource := m.Get("source")
		content, hasContent := m.Get("content")
		switch {
		case m.Kind() != '{':
			r.Report(m.Value, r.rules.Type.Report("the command %q is %s, want an object", Clip(m.Key), m.Found()))
		case hasSource == hasContent:
			r.Report(m.Value, r.rules.Type.Report("the command %q needs either \"source\" or \"content\"", Clip(m.Key)))
		case hasSource:
			if p, ok := r.Existing(source, "commands", ""); ok {
				r.Command(p, m.Key)
			}
		case content.Kind() != '"':
			r.Report(content, r.rules.Type.Report("\"content\" of the command %q is %s, want a string", Clip(m.Key), content.Found()))
		default:
			r.Component(manifest.Component{Type: manifest.CommandComponent, Name: m.Key, Path: v.File()})
			for _, h := range agentskill.Inline(v.File(), []byte(content.Text())) {
				r.Component(h)
			}
		}
	}
}

// Command lists one command file.
func (r *Reader) Command(p, name string) {
	front := r.described(p, "command")
	r.Component(manifest.Component{Type: manifest.CommandComponent, Name: name, Path: p, Detail: agentskill.AllowedTools(front)})
	for _, h := range slices.Concat(agentskill.Hooks(p, front), agentskill.Inline(p, r.Data(p))) {
		r.Component(h)
	}
}

func (r *Reader) AgentDir(dir string) {
	for _, p := range r.Under(dir, ".md") {
		sub := path.Dir(strings.TrimPrefix(strings.TrimPrefix(p, dir), "/"))
		if sub == "." {
			sub = ""
		}
		r.Agent(p, strings.ReplaceAll(sub, "/", ":"))
	}
}

// Agent lists one agent file; group is the directories it lies in.
func (r *Reader) Agent(p, group string) {
	front := r.described(p, "agent")
	name := Stem(p)
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
	r.Component(manifest.Component{Type: manifest.AgentComponent, Name: name, Path: p, Detail: detail})
	for _, key := range []string{"hooks", "mcpServers", "permissionMode"} {
		if f, ok := front.Get(key); ok && r.rules.AgentKey.ID != "" {
			r.Add(r.rules.AgentKey.Report("an agent of a plugin cannot set %q; the host ignores it", key).At(p, f.Line, f.Column))
		}
	}
	// The host ignores them, but another one may not.
	for _, c := range slices.Concat(agentskill.Hooks(p, front), agentskill.Servers(p, front)) {
		r.Component(c)
	}
}

// described reads the frontmatter of a command or agent file and reports what
// the host's validator does.
func (r *Reader) described(p, what string) syntax.Front {
	front, found := agentskill.Front(p, r.Data(p))
	r.AddAll(found)
	if !front.Found {
		if len(found) == 0 {
			r.Add(agentskill.NoFrontmatter(p, what))
		}
		return front
	}
	f, ok := front.Get("description")
	switch {
	case !ok:
		r.Add(agentskill.NoDescription(p, what))
	case f.Kind == syntax.List || f.Kind == syntax.Map:
		r.Add(agentskill.WrongType(p, f, "a string; the host drops it"))
	}
	if f, ok := front.Get("name"); ok && what == "agent" && (f.Kind == syntax.List || f.Kind == syntax.Map) {
		r.Add(agentskill.WrongType(p, f, "a string"))
	}
	if f, ok := front.Get("allowed-tools"); ok && f.Kind != syntax.String && f.Kind != syntax.List && f.Kind != syntax.Null {
		r.Add(agentskill.WrongType(p, f, "text or a list"))
	}
	return front
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
