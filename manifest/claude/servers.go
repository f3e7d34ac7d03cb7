package claude

import (
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// lenient reads a file that the host drops silently when it is broken.
func lenient() syntax.Options {
	return syntax.Options{
		AllowDuplicates: true, AllowBOM: true,
		Severity: map[string]problem.Severity{"json/encoding": problem.Warning, "json/syntax": problem.Warning},
	}
}

// declaredServers reads `mcpServers`: a path, an object of servers, or a list of
// both. The host refuses a manifest with a server that it does not understand.
func (l *loader) declaredServers(v value) {
	if k := v.kind(); k != '"' && k != '{' && k != '[' {
		l.report(v, ruleType.Report("\"mcpServers\" is %s, want an object, a path or a list", v.found()))
		return
	}
	for _, e := range oneOrMore(v) {
		switch e.kind() {
		case '{':
			l.servers(e, problem.Error)
		case '"':
			l.serverPath(e)
		default:
			l.report(e, ruleType.Report("\"mcpServers\" has %s where an object or a path is wanted", e.found()))
		}
	}
}

// serverPath reads a path to a file of servers, or to a bundle.
func (l *loader) serverPath(v value) {
	text := v.text()
	if strings.HasSuffix(text, ".mcpb") || strings.HasSuffix(text, ".dxt") {
		l.component(manifest.Component{Type: manifest.ServerComponent, Name: text, Path: v.file(), Detail: "bundle " + text})
		if !isURL(text) {
			l.existing(v, "mcpServers", "")
		}
		return
	}
	p, ok := l.resolve(v, "mcpServers", ".json")
	switch {
	case !ok:
	case l.t.Lookup(p) == nil:
		l.missing(v, "mcpServers", problem.Warning) // skipped without a word
	default:
		l.serverFile(p)
	}
}

// serverFile reads a file like .mcp.json, with or without the "mcpServers" key.
// The host drops what it does not understand and loads the rest.
func (l *loader) serverFile(p string) {
	root, ok := l.json(p, lenient())
	if !ok {
		return
	}
	if root.kind() != '{' {
		l.report(root, ruleServer.Report("the file is %s, want an object of servers; the host loads none", root.found()).As(problem.Warning))
		return
	}
	servers, wrapped := root.get("mcpServers")
	if !wrapped {
		servers = root
	}
	if servers.kind() != '{' {
		l.report(servers, ruleServer.Report("\"mcpServers\" is %s, want an object of servers; the host loads none", servers.found()).As(problem.Warning))
		return
	}
	l.servers(servers, problem.Warning)
}

// servers reads an object of servers. All are listed that name something to
// start, also those that this host drops.
func (l *loader) servers(v value, severity problem.Severity) {
	for _, s := range v.members() {
		if why, at := serverFault(s.value); why != "" {
			l.report(at, ruleServer.Report("the server %q %s; %s", clip(s.key), why, outcome(severity)).As(severity))
		}
		if target, _ := s.get("url"); isRemote(s.value) && !isURL(target.text()) && target.text() != "" && !strings.Contains(target.text(), "${") {
			l.report(target, ruleServer.Report("the url of server %q is none; the host never connects", clip(s.key)).As(problem.Warning))
		}
		if detail := serverDetail(s.value); detail != "" {
			l.component(manifest.Component{Type: manifest.ServerComponent, Name: s.key, Path: v.file(), Detail: detail})
		}
		if command, ok := s.get("command"); ok {
			l.program(command)
		}
	}
}

func isRemote(s value) bool {
	typ, _ := s.get("type")
	return slices.Contains([]string{"http", "sse", "ws", "streamable-http"}, typ.text())
}

// serverFault returns what keeps the host from taking a server, and where.
func serverFault(s value) (why string, at value) {
	if s.kind() != '{' {
		return "is " + s.found() + ", want an object", s
	}
	typ, hasType := s.get("type")
	command, hasCommand := s.get("command")
	link, hasURL := s.get("url")
	switch {
	case isRemote(s):
		if link.kind() != '"' {
			return "needs a \"url\"", s
		}
		if h, ok := s.get("headers"); ok && !h.textMap() {
			return "has \"headers\" that are not text", h
		}
	case hasType && typ.text() == "sdk":
		return "", s
	case hasType && typ.text() != "stdio":
		return "has an unknown \"type\"", typ
	case !hasCommand && hasURL:
		return "has a \"url\" but no \"type\"", s
	case command.kind() != '"':
		return "needs a \"command\"", s
	case command.text() == "":
		return "has an empty \"command\"", command
	}
	for _, m := range s.members() {
		switch m.key {
		case "args":
			if _, ok := m.texts(); !ok {
				return "has \"args\" that are no list of strings", m.value
			}
		case "env":
			if !m.textMap() {
				return "has \"env\" that is not text", m.value
			}
		case "timeout":
			if !m.positive() {
				return "has a \"timeout\" that is no number above 0", m.value
			}
		}
	}
	return "", s
}

// serverDetail is what a server starts or connects to.
func serverDetail(s value) string {
	command, _ := s.get("command")
	words, _ := command.texts()
	if command.text() != "" {
		words = []string{command.text()}
	}
	if args, _ := s.get("args"); len(words) > 0 {
		list, _ := args.texts()
		words = append(words, list...)
	}
	if link, _ := s.get("url"); link.text() != "" {
		words = append(words, link.text())
	}
	if helper, _ := s.get("headersHelper"); helper.text() != "" {
		words = append(words, "(headers from "+helper.text()+")")
	}
	if typ, _ := s.get("type"); len(words) == 0 {
		return typ.text()
	}
	return strings.Join(words, " ")
}
