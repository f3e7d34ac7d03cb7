package gemini

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/component"
	"pinion/problem"
)

// skills lists skills/SKILL.md and those of the directories directly below
// skills/. A skill at the top of the extension is not loaded.
func (l *loader) skills() {
	for _, f := range l.Tree.Under("skills") {
		rest := strings.TrimPrefix(f.Path, "skills/")
		dir, name, nested := strings.Cut(rest, "/")
		switch {
		case rest == "SKILL.md" || nested && name == "SKILL.md":
			l.Skill(f.Path, "")
		case nested && name == "skill.md" && l.Tree.Lookup("skills/"+dir+"/SKILL.md") == nil:
			l.Skill(f.Path, "") // found where the file system ignores case
			l.Add(agentskill.LowerCase(f.Path))
		}
	}
}

// agents lists the files directly in agents/; names with "_" in front are left
// out by the host.
func (l *loader) agents() {
	for _, p := range l.Under("agents", ".md") {
		if strings.Count(p, "/") == 1 && !strings.HasPrefix(component.Base(p), "_") {
			l.agent(p)
		}
	}
}

// agentKeys are the keys of an agent; the host does not load one with others.
func agentKeys() []string {
	return []string{
		"kind", "name", "description", "display_name", "tools", "mcp_servers", "model", "temperature", "max_turns", "timeout_mins",
		"auth", "agent_card_url", "agent_card_json",
	}
}

// agent lists one agent with the servers of its own. The host warns about what
// it does not understand and loads the extension without that agent.
func (l *loader) agent(p string) {
	front, found := agentskill.Front(p, l.Data(p))
	l.AddAll(found)
	fault := func(line, col int, format string, args ...any) {
		l.Add(ruleAgent.Report(format, args...).At(p, max(line, 1), max(col, 1)))
	}
	name, _ := front.Get("name")
	about, _ := front.Get("description")
	card, remote := front.Get("agent_card_url")
	_, inline := front.Get("agent_card_json")
	switch {
	case !front.Found:
		fault(1, 1, "the agent has no frontmatter; the host does not load it")
	case name.Value == "" || strings.Trim(name.Value, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
		fault(name.ValueLine, name.ValueColumn, "the agent has no name of lower case letters, digits, - and _; the host does not load it")
	case about.Value == "" && !remote && !inline:
		fault(1, 1, "the agent has no description; the host does not load it")
	}
	for _, f := range front.Fields {
		if !slices.Contains(agentKeys(), f.Key) {
			fault(f.Line, f.Column, "unknown key %q; the host does not load the agent", component.Clip(f.Key))
		}
	}
	called := name.Value
	if called == "" {
		called = component.Stem(p)
	}
	detail := ""
	if tools, _ := front.Get("tools"); len(tools.List) > 0 {
		detail = "tools: " + strings.Join(tools.List, ", ")
	}
	if remote {
		detail = "remote agent " + card.Value
	}
	l.Component(manifest.Component{Type: manifest.AgentComponent, Name: called, Path: p, Detail: detail})
	for _, s := range agentskill.Servers(p, front) {
		l.Component(s)
	}
	for _, h := range agentskill.Hooks(p, front) { // the host has none, but another one may
		l.Component(h)
	}
}

// commands lists the files below commands/.
func (l *loader) commands() {
	for _, p := range l.Under("commands", ".toml") {
		var def map[string]any
		holds := manifest.CommandComponent
		if bytes.Contains(l.Data(p), []byte("!{")) || bytes.Contains(l.Data(p), []byte(`\`)) {
			holds = manifest.HookComponent // shell, as it stands or in escapes
		}
		if !l.toml(p, holds, &def) {
			continue
		}
		prompt, ok := def["prompt"].(string)
		if !ok {
			l.Add(ruleCommand.Report("the command has no text \"prompt\"; the host skips it").At(p, 1, 1))
		}
		if about, has := def["description"]; has {
			if _, text := about.(string); !text {
				line, col := syntax.TOMLPosition(l.Data(p), "/description")
				l.Add(ruleCommand.Report("\"description\" is no text; the host skips the command").At(p, max(line, 1), max(col, 1)))
			}
		}
		name := strings.TrimSuffix(strings.TrimPrefix(p, "commands/"), path.Ext(p))
		l.Component(manifest.Component{Type: manifest.CommandComponent, Name: strings.ReplaceAll(name, "/", ":"), Path: p})
		for _, line := range shellLines(prompt) {
			l.Component(manifest.Component{Type: manifest.HookComponent, Name: "invoke", Path: p, Detail: line})
		}
	}
}

// shellLines returns what stands in !{…} of a prompt: shell that the host runs
// when the command is used. Braces inside are balanced.
func shellLines(prompt string) []string {
	var out []string
	for {
		_, after, ok := strings.Cut(prompt, "!{")
		if !ok {
			return out
		}
		depth, end := 1, len(after)
		for i := 0; i < len(after); i++ {
			if after[i] == '{' {
				depth++
			} else if after[i] == '}' {
				if depth--; depth == 0 {
					end = i
					break
				}
			}
		}
		if line := strings.TrimSpace(after[:end]); line != "" {
			out = append(out, strings.ToValidUTF8(line, "\ufffd"))
		}
		prompt = after[end:]
	}
}

// policies lists the rules in policies/. The host ignores those that allow
// something: an extension may only forbid and ask.
func (l *loader) policies() {
	for _, p := range l.Under("policies", ".toml") {
		if strings.Count(p, "/") != 1 {
			continue
		}
		var all map[string]any
		if !l.toml(p, manifest.OtherComponent, &all) {
			continue
		}
		for i, r := range tables(all["rule"]) {
			decision, _ := r["decision"].(string)
			line, col := syntax.TOMLPosition(l.Data(p), syntax.Pointer("rule", i))
			at := func(q problem.Problem) { l.Add(q.At(p, max(line, 1), max(col, 1))) }
			switch {
			case decision == "allow":
				at(rulePolicy.Report("a rule allows %q; the host ignores it, as extensions may only deny and ask", component.Clip(toolOf(r))))
			case decision != "deny" && decision != "ask_user":
				at(rulePolicy.Report("a rule has a decision other than deny and ask_user"))
			case r["toolName"] == nil || r["priority"] == nil:
				at(rulePolicy.Report("a rule needs \"toolName\" and \"priority\""))
			}
			l.Component(manifest.Component{Type: manifest.OtherComponent, Name: toolOf(r), Path: p, Detail: "policy " + decision})
		}
		for _, c := range tables(all["safety_checker"]) {
			l.Component(manifest.Component{Type: manifest.OtherComponent, Name: toolOf(c), Path: p, Detail: "safety checker"})
		}
	}
}

// tables returns the tables of a TOML array.
func tables(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, e := range list {
		if t, ok := e.(map[string]any); ok {
			out = append(out, t)
		}
	}
	return out
}

// toolOf names the tools of a rule.
func toolOf(rule map[string]any) string {
	switch v := rule["toolName"].(type) {
	case string:
		return v
	case []any:
		var names []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				names = append(names, s)
			}
		}
		return strings.Join(names, ", ")
	}
	return "tool"
}

// toml reads a TOML file of the package. The host skips one with a fault.
func (l *loader) toml(p string, holds manifest.ComponentType, into *map[string]any) bool {
	found := syntax.DecodeTOML(l.Data(p), into)
	for _, q := range found {
		l.Add(q.As(problem.Warning).At(p, max(q.Line, 1), max(q.Column, 1)))
	}
	if len(found) > 0 {
		l.Unread(holds, p) // the host's reader may take what this one does not
	}
	return len(found) == 0
}
