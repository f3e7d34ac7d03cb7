package component

import (
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/problem"
)

// hasEvent reports whether the host calls hooks on an event of this name.
func (r *Reader) hasEvent(name string) bool {
	return r.host.Events == nil || slices.Contains(r.host.Events, name)
}

func (r *Reader) isGate(event string) bool { return slices.Contains(r.host.Gates, event) }

// hookFault weighs a fault in a hook for a host that then loads none.
func (r *Reader) hookFault(p problem.Problem) problem.Problem {
	if r.host.StrictHooks {
		return p.As(problem.Error).Survived()
	}
	return p
}

// hookFate says what the host does about a hook that it does not understand.
func (r *Reader) hookFate(s problem.Severity) string {
	if r.host.StrictHooks {
		return "the host loads no hook of the file"
	}
	return outcome(s)
}

// outcome says what the host does about a part that it does not understand.
func outcome(s problem.Severity) string {
	if s == problem.Error {
		return "the host refuses the plugin"
	}
	return "the host drops it"
}

// DeclaredHooks reads `hooks`: paths, inline objects, or a list of both.
func (r *Reader) DeclaredHooks(v Value) {
	for _, e := range v.OneOrMore() {
		switch e.Kind() {
		case '{':
			r.Events(e)
		case '"':
			p, ok := r.Existing(e, "hooks", ".json")
			if !ok {
				continue
			}
			if p == r.host.AutoHooks && r.rules.DuplicateHooks.ID != "" {
				r.Report(e, r.rules.DuplicateHooks.Report("\"hooks\" names %s, which the host loads by itself", p))
			}
			r.HooksFile(p)
		default:
			r.Report(e, r.rules.Type.Report("\"hooks\" has %s where a path or an object is wanted", e.Found()))
		}
	}
}

// HooksFile reads a file of hooks. What is wrong with it as a whole stops the
// host from loading any hook of the plugin; it loads the rest.
func (r *Reader) HooksFile(p string) {
	file := r.Tree.Lookup(p)
	if file == nil {
		r.Add(r.rules.Hooks.Report("%q is a directory, want a file of hooks", p).At(r.host.Manifest, 1, 1).Survived())
		return
	}
	root, ok := r.JSON(p, manifest.HookComponent, syntax.Options{
		AllowDuplicates: !r.host.StrictHooks,
		Severity:        map[string]problem.Severity{"json/encoding": problem.Warning},
	})
	if !ok {
		return
	}
	if root.Kind() != '{' {
		r.Report(root, r.rules.Hooks.Report("the file is %s, want an object with \"hooks\"", root.Found()).Survived())
		if len(root.Elements()) > 0 {
			r.Unread(manifest.HookComponent, p)
		}
		return
	}
	hooks, hasHooks := root.Get("hooks")
	modules, hasModules := root.Get("modules")
	if !hasHooks && (!hasModules || modules.Kind() == '[' && len(modules.Elements()) == 0) {
		p := r.rules.Hooks.Report("the file has no \"hooks\"").Survived()
		if slices.ContainsFunc(root.Members(), func(m Member) bool { return r.hasEvent(m.Key) }) {
			p = p.WithFix("wrap the events: {\"hooks\": { … }}")
		}
		r.Report(root, p)
		r.Events(root) // another host may take the events without the wrapper
		return
	}
	if hasHooks && hooks.Kind() != '{' {
		r.Report(hooks, r.rules.Hooks.Report("\"hooks\" is %s, want an object of events", hooks.Found()))
	} else if hasHooks {
		r.Events(hooks)
	}
	if hasModules {
		r.modules(modules, path.Dir(p))
	}
	for _, m := range root.Members() {
		if r.host.HooksKeys != nil && !slices.Contains(r.host.HooksKeys, m.Key) {
			r.ReportKey(m.Value, r.hookFault(r.rules.HooksKey.Report("unknown key %q; %s", Clip(m.Key), r.host.HooksKeyFate)))
		}
	}
}

