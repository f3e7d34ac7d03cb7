package copilot

import (
	"path"
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
)

// The places where Copilot looks by itself, in its order.
func hooksFiles() []string  { return []string{"hooks.json", "hooks/hooks.json"} }
func serverFiles() []string { return []string{".mcp.json", ".github/mcp.json"} }
func lspFiles() []string    { return []string{"lsp.json", ".github/lsp.json"} }

// skills lists the directory skills, or the SKILL.md at the top of a plugin
// without one; `skills` replaces both (1.0.102).
func (l *loader) skills(own component.Fields) {
	if paths, ok := l.paths(own, "skills"); ok {
		for _, p := range paths {
			if l.skillsBelow(p.path) == 0 && !l.Tree.Partial {
				l.Report(p.at, ruleNoSkill.Report("there is no SKILL.md in %q nor in its directories", component.Clip(p.at.Text())))
			}
		}
		return
	}
	if l.Tree.HasDir("skills") {
		l.skillsBelow("skills")
		return
	}
	l.Skill("SKILL.md", "")
}

// skillsBelow lists the skill that dir is, else every one below it: 1.0.102 finds
// skills/a/b/SKILL.md too, and none named skill.md.
func (l *loader) skillsBelow(dir string) int {
	if l.Skill(path.Join(dir, "SKILL.md"), "") {
		return 1
	}
	n := 0
	for _, p := range l.Under(dir, "/SKILL.md") {
		l.Skill(p, "")
		n++
	}
	for _, p := range l.Under(dir, "/skill.md") {
		l.Add(agentskill.LowerCase(p))
	}
	return n
}

// commands lists the directory commands; `commands` replaces it.
func (l *loader) commands(own component.Fields) {
	paths, ok := l.paths(own, "commands")
	if !ok {
		l.CommandDir("commands")
	}
	for _, p := range paths {
		switch {
		case l.Tree.Lookup(p.path) == nil:
			l.CommandDir(p.path)
		case strings.HasSuffix(p.path, ".md"):
			l.Command(p.path, component.Stem(p.path))
		}
	}
}

// agents lists the directory agents; `agents` replaces it. The documentation has
// files named NAME.agent.md, Visual Studio Code reads any Markdown file.
func (l *loader) agents(own component.Fields) {
	paths, ok := l.paths(own, "agents")
	if !ok {
		l.AgentDir("agents")
	}
	for _, p := range paths {
		switch {
		case l.Tree.Lookup(p.path) == nil:
			l.AgentDir(p.path)
		case strings.HasSuffix(p.path, ".md"):
			l.Agent(p.path, "")
		}
	}
}

// place is a path of the package and where it was named.
type place struct {
	path string
	at   component.Value
}

// paths returns the paths of a field that are in the package; false when the field
// is not there or Copilot ignores it. Visual Studio Code takes an object with
// "paths" too.
func (l *loader) paths(own component.Fields, field string) ([]place, bool) {
	v, ok := own.Get(field)
	if !ok || v.Kind() == 'n' {
		return nil, false
	}
	if inner, has := v.Get("paths"); has {
		v = inner
	}
	if k := v.Kind(); k != '"' && k != '[' {
		l.Report(v, ruleType.Report("%q is %s, want a path or a list of paths; Copilot loads nothing for it", field, v.Found()))
		return nil, false
	}
	var out []place
	for _, e := range v.OneOrMore() {
		p, ok := l.Resolve(e, field, "")
		switch {
		case !ok:
		case p != "" && l.Tree.Lookup(p) == nil && !l.Tree.HasDir(p):
			l.missing(e, field)
		default:
			out = append(out, place{p, e})
		}
	}
	return out, true
}

