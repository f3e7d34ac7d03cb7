package claude

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// experimentals reads `experimental`, which the host ignores when it is no object.
func (l *loader) experimentals(v value) {
	if v.kind() != '{' {
		l.report(v, ruleIgnored.Report("\"experimental\" is %s, want an object; the host ignores it", v.found()))
		return
	}
	for _, m := range v.members() {
		if m.key == "themes" || m.key == "monitors" {
			l.experimental(m.key, m.value)
			continue
		}
		l.unknown(member{m.key, m.value}, []string{"themes", "monitors"})
	}
}

// experimental reads one of the two components that are not settled yet.
func (l *loader) experimental(key string, v value) {
	if key == "themes" {
		l.declaredFiles(v, "themes", l.themeDir, l.theme)
		return
	}
	switch v.kind() {
	case '[':
		l.monitors(v)
	case '"':
		if p, ok := l.existing(v, "monitors", ".json"); ok {
			l.monitorFile(p)
		}
	default:
		l.report(v, ruleType.Report("\"monitors\" is %s, want a path or a list", v.found()))
	}
}

func (l *loader) monitorFile(p string) {
	root, ok := l.json(p, syntax.Options{
		AllowDuplicates: true,
		Severity:        map[string]problem.Severity{"json/encoding": problem.Warning},
	})
	if !ok {
		l.unread(manifest.MonitorComponent, p)
		return
	}
	if root.kind() != '[' {
		l.report(root, ruleMonitor.Report("the file is %s, want a list of monitors", root.found()).Survived())
		if len(root.members()) > 0 {
			l.unread(manifest.MonitorComponent, p)
		}
		return
	}
	l.monitors(root)
}

// monitors reads a list of commands that the host keeps running. It refuses a
// manifest with a monitor that it does not understand, and leaves out a file.
func (l *loader) monitors(v value) {
	report := func(at value, p problem.Problem) {
		p.Tolerated = at.doc != nil && !at.doc.entry && at.doc.file != ManifestPath
		l.report(at, p)
	}
	names := map[string]bool{}
	for _, m := range v.elements() {
		name, _ := m.get("name")
		if why, at := monitorFault(m); why != "" {
			report(at, ruleMonitor.Report("a monitor %s", why))
		} else if names[name.text()] {
			report(name, ruleMonitor.Report("two monitors are named %q", clip(name.text())))
		}
		names[name.text()] = true
		if command, _ := m.get("command"); command.text() != "" {
			l.component(manifest.Component{Type: manifest.MonitorComponent, Name: name.text(), Path: v.file(), Detail: command.text()})
			l.program(command)
		}
	}
}

// monitorFault returns what keeps the host from taking a monitor, and where.
func monitorFault(m value) (why string, at value) {
	if m.kind() != '{' {
		return "is " + m.found() + ", want an object", m
	}
	for _, key := range []string{"name", "command", "description"} {
		if v, _ := m.get(key); v.kind() != '"' {
			return "needs the text \"" + key + "\"", m
		}
	}
	for _, f := range m.members() {
		if !slices.Contains([]string{"name", "command", "description", "when"}, f.key) {
			return "has the unknown key \"" + clip(f.key) + "\"", f.value
		}
		if f.key == "when" && f.text() != "always" && !strings.HasPrefix(f.text(), "on-skill-invoke:") {
			return "has a \"when\" other than always and on-skill-invoke:NAME", f.value
		}
	}
	return "", m
}
