package claude

import (
	"path"
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/problem"
)

// defaults lists what lies at the places where the host looks by itself.
func (l *loader) defaults(own, fromEntry fields) {
	l.defaultSkills(own, fromEntry)
	for _, d := range []struct {
		field, dir string
		read       func(dir string)
	}{
		{"commands", "commands", l.commandDir},
		{"agents", "agents", l.agentDir},
		{"outputStyles", "output-styles", l.styleDir},
		{"workflows", "workflows", l.workflowDir},
		{"", "themes", l.themeDir},
	} {
		switch {
		case !l.t.HasDir(d.dir):
		case d.field != "" && own.has(d.field):
			if v, _ := own.get(d.field); !namesDir(v, d.dir) {
				l.report(v, ruleShadowed.Report("the directory %q is ignored, because the manifest sets %q", d.dir, d.field))
			}
		default:
			d.read(d.dir)
		}
	}
	if l.t.Lookup(autoHooks) != nil {
		l.hooksFile(autoHooks)
	}
	if l.t.Lookup(".mcp.json") != nil {
		l.serverFile(".mcp.json")
	}
	if l.t.Lookup(".lsp.json") != nil {
		l.lspFile(".lsp.json")
	}
	if l.t.Lookup("monitors/monitors.json") != nil {
		l.monitorFile("monitors/monitors.json")
	}
	if l.t.Lookup("settings.json") != nil {
		l.settingsFile("settings.json")
	}
}

// namesDir reports whether a path field names dir itself, or something in it.
func namesDir(v value, dir string) bool {
	return slices.ContainsFunc(oneOrMore(v), func(e value) bool {
		p := inside(e.text())
		return p == dir || strings.HasPrefix(p, dir+"/")
	})
}

// components lists what a manifest's or an entry's fields declare.
func (l *loader) components(f fields) {
	for _, m := range f.list {
		switch m.key {
		case "skills":
			for _, e := range l.pathList(m.value, "skills") {
				l.declaredSkills(e)
			}
		case "commands":
			l.declaredCommands(m.value)
		case "agents":
			for _, e := range l.pathList(m.value, "agents") {
				if p, ok := l.existing(e, "agents", ".md"); ok {
					l.agent(p, "")
				}
			}
		case "hooks":
			l.declaredHooks(m.value)
		case "mcpServers":
			l.declaredServers(m.value)
		case "lspServers":
			l.declaredLSP(m.value)
		case "outputStyles":
			l.declaredFiles(m.value, "outputStyles", l.styleDir, l.style)
		case "workflows":
			l.declaredFiles(m.value, "workflows", l.workflowDir, l.workflow)
		case "themes", "monitors":
			if !f.entry {
				l.reportKey(m.value, ruleUnknown.Report("%q is experimental; declare it in \"experimental\"", m.key).WithFix("move it into \"experimental\""))
			}
			l.experimental(m.key, m.value)
		case "experimental":
			l.experimentals(m.value)
		case "settings":
			if m.kind() != '{' {
				l.report(m.value, ruleType.Report("\"settings\" is %s, want an object", m.found()))
			}
			l.settings(m.value)
		case "userConfig":
			l.userConfig(m.value, "userConfig")
		case "channels":
			l.channels(m.value)
		}
	}
}

// pathList returns the elements of a field that is a path or a list of paths.
func (l *loader) pathList(v value, field string) []value {
	if k := v.kind(); k != '"' && k != '[' {
		l.report(v, ruleType.Report("%q is %s, want a path or a list of paths", field, v.found()))
		return nil
	}
	return oneOrMore(v)
}

// declaredFiles reads a field of files and directories.
func (l *loader) declaredFiles(v value, field string, dir, file func(string)) {
	for _, e := range l.pathList(v, field) {
		p, ok := l.existing(e, field, "")
		switch {
		case !ok:
		case l.t.Lookup(p) != nil:
			file(p)
		default:
			dir(p)
		}
	}
}

// under returns the files below dir whose name has the ending; dir "" is the
// package.
func (l *loader) under(dir, ending string) []string {
	files := l.t.Files
	if dir != "" {
		files = l.t.Under(dir)
	}
	var out []string
	for _, f := range files {
		if strings.HasSuffix(f.Path, ending) {
			out = append(out, f.Path)
		}
	}
	return out
}

func (l *loader) styleDir(dir string) {
	for _, p := range l.under(dir, ".md") {
		l.style(p)
	}
}

func (l *loader) style(p string) { l.other(p, l.frontName(p), "output style") }

func (l *loader) themeDir(dir string) {
	for _, p := range l.under(dir, ".json") {
		l.theme(p)
	}
}

func (l *loader) theme(p string) { l.other(p, stem(p), "theme") }

func (l *loader) workflowDir(dir string) {
	for _, p := range l.under(dir, "") {
		switch path.Ext(p) {
		case ".js", ".mjs", ".cjs", ".ts", ".mts":
			l.workflow(p)
		}
	}
}

// workflow is a script that the host runs.
func (l *loader) workflow(p string) {
	l.component(manifest.Component{Type: manifest.ProgramComponent, Name: stem(p), Path: p, Detail: "workflow"})
}

func (l *loader) other(p, name, what string) {
	l.component(manifest.Component{Type: manifest.OtherComponent, Name: name, Path: p, Detail: what})
}

// frontName is the name in a Markdown file's frontmatter, else the file's.
func (l *loader) frontName(p string) string {
	front, _ := agentskill.Front(p, l.data(p))
	if f, ok := front.Get("name"); ok && f.Value != "" {
		return f.Value
	}
	return stem(p)
}

func (l *loader) data(p string) []byte {
	if f := l.t.Lookup(p); f != nil {
		return f.Data
	}
	return nil
}

func stem(p string) string {
	b := base(p)
	return strings.TrimSuffix(b, path.Ext(b))
}

// misplaced reports components at places where no host looks.
func (l *loader) misplaced() {
	for _, dir := range []string{"skills", "commands", "agents", "hooks"} {
		if files := l.t.Under(".claude-plugin/" + dir); len(files) > 0 {
			l.add(ruleMisplaced.Report("%q lies in .claude-plugin, where the host does not look", dir).At(files[0].Path, 1, 1).
				WithFix("move %s to the plugin's own directory; only plugin.json belongs in .claude-plugin", dir))
		}
	}
	if l.t.Lookup("CLAUDE.md") != nil {
		l.add(ruleMisplaced.Report("CLAUDE.md in a plugin is not loaded").At("CLAUDE.md", 1, 1).WithFix("put what it says into a skill"))
	}
	for _, f := range l.t.Under("skills") {
		if _, listed := l.skills[f.Path]; base(f.Path) == "SKILL.md" && !listed && strings.Count(f.Path, "/") > 2 {
			l.add(ruleMisplaced.Report("%q lies deeper than hosts look for skills", f.Path).At(f.Path, 1, 1).As(problem.Note).
				WithFix("move its directory directly into skills/"))
		}
	}
}
