package codex

import (
	"pinion/manifest/component"
	"pinion/problem"
)

// autoHooks is the file that is loaded when the manifest names none.
const autoHooks = "hooks/hooks.json"

// events are the names on which Codex 0.171.0 calls hooks; case counts.
func events() []string {
	return []string{
		"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
		"PreCompact", "PostCompact", "SubagentStart", "SubagentStop", "Stop",
	}
}

// hooks lists the hooks of `hooks`: paths, objects like a hooks file, or a list of
// them. The file at the fixed place counts when the field gives nothing that
// Codex takes; unlike in Claude Code the field replaces it.
func (l *loader) hooks(own component.Fields) {
	v, ok := own.Get("hooks")
	given := false
	if ok && v.Kind() != 'n' {
		for _, e := range v.OneOrMore() {
			given = l.hooksOf(e) || given
		}
	}
	if given {
		return
	}
	if l.Tree.Lookup(autoHooks) != nil {
		l.HooksFile(autoHooks)
	}
}

// hooksOf reads one form of hooks. It is false for what Codex ignores.
func (l *loader) hooksOf(v component.Value) bool {
	switch v.Kind() {
	case '"':
		p, ok := l.Resolve(v, "hooks", "")
		switch {
		case !ok:
			return false
		case l.Tree.Lookup(p) == nil:
			l.missing(v, "hooks")
		default:
			l.HooksFile(p)
		}
		return true
	case '{':
		inner, ok := v.Get("hooks")
		if len(v.Members()) == 0 {
			return true // how authors keep Codex from the hooks file of another host
		}
		if !ok || inner.Kind() != '{' {
			// {"Stop": [ … ]} is Claude Code's form; 0.171.0 loads nothing of it.
			l.Report(v, ruleHooks.Report("the inline hooks have no object \"hooks\"; Codex ignores them").As(problem.Warning).
				WithFix("wrap the events: {\"hooks\": { … }}"))
			l.Events(v)
			return false
		}
		l.Events(inner)
		return true
	}
	l.Report(v, ruleIgnored.Report("\"hooks\" has %s where a path or an object is wanted; Codex ignores it", v.Found()))
	return false
}

// handlerFault returns what keeps Codex 0.171.0 from reading a hook. Other keys
// are ignored; one fault loses the file.
func handlerFault(h component.Value) (why string, at component.Value) {
	if h.Kind() != '{' {
		return "is " + h.Found() + ", want an object", h
	}
	typ, ok := h.Get("type")
	if !ok {
		return "has no \"type\"", h
	}
	switch typ.Text() {
	case "command":
		if v, ok := h.Get("command"); !ok || v.Kind() != '"' {
			return "of type command needs the text \"command\"", h
		}
	case "prompt", "agent":
	default:
		return "has a \"type\" other than command, prompt and agent", typ
	}
	if v, ok := h.Get("timeout"); ok && v.Kind() != 'n' && !v.IsWhole() {
		return "has a \"timeout\" that is no whole number", v
	}
	return "", h
}
