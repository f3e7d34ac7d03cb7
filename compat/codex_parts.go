package compat

import (
	"cmp"
	stdjson "encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/tree"
)

// codexPaths are the paths of a field; a list with anything else in it is none.
func codexPaths(v any) []string {
	out := texts(v)
	if l, ok := v.([]any); ok && len(l) != len(out) {
		return nil
	}
	return out
}

// codexFill lists the components of a plugin: own are the fields of its
// manifest, or of the catalog entry.
func codexFill(j *judge, t *tree.Tree, file string, own map[string]any) {
	if file == "" {
		j.file, j.data = "", nil
		codexVersionCheck(j, own)
	}
	for _, f := range t.Files {
		if f.Link != "" {
			j.report(codexLinks, place{file: f.Path}, "it leaves out the symbolic link %q", clip(f.Path))
		}
	}
	var roots []string
	for _, p := range codexPaths(own["skills"]) {
		if dir, ok := codexResolve(j, "skills", p); ok && !slices.Contains(roots, dir) {
			roots = append(roots, dir)
		}
	}
	if len(roots) == 0 { // else they replace the directory
		roots = []string{"skills"}
	}
	for _, dir := range roots {
		codexSkills(j, t, dir)
	}
	if called := text(own[codexCalled]); called != "" {
		for i := range j.components {
			j.components[i].Name = called + ":" + j.components[i].Name
		}
	}
	codexCommands(j, t, own)
	codexHookSources(j, t, own)
	codexServerSources(j, t, own)
}

func (j *judge) component(c manifest.Component) {
	if !slices.Contains(j.components, c) {
		j.components = append(j.components, c)
	}
}

// codexSkills lists the skills below a directory, at any depth up to six.
func codexSkills(j *judge, t *tree.Tree, dir string) {
	for _, f := range t.Under(dir) {
		if base(f.Path) == "SKILL.md" && f.Link == "" && strings.Count(strings.TrimPrefix(f.Path, dir), "/") <= 7 && !hiddenBelow(f.Path, dir) {
			if name, ok := codexSkillFile(j, f); ok {
				j.component(manifest.Component{Type: manifest.SkillComponent, Name: name, Path: f.Path})
			}
		}
	}
}

// hiddenBelow reports whether a directory between dir and the file is hidden.
func hiddenBelow(p, dir string) bool {
	return strings.Contains(strings.TrimPrefix(p, dir), "/.")
}

// codexSkillFile returns the name of a skill, or reports why it is left out.
func codexSkillFile(j *judge, f tree.File) (string, bool) {
	s := readSkill(f.Data)
	mended := s.mend()
	name := s.name
	if name == "" {
		name = base(path.Dir(f.Path))
	}
	why := ""
	switch {
	case !s.front || !s.first:
		why = "its first line does not begin the frontmatter"
	case s.broken && !mended:
		why = "its frontmatter is no YAML"
	case s.description == "":
		why = "it has no description"
	case len([]rune(name)) > 64:
		why = "its name has more than 64 characters"
	case !s.fits():
		why = "a value of its frontmatter has another type than Codex wants"
	}
	if why != "" {
		j.report(codexSkill, place{file: f.Path, line: 1, column: 1}, "it leaves the skill out: %s", why)
		return "", false
	}
	return name, true
}

// codexCommands lists the commands, of which an installation makes skills: those
// with a description and without anything that only a command can have.
func codexCommands(j *judge, t *tree.Tree, own map[string]any) {
	type found struct{ name, path string }
	var all []found
	take := func(dir string, f tree.File) {
		rel, ok := strings.CutSuffix(strings.TrimPrefix(strings.TrimPrefix(f.Path, dir), "/"), ".md")
		s := readSkill(f.Data)
		if ok && f.Link == "" && base(rel) != "README" && s.first && !s.broken && s.description != "" && !commandOnly(string(f.Data)) {
			all = append(all, found{slug(rel), f.Path})
		}
	}
	for _, p := range codexCommandPaths(j, own) {
		if f := t.Lookup(p); f != nil {
			take(path.Dir(p), *f)
			continue
		}
		for _, f := range t.Under(p) {
			take(p, f)
		}
	}
	for _, c := range all {
		// Two of one name are both left out.
		twice := slices.ContainsFunc(all, func(o found) bool { return o.name == c.name && o.path != c.path })
		if !twice && len("source-command-"+c.name) <= 64 {
			j.component(manifest.Component{Type: manifest.CommandComponent, Name: c.name, Path: c.path})
		}
	}
}

