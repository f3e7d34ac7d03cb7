package claude

import (
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/problem"
)

// autoHooks is the file that the host loads by itself.
const autoHooks = "hooks/hooks.json"

// events are the names on which the host calls hooks; case counts.
func events() []string {
	return []string{
		"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest",
		"PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay",
		"SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle",
		"InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate",
		"WorktreeRemove", "PreCompact", "PostCompact", "Elicitation", "ElicitationResult", "SessionEnd",
	}
}

// isGate reports whether hooks of an event guard permissions: the host applies
// nothing of a plugin in which one of them cannot be loaded.
func isGate(event string) bool { return event == "PreToolUse" || event == "PermissionRequest" }

// outcome says what the host does about a part that it does not understand.
func outcome(s problem.Severity) string {
	if s == problem.Error {
		return "the host refuses the plugin"
	}
	return "the host drops it"
}

// declaredHooks reads `hooks`: paths, inline objects, or a list of both.
func (l *loader) declaredHooks(v value) {
	if v.doc.entry && v.kind() != '{' {
		l.report(v, ruleHooks.Report("\"hooks\" is %s; an entry can only hold the hooks themselves", v.found()).
			WithFix("write the object of events into the entry, or move it to hooks/hooks.json in the package").Survived())
	}
	for _, e := range oneOrMore(v) {
		switch e.kind() {
		case '{':
			l.events(e)
		case '"':
			p, ok := l.existing(e, "hooks", ".json")
			if !ok {
				continue
			}
			if p == autoHooks {
				l.report(e, ruleDuplicateHooks.Report("\"hooks\" names %s, which the host loads by itself", autoHooks))
			}
			l.hooksFile(p)
		default:
			l.report(e, ruleType.Report("\"hooks\" has %s where a path or an object is wanted", e.found()))
		}
	}
}

// hooksFile reads a file of hooks. What is wrong with it as a whole stops the
// host from loading any hook of the plugin; it loads the rest.
func (l *loader) hooksFile(p string) {
	file := l.t.Lookup(p)
	if file == nil {
		l.add(ruleHooks.Report("%q is a directory, want a file of hooks", p).At(ManifestPath, 1, 1).Survived())
		return
	}
	root, ok := l.json(p, syntax.Options{
		AllowDuplicates: true,
		Severity:        map[string]problem.Severity{"json/encoding": problem.Warning},
	})
	if !ok {
		l.unread(manifest.HookComponent, p)
		return
	}
	if root.kind() != '{' {
		l.report(root, ruleHooks.Report("the file is %s, want an object with \"hooks\"", root.found()).Survived())
		if len(root.elements()) > 0 {
			l.unread(manifest.HookComponent, p)
		}
		return
	}
	hooks, hasHooks := root.get("hooks")
	modules, hasModules := root.get("modules")
	if !hasHooks && (!hasModules || modules.kind() == '[' && len(modules.elements()) == 0) {
		p := ruleHooks.Report("the file has no \"hooks\"").Survived()
		if slices.ContainsFunc(root.members(), func(m member) bool { return slices.Contains(events(), m.key) }) {
			p = p.WithFix("wrap the events: {\"hooks\": { … }}")
		}
		l.report(root, p)
		l.events(root) // another host may take the events without the wrapper
		return
	}
	if hasHooks && hooks.kind() != '{' {
		l.report(hooks, ruleHooks.Report("\"hooks\" is %s, want an object of events", hooks.found()))
	} else if hasHooks {
		l.events(hooks)
	}
	if hasModules {
		l.modules(modules, path.Dir(p))
	}
	for _, m := range root.members() {
		if !slices.Contains([]string{"hooks", "modules", "description", "$schema"}, m.key) {
			l.reportKey(m.value, ruleHooksKey.Report("unknown key %q; the desktop app hides a plugin that has it", clip(m.key)))
		}
	}
}

// unread lists a file whose content is not understood. The host starts nothing
// of it, but another one, or a later version, may: that needs consent too.
func (l *loader) unread(t manifest.ComponentType, p string) {
	l.component(manifest.Component{Type: t, Name: stem(p), Path: p, Detail: "cannot be read"})
}

// modules reads the code that a hooks file loads into the host; paths are
// relative to the file.
func (l *loader) modules(v value, dir string) {
	list, ok := v.texts()
	if !ok {
		l.report(v, ruleHooks.Report("\"modules\" is not a list of paths").Survived())
		return
	}
	if len(list) > 1 {
		l.report(v, ruleHooks.Report("\"modules\" names %d files; the host takes one", len(list)).Survived())
	}
	for i, e := range v.elements() {
		p := path.Join(dir, list[i])
		switch {
		case strings.HasPrefix(p, "../") || path.IsAbs(list[i]):
			l.report(e, rulePath.Report("the module %q leaves the package", clip(list[i])))
		case l.t.Lookup(p) == nil:
			l.missing(e, "modules", problem.Error)
		}
		l.component(manifest.Component{Type: manifest.HookComponent, Name: "module", Path: v.file(), Detail: list[i]})
	}
}

