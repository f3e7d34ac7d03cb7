package claude

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/component"
	"pinion/problem"
)

// experimentals reads `experimental`, which the host ignores when it is no object.
func (l *loader) experimentals(v component.Value) {
	if v.Kind() != '{' {
		l.Report(v, ruleIgnored.Report("\"experimental\" is %s, want an object; the host ignores it", v.Found()))
		return
	}
	for _, m := range v.Members() {
		if m.Key == "themes" || m.Key == "monitors" {
			l.experimental(m.Key, m.Value)
			continue
		}
		l.unknown(m, []string{"themes", "monitors"})
	}
}

// experimental reads one of the two components that are not settled yet.
func (l *loader) experimental(key string, v component.Value) {
	if key == "themes" {
		l.declaredFiles(v, "themes", l.themeDir, l.theme)
		return
	}
	switch v.Kind() {
	case '[':
		l.monitors(v)
	case '"':
		if p, ok := l.Existing(v, "monitors", ".json"); ok {
			l.monitorFile(p)
		}
	default:
		l.Report(v, ruleType.Report("\"monitors\" is %s, want a path or a list", v.Found()))
	}
}

func (l *loader) monitorFile(p string) {
	root, ok := l.JSON(p, manifest.MonitorComponent, syntax.Options{
		AllowDuplicates: true,
		Severity:        map[string]problem.Severity{"json/encoding": problem.Warning},
	})
	if !ok {
		return
	}
	if root.Kind() != '[' {
		l.Report(root, ruleMonitor.Report("the file is %s, want a list of monitors", root.Found()).Survived())
		if len(root.Members()) > 0 {
			l.Unread(manifest.MonitorComponent, p)
		}
		return
	}
	l.monitors(root)
}

// monitors reads a list of commands that the host keeps running. It refuses a
// manifest with a monitor that it does not understand, and leaves out a file.
func (l *loader) monitors(v component.Value) {
	report := func(at component.Value, p problem.Problem) {
		p.Tolerated = !at.InEntry() && at.File() != "" && at.File() != ManifestPath
		l.Report(at, p)
	}
	names := map[string]bool{}
	for _, m := range v.Elements() {
		name, _ := m.Get("name")
		if why, at := monitorFault(m); why != "" {
			report(at, ruleMonitor.Report("a monitor %s", why))
		} else if names[name.Text()] {
			report(name, ruleMonitor.Report("two monitors are named %q", component.Clip(name.Text())))
		}
		names[name.Text()] = true
		if command, _ := m.Get("command"); command.Text() != "" {
			l.Component(manifest.Component{Type: manifest.MonitorComponent, Name: name.Text(), Path: v.File(), Detail: command.Text()})
			l.Program(command)
		}
	}
}

// monitorFault returns what keeps the host from taking a monitor, and where.
func monitorFault(m component.Value) (why string, at component.Value) {
	if m.Kind() != '{' {
		return "is " + m.Found() + ", want an object", m
	}
	for _, key := range []string{"name", "command", "description"} {
		if v, _ := m.Get(key); v.Kind() != '"' {
			return "needs the text \"" + key + "\"", m
		}
	}
	for _, f := range m.Members() {
		if !slices.Contains([]string{"name", "command", "description", "when"}, f.Key) {
			return "has the unknown key \"" + component.Clip(f.Key) + "\"", f.Value
		}
		if f.Key == "when" && f.Text() != "always" && !strings.HasPrefix(f.Text(), "on-skill-invoke:") {
			return "has a \"when\" other than always and on-skill-invoke:NAME", f.Value
		}
	}
	return "", m
}
