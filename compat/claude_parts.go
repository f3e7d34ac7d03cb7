package compat

import (
	stdjson "encoding/json"
	"path"
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/manifest/claude"
	"pinion/tree"
)

// claudeInventory is what Claude Code loads of a plugin. The reader of the
// format lists everything that any host could start; hooks and servers that
// Claude Code drops are taken out here.
func claudeInventory(t *tree.Tree, in Place, m *manifest.Manifest) []manifest.Component {
	own := claudeOwn(t)
	var fields map[string]any
	if in.Entry != nil {
		fields = map[string]any{}
		for key, raw := range in.Entry.Fields {
			fields[key], _ = parse(raw)
		}
	}
	events := claudeHooks(t, own, fields)
	servers := claudeServers(t, own, fields)
	var only []string // the skills in skills/ that are named one by one
	for _, p := range slices.Concat(texts(own["skills"]), texts(fields["skills"])) {
		if strings.HasPrefix(inside(p), "skills/") {
			only = append(only, inside(p)+"/")
		}
	}
	var out []manifest.Component
	for _, c := range m.Components {
		switch c.Type {
		case manifest.HookComponent:
			if !slices.Contains(events, c.Name) && c.Name != "subagentStatusLine" && c.Name != "module" {
				continue
			}
		case manifest.ServerComponent:
			bundle, isBundle := strings.CutPrefix(c.Detail, "bundle ")
			if isBundle && !strings.Contains(bundle, "://") && t.Lookup(inside(bundle)) == nil || !isBundle && !slices.Contains(servers, c.Name) {
				continue
			}
		case manifest.LSPComponent:
			if c.Path != "" && c.Path != claude.ManifestPath && !claudeLSPFile(t, c.Path) {
				continue
			}
		case manifest.SkillComponent:
			if base(c.Path) == "skill.md" {
				continue // only SKILL.md in capitals is looked for
			}
			if len(only) > 0 && strings.HasPrefix(c.Path, "skills/") && !slices.ContainsFunc(only, func(d string) bool { return strings.HasPrefix(c.Path, d) }) {
				continue // a path inside the directory takes its place
			}
		}
		out = append(out, c)
	}
	return out
}

// document reads a file of the package as JSON, nil when it is none. A byte
// order mark ends the reading unless the host skips it.
func document(t *tree.Tree, p string, faults ...fault) any {
	f := t.Lookup(p)
	if f == nil {
		return nil
	}
	v, found := parse(f.Data)
	if _, bad := broken(found, faults...); bad {
		return nil
	}
	return v
}

// inside is a component path as the tree has it.
func inside(p string) string {
	if c := path.Clean(strings.TrimPrefix(p, "./")); c != "." {
		return c
	}
	return ""
}

// claudeHooks are the events with at least one hook that Claude Code takes.
func claudeHooks(t *tree.Tree, own, entry map[string]any) []string {
	var out []string
	add := func(v any) { out = append(out, claudeEventsOf(v)...) }
	file := func(p string) {
		doc := object(document(t, p, badSyntax, hasBOM))
		add(doc["hooks"])
	}
	file("hooks/hooks.json")
	for _, v := range oneOrMore(own["hooks"]) {
		switch v := v.(type) {
		case string:
			file(inside(v))
		case map[string]any:
			add(v)
		}
	}
	add(entry["hooks"])
	return out
}

