package component

import (
	"cmp"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// Lenient reads a file that the host drops silently when it is broken.
func Lenient() syntax.Options {
	return syntax.Options{
		AllowDuplicates: true, AllowBOM: true,
		Severity: map[string]problem.Severity{"json/encoding": problem.Warning, "json/syntax": problem.Warning},
	}
}

// DeclaredServers reads `mcpServers`: a path, an object of servers, or a list of
// both. The host refuses a manifest with a server that it does not understand.
func (r *Reader) DeclaredServers(v Value) {
	if k := v.Kind(); k != '"' && k != '{' && k != '[' {
		r.Report(v, r.rules.Type.Report("\"mcpServers\" is %s, want an object, a path or a list", v.Found()))
		return
	}
	for _, e := range v.OneOrMore() {
		switch e.Kind() {
		case '{':
			r.Servers(e, problem.Error)
		case '"':
			r.serverPath(e)
		default:
			r.Report(e, r.rules.Type.Report("\"mcpServers\" has %s where an object or a path is wanted", e.Found()))
		}
	}
}

// serverPath reads a path to a file of servers, or to a bundle.
func (r *Reader) serverPath(v Value) {
	text := v.Text()
	if strings.HasSuffix(text, ".mcpb") || strings.HasSuffix(text, ".dxt") {
		r.Component(manifest.Component{Type: manifest.ServerComponent, Name: text, Path: v.File(), Detail: "bundle " + text})
		if !IsURL(text) {
			r.Existing(v, "mcpServers", "")
		}
		return
	}
	p, ok := r.Resolve(v, "mcpServers", ".json")
	switch {
	case !ok:
	case r.Tree.Lookup(p) == nil:
		r.Missing(v, "mcpServers", problem.Warning) // skipped without a word
	default:
		r.ServerFile(p)
	}
}

// ServerFile reads a file like .mcp.json, with or without the "mcpServers" key.
// The host drops what it does not understand and loads the rest.
func (r *Reader) ServerFile(p string) {
	root, ok := r.JSON(p, manifest.ServerComponent, Lenient())
	if !ok {
		return
	}
	if root.Kind() != '{' {
		r.Report(root, r.rules.Server.Report("the file is %s, want an object of servers; the host loads none", root.Found()).As(problem.Warning))
		if len(root.Elements()) > 0 {
			r.Unread(manifest.ServerComponent, p)
		}
		return
	}
	servers, wrapped := root.Get("mcpServers")
	if !wrapped {
		servers = root
		if other, ok := root.Get("servers"); ok && serverDetail(other) == "" {
			r.Servers(other, problem.Warning) // what Visual Studio Code calls it
		}
	}
	if servers.Kind() != '{' {
		r.Report(servers, r.rules.Server.Report("\"mcpServers\" is %s, want an object of servers; the host loads none", servers.Found()).As(problem.Warning))
		return
	}
	r.Servers(servers, problem.Warning)
}

// Servers reads an object of servers. All are listed that name something to
// start, also those that this host drops.
func (r *Reader) Servers(v Value, severity problem.Severity) {
	for _, s := range v.Members() {
		fault := serverFault
		if r.host.Server != nil {
			fault = r.host.Server
		}
		if why, at := fault(s.Value); why != "" {
			r.Report(at, r.rules.Server.Report("the server %q %s; %s", Clip(s.Key), why, cmp.Or(r.host.ServerFate, outcome(severity))).As(severity))
		}
		if target, _ := s.Get("url"); isRemote(s.Value) && !IsURL(target.Text()) && target.Text() != "" && !strings.Contains(target.Text(), "${") {
			r.Report(target, r.rules.Server.Report("the url of server %q is none; the host never connects", Clip(s.Key)).As(problem.Warning))
		}
		if detail := serverDetail(s.Value); detail != "" {
			r.Component(manifest.Component{Type: manifest.ServerComponent, Name: s.Key, Path: v.File(), Detail: detail})
		}
		if command, ok := s.Get("command"); ok {
			r.Program(command)
		}
	}
}

func isRemote(s Value) bool {
	typ, _ := s.Get("type")
	return slices.Contains([]string{"http", "sse", "ws", "streamable-http"}, typ.Text())
}

// serverFault returns what keeps the host from taking a server, and where.
func serverFault(s Value) (why string, at Value) {
	if s.Kind() != '{' {
		return "is " + s.Found() + ", want an object", s
	}
	typ, hasType := s.Get("type")
	command, hasCommand := s.Get("command")
	link, hasURL := s.Get("url")
	switch {
	case isRemote(s):
		if link.Kind() != '"' {
			return "needs a \"url\"", s
		}
		if h, ok := s.Get("headers"); ok && !h.TextMap() {
			return "has \"headers\" that are not text", h
		}
	case hasType && typ.Text() == "sdk":
		return "", s
	case hasType && typ.Text() != "stdio":
		return "has an unknown \"type\"", typ
	case !hasCommand && hasURL:
		return "has a \"url\" but no \"type\"", s
	case command.Kind() != '"':
		return "needs a \"command\"", s
	case command.Text() == "":
		return "has an empty \"command\"", command
	}
	for _, m := range s.Members() {
		switch m.Key {
		case "args":
			if _, ok := m.Texts(); !ok {
				return "has \"args\" that are no list of strings", m.Value
			}
		case "env":
			if !m.TextMap() {
				return "has \"env\" that is not text", m.Value
			}
		case "timeout":
			if !m.Positive() {
				return "has a \"timeout\" that is no number above 0", m.Value
			}
		}
	}
	return "", s
}

// serverDetail is what a server starts or connects to.
func serverDetail(s Value) string {
	command, _ := s.Get("command")
	words, _ := command.Texts()
	if command.Text() != "" {
		words = []string{command.Text()}
	}
	if args, _ := s.Get("args"); len(words) > 0 {
		list, _ := args.Texts()
		words = append(words, list...)
	}
	for _, key := range []string{"url", "httpUrl", "serverUrl", "tcp"} { // what different hosts call it
		if link, _ := s.Get(key); link.Text() != "" {
			words = append(words, link.Text())
		}
	}
	if helper, _ := s.Get("headersHelper"); helper.Text() != "" {
		words = append(words, "(headers from "+helper.Text()+")")
	}
	if typ, _ := s.Get("type"); len(words) == 0 {
		return typ.Text()
	}
	return strings.Join(words, " ")
}
