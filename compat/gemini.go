package compat

import (
	"strings"

	"pinion/manifest"
	"pinion/tree"
)

// geminiHost is the Gemini CLI with its extensions. Its rules were tried with
// 0.61.0.
func geminiHost() *host {
	return &host{
		name: Gemini, title: "Gemini CLI",
		first: Version{0, 61, 0}, newest: Version{0, 61, 0},
		rules: []rule{geminiNothing, geminiManifest, geminiName, geminiContext, geminiSkill, geminiHooks},
		pkg:   geminiPackage,
	}
}

const (
	geminiFile  = "gemini-extension.json"
	geminiTried = "tried with Gemini CLI 0.61.0"
)

var (
	geminiNothing = rule{
		id: "nothing", effect: note,
		title: "Nothing that Gemini CLI loads", help: "An extension has gemini-extension.json at its top. A SKILL.md at the top is a skill.",
		fix: "add gemini-extension.json with a name and a version", evidence: geminiTried + ", extensions validate",
	}
	geminiManifest = rule{
		id: "manifest", effect: fatal,
		title: "An extension that Gemini CLI refuses", help: "gemini-extension.json is JSON, with comments allowed, and has a name and a version.",
		fix: "correct gemini-extension.json", evidence: geminiTried + ", extensions validate and install",
	}
	geminiName = rule{
		id: "name", effect: fatal,
		title: "A name that Gemini CLI refuses", help: "Names have letters, digits and dashes.",
		fix: "choose a name like release-notes", evidence: geminiTried + ", extensions validate",
	}
	geminiContext = rule{
		id: "context-file", effect: part,
		title: "A context file that is not there", help: "contextFileName names files of the extension; the validator refuses a missing one, an installation goes on without it.",
		fix: "add the file", evidence: geminiTried + ", extensions validate and list",
	}
	geminiSkill = rule{
		id: "skill", effect: part,
		title: "A skill that Gemini CLI does not load", help: "A skill needs frontmatter with a name and a description.",
		fix: "correct the frontmatter", evidence: geminiTried + ", extensions list",
	}
	geminiHooks = rule{
		id: "hooks", effect: part,
		title: "Hooks that Gemini CLI does not load", help: "hooks/hooks.json is an object with an object \"hooks\".",
		fix: "correct the file", evidence: geminiTried + ", extensions list",
	}
)

func geminiPackage(j *judge, t *tree.Tree, in Place) {
	f := t.Lookup(geminiFile)
	if f == nil {
		if s := t.Lookup("SKILL.md"); s != nil && t.Lookup(".claude-plugin/plugin.json") == nil {
			if !geminiSkillFile(j, *s) {
				j.found[len(j.found)-1].effect = fatal
			}
			return
		}
		j.unread = true
		j.report(geminiNothing, whole(), "there is no %s", geminiFile)
		return
	}
	j.file, j.data = geminiFile, f.Data
	v, found := parse(f.Data)
	if p, bad := broken(found, badSyntax, hasBOM); bad {
		j.report(geminiManifest, place{file: geminiFile, line: p.Line, column: p.Column}, "it does not install the extension: %s", p.Message)
		return
	}
	own, ok := v.(map[string]any)
	if !ok {
		j.report(geminiManifest, j.in(), "it does not install the extension: the manifest is %s, want an object", kindOf(v))
		return
	}
	for _, m := range []member{required("name", filled), required("version", filled)} {
		j.check(geminiManifest, -1, own, m, "it does not install the extension")
	}
	if name := text(own["name"]); name != "" && !only(name, "-") {
		j.report(geminiName, j.in("name"), "it refuses the name %q", clip(name))
	}
	contexts := texts(own["contextFileName"])
	if len(contexts) == 0 {
		contexts = []string{"GEMINI.md"}
	}
	for _, c := range contexts {
		if p := inside(c); t.Lookup(p) != nil {
			j.component(manifest.Component{Type: manifest.OtherComponent, Name: p, Path: p, Detail: "context"})
		} else if own["contextFileName"] != nil {
			j.report(geminiContext, j.in("contextFileName"), "the context file %q is not there", clip(c))
		}
	}
	for name := range object(own["mcpServers"]) {
		j.component(manifest.Component{Type: manifest.ServerComponent, Name: name, Path: geminiFile})
	}
	for _, f := range t.Under("skills") {
		if base(f.Path) == "SKILL.md" && strings.Count(f.Path, "/") <= 2 {
			geminiSkillFile(j, f)
		}
	}
	for _, f := range t.Under("agents") {
		if strings.HasSuffix(f.Path, ".md") && strings.Count(f.Path, "/") == 1 && !strings.HasPrefix(base(f.Path), "_") {
			if s := readSkill(f.Data); s.front && !s.broken && s.name != "" && s.description != "" {
				j.component(manifest.Component{Type: manifest.AgentComponent, Name: s.name, Path: f.Path})
			}
		}
	}
	for _, f := range t.Under("commands") {
		if name, ok := strings.CutSuffix(f.Path, ".toml"); ok {
			name = strings.ReplaceAll(strings.TrimPrefix(name, "commands/"), "/", ":")
			j.component(manifest.Component{Type: manifest.CommandComponent, Name: name, Path: f.Path})
		}
	}
	if t.Lookup("hooks/hooks.json") != nil {
		doc := object(document(t, "hooks/hooks.json", badSyntax, hasBOM))
		hooks, ok := doc["hooks"].(map[string]any)
		if !ok {
			j.report(geminiHooks, place{file: "hooks/hooks.json", line: 1, column: 1}, "it loads no hooks from the file")
		}
		for event := range hooks {
			j.component(manifest.Component{Type: manifest.HookComponent, Name: event, Path: "hooks/hooks.json"})
		}
	}
}

func geminiSkillFile(j *judge, f tree.File) bool {
	s := readSkill(f.Data)
	if !s.front || s.name == "" || s.description == "" {
		j.report(geminiSkill, place{file: f.Path, line: 1, column: 1}, "it leaves the skill out, whose frontmatter has no name or no description")
		return false
	}
	j.component(manifest.Component{Type: manifest.SkillComponent, Name: s.name, Path: f.Path})
	return true
}