func oneOrMore(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// claudeEventsOf returns the events of an object of hooks that have a hook with
// a known type and what the type needs.
func claudeEventsOf(v any) (out []string) {
	for event, matchers := range object(v) {
		list, _ := matchers.([]any)
		if slices.Contains(claudeEventNames(), event) && slices.ContainsFunc(list, claudeMatcher) {
			out = append(out, event)
		}
	}
	return out
}

func claudeEventNames() []string {
	return []string{
		"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest",
		"PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay",
		"SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle",
		"InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate",
		"WorktreeRemove", "PreCompact", "PostCompact", "Elicitation", "ElicitationResult", "SessionEnd",
	}
}

func claudeMatcher(v any) bool {
	m := object(v)
	if p, ok := m["matcher"]; ok {
		if _, isString := p.(string); !isString {
			return false
		}
	}
	list, _ := m["hooks"].([]any)
	return slices.ContainsFunc(list, claudeHandler)
}

func claudeHandler(v any) bool {
	h := object(v)
	var need []string
	switch text(h["type"]) {
	case "command":
		need = []string{"command"}
	case "http":
		need = []string{"url"}
	case "prompt", "agent":
		need = []string{"prompt"}
	case "mcp_tool":
		need = []string{"server", "tool"}
	default:
		return false
	}
	for _, key := range need {
		if _, ok := h[key].(string); !ok {
			return false
		}
	}
	if u, ok := h["url"]; ok {
		if _, want := isURL(u); want != "" {
			return false
		}
	}
	if timeout, ok := h["timeout"]; ok {
		n, isNumber := timeout.(stdjson.Number)
		if f, err := n.Float64(); !isNumber || err != nil || f <= 0 {
			return false
		}
	}
	return true
}

// claudeServers are the names of the MCP servers that Claude Code takes.
func claudeServers(t *tree.Tree, own, entry map[string]any) (out []string) {
	add := func(v any) {
		for name, s := range object(v) {
			if claudeServer(object(s)) {
				out = append(out, name)
			}
		}
	}
	file := func(p string) {
		doc := object(document(t, p, badSyntax, hasBOM))
		if servers, ok := doc["mcpServers"]; ok {
			add(servers)
		} else {
			add(doc)
		}
	}
	file(".mcp.json")
	if own != nil { // beside a manifest the entry's are not looked at
		entry = nil
	}
	for _, list := range [][]any{oneOrMore(own["mcpServers"]), oneOrMore(entry["mcpServers"])} {
		for _, v := range list {
			switch v := v.(type) {
			case string:
				file(inside(v))
			case map[string]any:
				add(v)
			}
		}
	}
	return out
}

func claudeServer(s map[string]any) bool {
	if timeout, ok := s["timeout"]; ok {
		if _, want := isNumber(timeout); want != "" {
			return false
		}
	}
	if headers, ok := s["headers"]; ok {
		if _, want := mapOf(isText)(headers); want != "" {
			return false
		}
	}
	typ, typed := s["type"]
	switch text(typ) {
	case "http", "sse", "ws", "streamable-http":
		_, ok := s["url"].(string)
		return ok
	case "sdk":
		return true
	case "stdio":
	default:
		if typed {
			return false
		}
	}
	if text(s["command"]) == "" {
		return false
	}
	if args, ok := s["args"]; ok {
		if _, want := listOf(isText)(args); want != "" {
			return false
		}
	}
	if env, ok := s["env"]; ok {
		if _, want := mapOf(isText)(env); want != "" {
			return false
		}
	}
	return true
}

// claudeLSPFile reports whether a file of language servers is taken: one wrong
// server drops the whole file.
func claudeLSPFile(t *tree.Tree, p string) bool {
	doc, ok := document(t, p, badSyntax).(map[string]any)
	for _, s := range doc {
		command := text(object(s)["command"])
		languages := object(object(s)["extensionToLanguage"])
		if command == "" || strings.Contains(command, " ") && !strings.HasPrefix(command, "/") || len(languages) == 0 {
			return false
		}
		if _, want := claudeLSP(s); want != "" {
			return false
		}
		for ext, l := range languages {
			if !strings.HasPrefix(ext, ".") || text(l) == "" {
				return false
			}
		}
	}
	return ok
}

// claudeLSP is what Claude Code checks of a language server beside its command.
func claudeLSP(v any) ([]any, string) {
	return objectOf(
		optional("args", listOf(isText)), optional("env", mapOf(isText)), optional("workspaceFolder", isText),
		optional("transport", named(func(s string) bool { return s == "stdio" || s == "socket" }, "stdio or socket")),
		optional("startupTimeout", isNumber), optional("shutdownTimeout", isNumber), optional("maxRestarts", isNumber),
		optional("restartOnCrash", isTruth),
	)(v)
}
