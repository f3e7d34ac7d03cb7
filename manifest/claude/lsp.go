package claude

import (
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/problem"
)

// declaredLSP reads `lspServers`: a path, an object of servers, or a list of both.
func (l *loader) declaredLSP(v value) {
	if k := v.kind(); k != '"' && k != '{' && k != '[' {
		l.report(v, ruleType.Report("\"lspServers\" is %s, want an object, a path or a list", v.found()))
		return
	}
	for _, e := range oneOrMore(v) {
		switch e.kind() {
		case '{':
			l.lspServers(e, problem.Error)
		case '"':
			if p, ok := l.existing(e, "lspServers", ".json"); ok {
				l.lspFile(p)
			}
		default:
			l.report(e, ruleType.Report("\"lspServers\" has %s where an object or a path is wanted", e.found()))
		}
	}
}

// lspFile reads a file like .lsp.json. The host drops the whole file silently
// when anything in it is wrong.
func (l *loader) lspFile(p string) {
	root, ok := l.json(p, lenient())
	if !ok {
		return
	}
	if root.kind() != '{' {
		l.report(root, ruleLSP.Report("the file is %s, want an object of servers; the host loads none", root.found()).As(problem.Warning))
		return
	}
	if inner, ok := root.get("lspServers"); ok && inner.kind() == '{' {
		l.report(inner, ruleLSP.Report("the servers are wrapped in \"lspServers\"; the host loads none").As(problem.Warning).
			WithFix("put the servers at the top of the file"))
		root = inner
	}
	l.lspServers(root, problem.Warning)
}

func (l *loader) lspServers(v value, severity problem.Severity) {
	for _, s := range v.members() {
		if why, at := lspFault(s.value); why != "" {
			l.report(at, ruleLSP.Report("the language server %q %s; %s", clip(s.key), why, outcome(severity)).As(severity))
		}
		if detail := serverDetail(s.value); detail != "" {
			l.component(manifest.Component{Type: manifest.LSPComponent, Name: s.key, Path: v.file(), Detail: detail})
		}
		if command, ok := s.get("command"); ok {
			l.program(command)
		}
	}
}

// lspFault returns what keeps the host from taking a language server, and where.
func lspFault(s value) (why string, at value) {
	if s.kind() != '{' {
		return "is " + s.found() + ", want an object", s
	}
	command, _ := s.get("command")
	switch text := command.text(); {
	case text == "":
		return "needs a \"command\"", s
	case strings.Contains(text, " ") && !strings.HasPrefix(text, "/"):
		return "has a command with spaces; arguments go into \"args\"", command
	}
	languages, _ := s.get("extensionToLanguage")
	if !languages.textMap() || len(languages.members()) == 0 {
		return "needs \"extensionToLanguage\" with at least one ending", s
	}
	for _, m := range languages.members() {
		if !strings.HasPrefix(m.key, ".") || m.text() == "" {
			return "has an ending without a dot, or without a language", m.value
		}
	}
	known := []string{
		"command", "args", "extensionToLanguage", "transport", "env", "initializationOptions", "settings",
		"workspaceFolder", "startupTimeout", "shutdownTimeout", "restartOnCrash", "maxRestarts", "diagnostics",
	}
	for _, m := range s.members() {
		if !slices.Contains(known, m.key) {
			return "has the unknown key \"" + clip(m.key) + "\"", m.value
		}
		if _, ok := m.texts(); m.key == "args" && !ok {
			return "has \"args\" that are no list of strings", m.value
		}
	}
	return "", s
}