// Unread lists a file whose content is not understood. The host starts nothing
// of it, but another one, or a later version, may: that needs consent too.
func (r *Reader) Unread(t manifest.ComponentType, p string) {
	r.Component(manifest.Component{Type: t, Name: Stem(p), Path: p, Detail: "cannot be read"})
}

// modules reads the code that a hooks file loads into the host; paths are
// relative to the file.
func (r *Reader) modules(v Value, dir string) {
	list, ok := v.Texts()
	if !ok {
		r.Report(v, r.rules.Hooks.Report("\"modules\" is not a list of paths").Survived())
		return
	}
	if len(list) > 1 {
		r.Report(v, r.rules.Hooks.Report("\"modules\" names %d files; the host takes one", len(list)).Survived())
	}
	for i, e := range v.Elements() {
		p := path.Join(dir, list[i])
		switch {
		case strings.HasPrefix(p, "../") || path.IsAbs(list[i]):
			r.Report(e, r.rules.Path.Report("the module %q leaves the package", Clip(list[i])))
		case r.Tree.Lookup(p) == nil:
			r.Missing(e, "modules", problem.Error)
		}
		r.Component(manifest.Component{Type: manifest.HookComponent, Name: "module", Path: v.File(), Detail: list[i]})
	}
}

// Events reads an object of events. All handlers are listed, also those that
// this host drops, since another host may run them.
func (r *Reader) Events(v Value) {
	for _, event := range v.Members() {
		severity := problem.Warning
		if r.isGate(event.Key) {
			severity = problem.Error
		}
		if !r.hasEvent(event.Key) {
			r.unknownEvent(event)
		}
		if event.Kind() != '[' {
			if r.hasEvent(event.Key) {
				if event.Kind() == 'n' {
					severity = problem.Warning
				}
				r.Report(event.Value, r.hookFault(r.rules.Hook.Report("%q is %s, want a list of matchers; %s", event.Key, event.Found(), r.hookFate(severity)).As(severity)))
			}
			continue
		}
		for _, m := range event.Elements() {
			if r.host.Flat {
				r.flat(event.Key, m)
				continue
			}
			r.matcher(event.Key, m, severity)
		}
	}
}

// unknownEvent reports a key that is no event. Where it hides hooks that guard
// permissions, the host refuses the plugin.
func (r *Reader) unknownEvent(event Member) {
	p := r.rules.Event.Report("unknown event %q; the host ignores it", Clip(event.Key))
	if near, ok := syntax.Nearest(event.Key, r.host.Events); ok {
		p = r.rules.Event.Report("unknown event %q; did you mean %q?", Clip(event.Key), near).WithFix("rename it to %q", near)
	}
	if event.doc.entry {
		p = p.As(problem.Error) // an entry with another key does not install
	}
	for _, inner := range event.Members() {
		if r.isGate(inner.Key) {
			p = r.rules.Event.Report("%q is no event, but holds hooks of %s", Clip(event.Key), inner.Key).As(problem.Error).
				WithFix("move its content one level up")
		}
	}
	r.ReportKey(event.Value, p)
}

// isHandler reports whether v names something to run, in the flat form of other
// hosts.
func isHandler(v Value) bool {
	return slices.ContainsFunc(v.Members(), func(m Member) bool {
		return m.Key == "command" || m.Key == "bash" || m.Key == "powershell"
	})
}

