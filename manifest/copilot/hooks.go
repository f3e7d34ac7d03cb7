package copilot

import (
	"slices"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/component"
)

// events are the documented names of events, in the two spellings that Copilot
// takes: its own, and the one of Claude Code and Visual Studio Code.
func events() []string {
	return []string{
		"sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure", "errorOccurred",
		"agentStop", "subagentStart", "subagentStop", "preCompact", "permissionRequest", "notification",
		"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "ErrorOccurred",
		"Stop", "SubagentStart", "SubagentStop", "PreCompact", "PermissionRequest", "Notification",
	}
}

// hooks lists the hooks of the files at the fixed places and of `hooks`.
func (l *loader) hooks(own component.Fields) {
	for _, p := range hooksFiles() {
		if l.Tree.Lookup(p) != nil {
			l.hooksFile(p)
		}
	}
	v, ok := own.Get("hooks")
	switch {
	case !ok || v.Kind() == 'n':
	case v.Kind() == '{':
		l.hooksOf(v, true)
	case v.Kind() == '"':
		l.file(v, "hooks", l.hooksFile)
	default:
		l.Report(v, ruleType.Report("\"hooks\" is %s, want a path or an object; Copilot ignores it", v.Found()))
	}
}

func (l *loader) hooksFile(p string) {
	root, ok := l.JSON(p, manifest.HookComponent, component.Lenient())
	if !ok {
		return
	}
	if root.Kind() != '{' {
		l.Report(root, ruleHooks.Report("the file is %s, want an object with \"hooks\"", root.Found()))
		l.Unread(manifest.HookComponent, p)
		return
	}
	l.hooksOf(root, false)
}

// hooksOf reads an object with "version" and "hooks"; a manifest may hold the
// events themselves.
func (l *loader) hooksOf(v component.Value, bare bool) {
	all := v
	if inner, ok := v.Get("hooks"); ok {
		all = inner
	} else if !bare {
		l.Report(v, ruleHooks.Report("there is no \"hooks\"").WithFix("wrap the events: {\"version\": 1, \"hooks\": { … }}"))
	}
	for _, event := range all.Members() {
		if event.Kind() != '[' {
			continue
		}
		if !slices.Contains(events(), event.Key) {
			p := ruleEvent.Report("the documentation has no event %q", component.Clip(event.Key))
			if near, ok := syntax.Nearest(event.Key, events()); ok {
				p = ruleEvent.Report("the documentation has no event %q; did you mean %q?", component.Clip(event.Key), near).WithFix("rename it to %q", near)
			}
			l.ReportKey(event.Value, p)
		}
		for _, h := range event.Elements() {
			l.hook(event.Key, "", h)
		}
	}
}

// hook lists one hook, or the hooks below a matcher as Claude Code writes them.
func (l *loader) hook(event, matcher string, h component.Value) {
	if pattern, _ := h.Get("matcher"); pattern.Text() != "" {
		matcher = pattern.Text()
	}
	if list, ok := h.Get("hooks"); ok && list.Kind() == '[' {
		for _, e := range list.Elements() {
			l.Handle(event, matcher, e)
		}
		return
	}
	if why := hookFault(h); why != "" {
		l.Report(h, ruleHook.Report("a hook of %q %s", component.Clip(event), why))
	}
	l.Handle(event, matcher, h)
}

// hookFault returns what a hook lacks by the documentation.
func hookFault(h component.Value) string {
	if h.Kind() != '{' {
		return "is " + h.Found() + ", want an object"
	}
	need := []string{"bash", "powershell", "command"}
	switch typ, _ := h.Get("type"); typ.Text() {
	case "prompt":
		need = []string{"prompt"}
	case "http":
		need = []string{"url"}
	}
	for _, key := range need {
		if v, _ := h.Get(key); v.Text() != "" {
			return ""
		}
	}
	return "has no \"" + need[0] + "\""
}