// events reads an object of events. All handlers are listed, also those that
// this host drops, since another host may run them.
func (l *loader) events(v value) {
	for _, event := range v.members() {
		severity := problem.Warning
		if isGate(event.key) {
			severity = problem.Error
		}
		if !slices.Contains(events(), event.key) {
			l.unknownEvent(event)
		}
		if event.kind() != '[' {
			if slices.Contains(events(), event.key) {
				if event.kind() == 'n' {
					severity = problem.Warning
				}
				l.report(event.value, ruleHook.Report("%q is %s, want a list of matchers; %s", event.key, event.found(), outcome(severity)).As(severity))
			}
			continue
		}
		for _, m := range event.elements() {
			l.matcher(event.key, m, severity)
		}
	}
}

// unknownEvent reports a key that is no event. Where it hides hooks that guard
// permissions, the host refuses the plugin.
func (l *loader) unknownEvent(event member) {
	p := ruleEvent.Report("unknown event %q; the host ignores it", clip(event.key))
	if near, ok := syntax.Nearest(event.key, events()); ok {
		p = ruleEvent.Report("unknown event %q; did you mean %q?", clip(event.key), near).WithFix("rename it to %q", near)
	}
	if event.doc.entry {
		p = p.As(problem.Error) // an entry with another key does not install
	}
	for _, inner := range event.members() {
		if isGate(inner.key) {
			p = ruleEvent.Report("%q is no event, but holds hooks of %s", clip(event.key), inner.key).As(problem.Error).
				WithFix("move its content one level up")
		}
	}
	l.reportKey(event.value, p)
}

// matcher reads one {matcher, hooks} of an event.
func (l *loader) matcher(event string, v value, severity problem.Severity) {
	if v.kind() != '{' {
		l.report(v, ruleHook.Report("a matcher of %q is %s, want an object; %s", clip(event), v.found(), outcome(severity)).As(severity))
		return
	}
	pattern, hasPattern := v.get("matcher")
	if hasPattern && pattern.kind() != '"' {
		l.report(pattern, ruleHook.Report("\"matcher\" is %s, want a string; %s", pattern.found(), outcome(severity)).As(severity))
	}
	list, ok := v.get("hooks")
	if !ok || list.kind() != '[' {
		p := ruleHook.Report("a matcher of %q has no list \"hooks\"; %s", clip(event), outcome(severity)).As(severity)
		if _, flat := v.get("command"); flat {
			p = p.WithFix("wrap the handler: {\"hooks\": [ … ]}")
			l.handler(event, pattern.text(), v) // the flat form of other hosts
		}
		l.report(v, p)
		return
	}
	for _, h := range list.elements() {
		if why, at := handlerFault(h); why != "" {
			l.report(at, ruleHook.Report("a hook of %q %s; %s", clip(event), why, outcome(severity)).As(severity))
		}
		l.handler(event, pattern.text(), h)
	}
}

// handlerFault returns what keeps the host from taking a handler, and where.
func handlerFault(h value) (why string, at value) {
	if h.kind() != '{' {
		return "is " + h.found() + ", want an object", h
	}
	typ, ok := h.get("type")
	if !ok {
		return "has no \"type\"", h
	}
	var need []string
	switch typ.text() {
	case "command":
		need = []string{"command"}
	case "http":
		need = []string{"url"}
	case "prompt", "agent":
		need = []string{"prompt"}
	case "mcp_tool":
		need = []string{"server", "tool"}
	default:
		return "has an unknown \"type\"", typ
	}
	for _, key := range need {
		v, ok := h.get(key)
		if !ok || v.kind() != '"' {
			return "of type " + typ.text() + " needs the text \"" + key + "\"", h
		}
		if key == "url" && !isURL(v.text()) {
			return "has a \"url\" that is none", v
		}
	}
	return optionFault(h)
}

// optionFault checks the keys that every handler may have.
func optionFault(h value) (why string, at value) {
	for _, m := range h.members() {
		switch m.key {
		case "timeout":
			if !m.positive() {
				return "has a \"timeout\" that is no number above 0", m.value
			}
		case "async", "once", "asyncRewake":
			if !m.isBool() {
				return "has \"" + m.key + "\" that is not true or false", m.value
			}
		case "args":
			if _, ok := m.texts(); !ok {
				return "has \"args\" that are no list of strings", m.value
			}
		case "shell":
			if s := m.text(); s != "bash" && s != "powershell" {
				return "has a \"shell\" other than bash and powershell", m.value
			}
		case "if", "statusMessage":
			if m.kind() != '"' {
				return "has \"" + m.key + "\" that is no string", m.value
			}
		}
	}
	return "", value{}
}

// handler lists what a hook runs.
func (l *loader) handler(event, matcher string, h value) {
	runs := ""
	for _, key := range []string{"command", "bash", "powershell", "url", "prompt"} {
		if v, _ := h.get(key); v.text() != "" {
			runs = v.text()
			break
		}
	}
	if server, _ := h.get("server"); runs == "" && server.text() != "" {
		tool, _ := h.get("tool")
		runs = server.text() + "/" + tool.text()
	}
	if typ, _ := h.get("type"); runs == "" {
		runs = typ.text()
	}
	if args, _ := h.get("args"); args.kind() == '[' {
		list, _ := args.texts()
		runs = strings.Join(append([]string{runs}, list...), " ")
	}
	l.component(manifest.Component{
		Type: manifest.HookComponent, Name: event, Path: h.file(), Detail: agentskill.HookDetail(matcher, runs),
	})
	if command, ok := h.get("command"); ok {
		l.program(command)
	}
}