// codexCommandPaths are the directory commands, or what the manifest has in its
// place.
func codexCommandPaths(j *judge, own map[string]any) (out []string) {
	v, ok := own["commands"]
	if !ok {
		return []string{"commands"}
	}
	for _, p := range texts(v) {
		if r, ok := codexResolve(j, "commands", p); ok {
			out = append(out, r)
		}
	}
	return out
}

// commandOnly reports whether a command takes arguments, or runs or reads
// something, which no skill can.
func commandOnly(body string) bool {
	numbered := false
	for i := 0; i+1 < len(body); i++ {
		numbered = numbered || body[i] == '$' && body[i+1] >= '0' && body[i+1] <= '9'
	}
	reads := slices.ContainsFunc(strings.Fields(body), func(w string) bool { return len(w) > 1 && w[0] == '@' })
	return numbered || reads || strings.Contains(body, "$ARGUMENTS") || strings.Contains(body, "!`") || strings.Contains(body, "! `") ||
		strings.Contains(body, "{{") && strings.Contains(body, "}}")
}

// slug is a name of lower-case letters, digits and dashes.
func slug(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
			dash = false
		case !dash:
			b.WriteByte('-')
			dash = true
		}
	}
	return strings.Trim(b.String(), "-")
}

func codexHookSources(j *judge, t *tree.Tree, own map[string]any) {
	file := func(p string) {
		f := regular(t, p)
		if f == nil {
			return
		}
		v, found := parse(f.Data)
		q, bad := broken(found, badSyntax, badEncoding, hasBOM)
		if why := codexHooksFault(v); bad || why != "" {
			j.report(codexHooks, place{file: p, line: max(q.Line, 1), column: max(q.Column, 1)}, "it does not load the hooks file: %s", cmp.Or(q.Message, why))
			return
		}
		j.hookEvents(p, object(v)["hooks"], codexEvents(), codexHandler)
	}
	switch h := own["hooks"].(type) {
	case string:
		if p, ok := codexResolve(j, "hooks", h); ok {
			file(p)
			return
		}
	case []any:
		paths := texts(h)
		if len(paths) == len(h) && len(h) > 0 {
			any := false
			for _, p := range paths {
				if r, ok := codexResolve(j, "hooks", p); ok {
					file(r)
					any = true
				}
			}
			if any {
				return
			}
			break
		}
		if len(h) > 0 && !slices.ContainsFunc(h, func(e any) bool { return codexHooksFault(e) != "" }) {
			for _, e := range h {
				j.hookEvents("", object(e)["hooks"], codexEvents(), codexHandler)
			}
			return
		}
	case map[string]any:
		// An object without "hooks" is read as one without hooks.
		if codexHooksFault(h) == "" {
			j.hookEvents("", h["hooks"], codexEvents(), codexHandler)
			return
		}
	}
	file("hooks/hooks.json")
}