// servers lists the MCP servers of every file and of `mcpServers`. 1.0.102 reads
// the first of .mcp.json, .github/mcp.json and the field; the others are listed
// all the same, since they count when that one goes away.
func (l *loader) servers(own component.Fields) {
	first := ""
	for _, p := range serverFiles() {
		if l.Tree.Lookup(p) == nil {
			continue
		}
		l.ServerFile(p)
		if first == "" {
			first = p
		}
	}
	v, ok := own.Get("mcpServers")
	if !ok || v.Kind() == 'n' {
		return
	}
	if first != "" {
		l.Report(v, ruleShadowed.Report("\"mcpServers\" is ignored, because there is %s", first))
	}
	switch v.Kind() {
	case '{':
		l.Servers(v, problem.Warning)
	case '"':
		l.file(v, "mcpServers", l.ServerFile)
	default:
		l.Report(v, ruleType.Report("\"mcpServers\" is %s, want a path or an object; Copilot ignores it", v.Found()))
	}
}

// serverFault returns what keeps Copilot 1.0.102 from taking a server, and where.
func serverFault(s component.Value) (why string, at component.Value) {
	if s.Kind() != '{' {
		return "is " + s.Found() + ", want an object", s
	}
	typ, hasType := s.Get("type")
	command, _ := s.Get("command")
	link, hasURL := s.Get("url")
	remote := slices.Contains([]string{"http", "sse"}, typ.Text())
	switch {
	case hasType && !remote && typ.Text() != "local" && typ.Text() != "stdio":
		return "has a \"type\" other than local, stdio, http and sse", typ
	case remote && link.Kind() != '"':
		return "needs a \"url\"", s
	case remote, hasURL && link.Kind() == '"' && command.Kind() == 0:
		if !component.IsURL(link.Text()) && !strings.Contains(link.Text(), "${") {
			return "has a \"url\" that is none", link
		}
	case command.Kind() != '"':
		return "needs a \"command\"", s
	}
	for _, m := range s.Members() {
		switch m.Key {
		case "args", "tools":
			if _, ok := m.Texts(); !ok {
				return "has \"" + m.Key + "\" that are no list of strings", m.Value
			}
		case "env", "headers":
			if !m.TextMap() {
				return "has \"" + m.Key + "\" that is not text", m.Value
			}
		}
	}
	return "", s
}

// lsp lists the language servers of the files and of `lspServers`.
func (l *loader) lsp(own component.Fields) {
	for _, p := range lspFiles() {
		if l.Tree.Lookup(p) != nil {
			l.lspFile(p)
		}
	}
	v, ok := own.Get("lspServers")
	switch {
	case !ok || v.Kind() == 'n':
	case v.Kind() == '{':
		l.lspServers(v)
	case v.Kind() == '"':
		l.file(v, "lspServers", l.lspFile)
	default:
		l.Report(v, ruleType.Report("\"lspServers\" is %s, want a path or an object; Copilot ignores it", v.Found()))
	}
}

func (l *loader) lspFile(p string) {
	root, ok := l.JSON(p, manifest.LSPComponent, component.Lenient())
	if !ok {
		return
	}
	if inner, ok := root.Get("lspServers"); ok {
		root = inner
	}
	l.lspServers(root)
}

func (l *loader) lspServers(v component.Value) {
	for _, s := range v.Members() {
		command, _ := s.Get("command")
		if command.Text() == "" {
			l.Report(s.Value, ruleLSP.Report("the language server %q needs a \"command\"", component.Clip(s.Key)))
			continue
		}
		l.Component(manifest.Component{Type: manifest.LSPComponent, Name: s.Key, Path: v.File(), Detail: component.ServerDetail(s.Value)})
		l.Program(command)
	}
}

// file reads the file that a field names.
func (l *loader) file(v component.Value, field string, read func(string)) {
	p, ok := l.Resolve(v, field, "")
	switch {
	case !ok:
	case l.Tree.Lookup(p) == nil:
		l.missing(v, field)
	default:
		read(p)
	}
}

// missing reports a path that is not in the package; Copilot goes on without.
func (l *loader) missing(v component.Value, field string) {
	if !l.Tree.Partial {
		l.Report(v, ruleMissingPath.Report("the path %q in %q is not in the package", component.Clip(v.Text()), field))
	}
	l.Refused(v, field)
}
