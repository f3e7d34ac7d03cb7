package component

import (
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/problem"
)

// DeclaredLSP reads `lspServers`: a path, an object of servers, or a list of both.
func (r *Reader) DeclaredLSP(v Value) {
	if k := v.Kind(); k != '"' && k != '{' && k != '[' {
		r.Report(v, r.rules.Type.Report("\"lspServers\" is %s, want an object, a path or a list", v.Found()))
		return
	}
	for _, e := range v.OneOrMore() {
		switch e.Kind() {
		case '{':
			r.LSPServers(e, problem.Error)
		case '"':
			if p, ok := r.Existing(e, "lspServers", ".json"); ok {
				r.LSPFile(p)
			}
		default:
			r.Report(e, r.rules.Type.Report("\"lspServers\" has %s where an object or a path is wanted", e.Found()))
		}
	}
}

// LSPFile reads a file like .lsp.json. The host drops the whole file silently
// when anything in it is wrong.
func (r *Reader) LSPFile(p string) {
	root, ok := r.JSON(p, manifest.LSPComponent, Lenient())
	if !ok {
		return
	}
	if root.Kind() != '{' {
		r.Report(root, r.rules.LSP.Report("the file is %s, want an object of servers; the host loads none", root.Found()).As(problem.Warning))
		return
	}
	if inner, ok := root.Get("lspServers"); ok && inner.Kind() == '{' {
		r.Report(inner, r.rules.LSP.Report("the servers are wrapped in \"lspServers\"; the host loads none").As(problem.Warning).
			WithFix("put the servers at the top of the file"))
		root = inner
	}
	r.LSPServers(root, problem.Warning)
}

func (r *Reader) LSPServers(v Value, severity problem.Severity) {
	for _, s := range v.Members() {
		if why, at := lspFault(s.Value); why != "" {
			r.Report(at, r.rules.LSP.Report("the language server %q %s; %s", Clip(s.Key), why, outcome(severity)).As(severity))
		}
		if detail := serverDetail(s.Value); detail != "" {
			r.Component(manifest.Component{Type: manifest.LSPComponent, Name: s.Key, Path: v.File(), Detail: detail})
		}
		if command, ok := s.Get("command"); ok {
			r.Program(command)
		}
	}
}

// lspFault returns what keeps the host from taking a language server, and where.
func lspFault(s Value) (why string, at Value) {
	if s.Kind() != '{' {
		return "is " + s.Found() + ", want an object", s
	}
	command, _ := s.Get("command")
	switch text := command.Text(); {
	case text == "":
		return "needs a \"command\"", s
	case strings.Contains(text, " ") && !strings.HasPrefix(text, "/"):
		return "has a command with spaces; arguments go into \"args\"", command
	}
	languages, _ := s.Get("extensionToLanguage")
	if !languages.TextMap() || len(languages.Members()) == 0 {
		return "needs \"extensionToLanguage\" with at least one ending", s
	}
	for _, m := range languages.Members() {
		if !strings.HasPrefix(m.Key, ".") || m.Text() == "" {
			return "has an ending without a dot, or without a language", m.Value
		}
	}
	known := []string{
		"command", "args", "extensionToLanguage", "transport", "env", "initializationOptions", "settings",
		"workspaceFolder", "startupTimeout", "shutdownTimeout", "restartOnCrash", "maxRestarts", "diagnostics",
	}
	for _, m := range s.Members() {
		if !slices.Contains(known, m.Key) {
			return "has the unknown key \"" + Clip(m.Key) + "\"", m.Value
		}
		if _, ok := m.Texts(); m.Key == "args" && !ok {
			return "has \"args\" that are no list of strings", m.Value
		}
	}
	return "", s
}