// codexHooksFault returns why an object of hooks is refused as a whole, or "".
func codexHooksFault(v any) string {
	o, ok := v.(map[string]any)
	if !ok {
		return "it is " + kindOf(v) + ", want an object"
	}
	for key := range o {
		if key != "hooks" && key != "description" {
			return "it has the unknown key " + quoted([]any{key})
		}
	}
	hooks, there := o["hooks"]
	if !there {
		return ""
	}
	events, ok := hooks.(map[string]any)
	if !ok {
		return "\"hooks\" is " + kindOf(hooks) + ", want an object"
	}
	whole := func(v any) ([]any, string) {
		if n, ok := v.(stdjson.Number); !ok || strings.ContainsAny(string(n), ".-eE") {
			return nil, "a whole number"
		}
		return nil, ""
	}
	handler := func(v any) ([]any, string) {
		needs := map[string][]member{
			"command":  {required("command", isText), optional("timeout", nullable(whole))},
			"mcp_tool": {required("server", isText), required("tool", isText)},
			"prompt":   nil, "agent": nil,
		}
		members, known := needs[text(object(v)["type"])]
		if !known {
			return nil, "a hook of a type that it knows"
		}
		return objectOf(members...)(v)
	}
	matchers := listOf(objectOf(optional("matcher", nullable(isText)), optional("hooks", listOf(handler))))
	for event, list := range events {
		if !slices.Contains(codexEvents(), event) {
			continue
		}
		if at, want := matchers(list); want != "" {
			return quoted(append([]any{event}, at...)) + " is not " + want
		}
	}
	return ""
}

// hookEvents lists the events of an object of hooks that have a handler which
// the host takes, in their order of known names.
func (j *judge) hookEvents(file string, v any, known []string, takes func(any) bool) {
	for _, event := range known {
		list, _ := object(v)[event].([]any)
		taken := slices.ContainsFunc(list, func(m any) bool {
			if p := text(object(m)["matcher"]); p != "" && p != "*" {
				if _, err := regexp.Compile(p); err != nil {
					return false
				}
			}
			handlers, _ := object(m)["hooks"].([]any)
			return slices.ContainsFunc(handlers, takes)
		})
		if taken {
			j.component(manifest.Component{Type: manifest.HookComponent, Name: event, Path: file})
		}
	}
}

func codexEvents() []string {
	return []string{
		"PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit",
		"SubagentStart", "SubagentStop", "Stop", "SessionEnd",
	}
}

func codexHandler(v any) bool {
	h := object(v)
	return text(h["type"]) == "mcp_tool" || text(h["type"]) == "command" && strings.TrimSpace(text(h["command"])) != ""
}

func codexServerSources(j *judge, t *tree.Tree, own map[string]any) {
	add := func(file string, servers map[string]any) {
		for name, s := range servers {
			if why := codexServerFault(s); why != "" {
				j.report(codexServers, place{file: file}, "it drops the server %q: %s", clip(name), why)
				continue
			}
			j.component(manifest.Component{Type: manifest.ServerComponent, Name: name, Path: file})
		}
	}
	file := func(p string) {
		f := t.Lookup(p)
		if f == nil || f.Link != "" {
			return
		}
		v, found := parse(f.Data)
		q, bad := broken(found, badSyntax, badEncoding, hasBOM)
		doc, isObject := v.(map[string]any)
		if bad || !isObject {
			j.report(codexServers, place{file: p, line: max(q.Line, 1), column: max(q.Column, 1)}, "it does not load the file of servers")
			return
		}
		if servers, ok := doc["mcpServers"].(map[string]any); ok {
			add(p, servers)
			return
		}
		add(p, doc)
	}
	switch m := own["mcpServers"].(type) {
	case string:
		if p, ok := codexResolve(j, "mcpServers", m); ok {
			file(p)
			return
		}
	case map[string]any:
		if inner, ok := m["mcpServers"].(map[string]any); ok {
			m = inner
		}
		add("", m)
		return
	}
	file(".mcp.json")
}

// codexServerFault returns why Codex drops a server, or "".
func codexServerFault(v any) string {
	o, ok := v.(map[string]any)
	if !ok {
		return "it is " + kindOf(v) + ", want an object"
	}
	_, hasCommand := o["command"].(string)
	_, hasURL := o["url"].(string)
	if hasCommand == hasURL {
		return "it needs either a command or a url"
	}
	if at, want := objectOf(optional("args", nullable(listOf(isText))), optional("env", nullable(mapOf(isText))), optional("cwd", nullable(isText)), optional("tools", nullable(objectOf())))(v); want != "" {
		return quoted(at) + " is not " + want
	}
	return ""
}
