package claude

import (
	"path"
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/manifest/component"
	"pinion/problem"
)

// defaultSkills lists skills/, or the SKILL.md at the top of a plugin that has
// no other skills.
func (l *loader) defaultSkills(own, fromEntry component.Fields) {
	if l.Tree.HasDir("skills") {
		l.SkillDir("skills")
		return
	}
	if !own.Has("skills") && !fromEntry.Has("skills") {
		l.Skill("SKILL.md", "")
	}
}

// defaults lists what lies at the places where the host looks by itself.
func (l *loader) defaults(own, fromEntry component.Fields) {
	l.defaultSkills(own, fromEntry)
	for _, d := range []struct {
		field, dir string
		read       func(dir string)
	}{
		{"commands", "commands", l.CommandDir},
		{"agents", "agents", l.AgentDir},
		{"outputStyles", "output-styles", l.styleDir},
		{"workflows", "workflows", l.workflowDir},
		{"", "themes", l.themeDir},
	} {
		switch {
		case !l.Tree.HasDir(d.dir):
		case d.field != "" && own.Has(d.field):
			if v, _ := own.Get(d.field); !namesDir(v, d.dir) {
				l.Report(v, ruleShadowed.Report("the directory %q is ignored, because the manifest sets %q", d.dir, d.field))
			}
		default:
			d.read(d.dir)
		}
	}
	if l.Tree.Lookup("hooks/hooks.json") != nil {
		l.HooksFile("hooks/hooks.json")
	}
	if l.Tree.Lookup(".mcp.json") != nil {
		l.ServerFile(".mcp.json")
	}
	if l.Tree.Lookup(".lsp.json") != nil {
		l.LSPFile(".lsp.json")
	}
	if l.Tree.Lookup("monitors/monitors.json") != nil {
		l.monitorFile("monitors/monitors.json")
	}
	if l.Tree.Lookup("settings.json") != nil {
		l.settingsFile("settings.json")
	}
}

// namesDir reports whether a path field names dir itself, or something in it.
func namesDir(v component.Value, dir string) bool {
	return slices.ContainsFunc(v.OneOrMore(), func(e component.Value) bool {
		p := component.Inside(e.Text())
		return p == dir || strings.HasPrefix(p, dir+"/")
	})
}

// components lists what a manifest's or an entry's fields declare.
func (l *loader) components(f component.Fields) {
	for _, m := range f.List {
		switch m.Key {
		case "skills":
			for _, e := range l.PathList(m.Value, "skills") {
				l.DeclaredSkills(e)
			}
		case "commands":
			l.DeclaredCommands(m.Value)
		case "agents":
			for _, e := range l.PathList(m.Value, "agents") {
				if p, ok := l.Existing(e, "agents", ".md"); ok {
					l.Agent(p, "")
				}
			}
		case "hooks":
			l.hooks(m.Value)
		case "mcpServers":
			l.DeclaredServers(m.Value)
		case "lspServers":
			l.DeclaredLSP(m.Value)
		case "outputStyles":
			l.declaredFiles(m.Value, "outputStyles", l.styleDir, l.style)
		case "workflows":
			l.declaredFiles(m.Value, "workflows", l.workflowDir, l.workflow)
		case "themes", "monitors":
			if !f.Entry {
				l.ReportKey(m.Value, ruleUnknown.Report("%q is experimental; declare it in \"experimental\"", m.Key).WithFix("move it into \"experimental\""))
			}
			l.experimental(m.Key, m.Value)
		case "experimental":
			l.experimentals(m.Value)
		case "settings":
			if m.Kind() != '{' {
				l.Report(m.Value, ruleType.Report("\"settings\" is %s, want an object", m.Found()))
			}
			l.settings(m.Value)
		case "userConfig":
			l.userConfig(m.Value, "userConfig")
		case "channels":
			l.channels(m.Value)
		}
	}
}

// hooks reads `hooks`; a catalog entry cannot name files.
func (l *loader) hooks(v component.Value) {
	if v.InEntry() && v.Kind() != '{' {
		l.Report(v, ruleHooks.Report("\"hooks\" is %s; an entry can only hold the hooks themselves", v.Found()).
			WithFix("write the object of events into the entry, or move it to hooks/hooks.json in the package").Survived())
	}
	l.DeclaredHooks(v)
}

// declaredFiles reads a field of files and directories.
func (l *loader) declaredFiles(v component.Value, field string, dir, file func(string)) {
	for _, e := range l.PathList(v, field) {
		p, ok := l.Existing(e, field, "")
		switch {
		case !ok:
		case l.Tree.Lookup(p) != nil:
			file(p)
		default:
			dir(p)
		}
	}
}

func (l *loader) styleDir(dir string) {
	for _, p := range l.Under(dir, ".md") {
		l.style(p)
	}
}

func (l *loader) style(p string) { l.other(p, l.FrontName(p), "output style") }

func (l *loader) themeDir(dir string) {
	for _, p := range l.Under(dir, ".json") {
		l.theme(p)
	}
}

func (l *loader) theme(p string) { l.other(p, component.Stem(p), "theme") }

func (l *loader) workflowDir(dir string) {
	for _, p := range l.Under(dir, "") {
		switch path.Ext(p) {
		case ".js", ".mjs", ".cjs", ".ts", ".mts":
			l.workflow(p)
		}
	}
}

// workflow is a script that the host runs.
func (l *loader) workflow(p string) {
	l.Component(manifest.Component{Type: manifest.ProgramComponent, Name: component.Stem(p), Path: p, Detail: "workflow"})
}

func (l *loader) other(p, name, what string) {
	l.Component(manifest.Component{Type: manifest.OtherComponent, Name: name, Path: p, Detail: what})
}

// misplaced reports components at places where no host looks.
func (l *loader) misplaced() {
	for _, dir := range []string{"skills", "commands", "agents", "hooks"} {
		if files := l.Tree.Under(".claude-plugin/" + dir); len(files) > 0 {
			l.Add(ruleMisplaced.Report("%q lies in .claude-plugin, where the host does not look", dir).At(files[0].Path, 1, 1).
				WithFix("move %s to the plugin's own directory; only plugin.json belongs in .claude-plugin", dir))
		}
	}
	if l.Tree.Lookup("CLAUDE.md") != nil {
		l.Add(ruleMisplaced.Report("CLAUDE.md in a plugin is not loaded").At("CLAUDE.md", 1, 1).WithFix("put what it says into a skill"))
	}
	for _, f := range l.Tree.Under("skills") {
		if component.Base(f.Path) == "SKILL.md" && !l.Read(f.Path) && strings.Count(f.Path, "/") > 2 {
			l.Add(ruleMisplaced.Report("%q lies deeper than hosts look for skills", f.Path).At(f.Path, 1, 1).As(problem.Note).
				WithFix("move its directory directly into skills/"))
		}
	}
}