// matcher reads one {matcher, hooks} of an event.
func (r *Reader) matcher(event string, v Value, severity problem.Severity) {
	if v.Kind() != '{' {
		r.Report(v, r.hookFault(r.rules.Hook.Report("a matcher of %q is %s, want an object; %s", Clip(event), v.Found(), r.hookFate(severity)).As(severity)))
		return
	}
	pattern, hasPattern := v.Get("matcher")
	if hasPattern && pattern.Kind() != '"' && !(r.host.StrictHooks && pattern.Kind() == 'n') {
		r.Report(pattern, r.hookFault(r.rules.Hook.Report("\"matcher\" is %s, want a string; %s", pattern.Found(), r.hookFate(severity)).As(severity)))
	}
	list, ok := v.Get("hooks")
	if !ok || list.Kind() != '[' {
		p := r.rules.Hook.Report("a matcher of %q has no list \"hooks\"; %s", Clip(event), outcome(severity)).As(severity)
		if ok && r.host.StrictHooks {
			p = r.hookFault(r.rules.Hook.Report("\"hooks\" of a matcher of %q is %s, want a list; %s", Clip(event), list.Found(), r.hookFate(severity)))
		}
		if isHandler(v) {
			p = p.WithFix("wrap the handler: {\"hooks\": [ … ]}")
			r.Handle(event, pattern.Text(), v) // the flat form of other hosts
		}
		r.Report(v, p)
		return
	}
	for _, h := range list.Elements() {
		fault := handlerFault
		if r.host.Handler != nil {
			fault = r.host.Handler
		}
		if why, at := fault(h); why != "" {
			r.Report(at, r.hookFault(r.rules.Hook.Report("a hook of %q %s; %s", Clip(event), why, r.hookFate(severity)).As(severity)))
		}
		r.Handle(event, pattern.Text(), h)
	}
}

// handlerFault returns what keeps the host from taking a handler, and where.
func handlerFault(h Value) (why string, at Value) {
	if h.Kind() != '{' {
		return "is " + h.Found() + ", want an object", h
	}
	typ, ok := h.Get("type")
	if !ok {
		return "has no \"type\"", h
	}
	var need []string
	switch typ.Text() {
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
		v, ok := h.Get(key)
		if !ok || v.Kind() != '"' {
			return "of type " + typ.Text() + " needs the text \"" + key + "\"", h
		}
		if key == "url" && !IsURL(v.Text()) {
			return "has a \"url\" that is none", v
		}
	}
	return optionFault(h)
}

// optionFault checks the keys that every handler may have.
func optionFault(h Value) (why string, at Value) {
	for _, m := range h.Members() {
		switch m.Key {
		case "timeout":
			if !m.Positive() {
				return "has a \"timeout\" that is no number above 0", m.Value
			}
		case "async", "once", "asyncRewake":
			if !m.IsBool() {
				return "has \"" + m.Key + "\" that is not true or false", m.Value
			}
		case "args":
			if _, ok := m.Texts(); !ok {
				return "has \"args\" that are no list of strings", m.Value
			}
		case "shell":
			if s := m.Text(); s != "bash" && s != "powershell" {
				return "has a \"shell\" other than bash and powershell", m.Value
			}
		case "if", "statusMessage":
			if m.Kind() != '"' {
				return "has \"" + m.Key + "\" that is no string", m.Value
			}
		}
	}
	return "", Value{}
}

// Handle lists what a hook of an event runs.
func (r *Reader) Handle(event, matcher string, h Value) {
	runs := ""
	for _, key := range []string{"command", "bash", "powershell", "url", "prompt"} {
		if v, _ := h.Get(key); v.Text() != "" {
			runs = v.Text()
			break
		}
	}
	if server, _ := h.Get("server"); runs == "" && server.Text() != "" {
		tool, _ := h.Get("tool")
		runs = server.Text() + "/" + tool.Text()
	}
	if typ, _ := h.Get("type"); runs == "" {
		runs = typ.Text()
	}
	if args, _ := h.Get("args"); args.Kind() == '[' {
		list, _ := args.Texts()
		runs = strings.Join(append([]string{runs}, list...), " ")
	}
	r.Component(manifest.Component{
		Type: manifest.HookComponent, Name: event, Path: h.File(), Detail: agentskill.HookDetail(matcher, runs),
	})
	if command, ok := h.Get("command"); ok {
		r.Program(command)
	}
}
