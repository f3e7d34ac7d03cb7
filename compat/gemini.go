package compat

import (
	"slices"
	"strconv"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/gemini"
	"pinion/problem"
	"pinion/tree"
)

// geminiHost is the Gemini CLI with its extensions. Its rules were tried with
// 0.61.0.
func geminiHost() *host {
	return &host{
		name: Gemini, title: "Gemini CLI",
		first: Version{0, 61, 0}, newest: Version{0, 61, 0},
		rules: []rule{geminiNothing, geminiManifest, geminiName, geminiContext, geminiSkill, geminiPart},
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
	geminiPart = rule{
		id: "part", effect: part,
		title: "A part of an extension that Gemini CLI leaves out", help: "The extension loads without this field, file, hook or server; the message names the rule of the format.",
		fix: "see the rule that the message names", evidence: geminiTried + ", extensions list",
	}
)

func geminiPackage(j *judge, t *tree.Tree, in Place) {
	f := t.Lookup(geminiFile)
	if f == nil {
		if s := t.Lookup("SKILL.md"); s != nil && t.Lookup(".claude-plugin/plugin.json") == nil {
			if !geminiSkillFile(j, *s) {
				j.found[len(j.found)-1].weigh(fatal)
			}
			return
		}
		j.unread = true
		j.report(geminiNothing, whole(), "there is no %s", geminiFile)
		return
	}
	m, found := gemini.New().Load(t, nil) // it has no catalogs
	wrong := map[string]bool{}            // the files that it leaves out
	for _, p := range found {
		r := geminiPart
		switch {
		case p.Rule == "gemini/name" && p.Severity == problem.Error:
			r = geminiName
		case p.Rule == "gemini/context-file":
			r = geminiContext
		case p.Severity == problem.Error && !p.Tolerated:
			r = geminiManifest
		case p.Severity != problem.Error && !slices.Contains([]string{"gemini/agent", "gemini/command", "gemini/policy", "gemini/field", "component/hook", "component/hook-event", "component/mcp-server"}, p.Rule):
			continue
		}
		wrong[p.File] = wrong[p.File] || p.Rule == "gemini/agent" || p.Rule == "gemini/command"
		j.report(r, at(p), "%s (%s)", p.Message, p.Rule)
	}
	own := object(document(t, geminiFile, badSyntax))
	for name := range object(own["mcpServers"]) { // also those that it cannot start
		j.component(manifest.Component{Type: manifest.ServerComponent, Name: name, Path: geminiFile})
	}
	if text, ok := own["mcpServers"].(string); ok { // of a text it takes each character for one
		for i := range len(text) {
			j.component(manifest.Component{Type: manifest.ServerComponent, Name: strconv.Itoa(i), Path: geminiFile})
		}
	}
	for _, c := range m.Components {
		switch {
		case c.Type == manifest.ServerComponent && c.Path == geminiFile:
			continue
		case c.Type == manifest.SkillComponent:
			if f := t.Lookup(c.Path); f == nil || !geminiSkillFile(j, *f) {
				continue
			}
			continue // listed by its own name
		case wrong[c.Path] && (c.Type == manifest.AgentComponent || c.Type == manifest.CommandComponent):
			continue
		}
		j.component(c)
	}
}

func geminiSkillFile(j *judge, f tree.File) bool {
	s := readSkill(f.Data)
	if !s.front || s.name == "" || s.description == "" && !s.has("description", syntax.List) {
		j.report(geminiSkill, place{file: f.Path, line: 1, column: 1}, "it leaves the skill out, whose frontmatter has no name or no description")
		return false
	}
	j.component(manifest.Component{Type: manifest.SkillComponent, Name: geminiCalled(s.name), Path: f.Path})
	return true
}

// geminiCalled is what Gemini CLI makes of a skill's name: characters that no
// file name may have become dashes.
func geminiCalled(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:/\<>*?"|`, r) {
			return '-'
		}
		return r
	}, name)
}
