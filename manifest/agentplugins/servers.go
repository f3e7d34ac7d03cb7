package agentplugins

import (
	"net/netip"
	"net/url"
	"path"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/manifest/component"
	"pinion/problem"
)

// servers reads mcp.json. What is wrong with the file leaves out every server,
// what is wrong with a server that one. All are listed that name something to
// start, since another client may be laxer.
func (l *loader) servers() {
	if l.Tree.HasDir(mcpPath) {
		l.Add(rulePlace.Report("%q is a directory; clients look for a file", mcpPath).At(l.Tree.Under(mcpPath)[0].Path, 1, 1).As(problem.Warning))
	}
	root, ok := l.JSON(mcpPath, manifest.ServerComponent, syntax.Options{AllowDuplicates: true})
	if !ok {
		return
	}
	none := func(at component.Value, format string, args ...any) {
		l.Report(at, ruleServers.Report(format+"; clients leave out all servers", args...).Survived())
	}
	if root.Kind() != '{' {
		none(root, "the file is %s, want an object", root.Found())
		return
	}
	schema, stated := root.Get("$schema")
	switch {
	case !stated:
		none(root, "the file has no \"$schema\"")
	case schema.Text() != mcpSchema:
		none(schema, "\"$schema\" is not that of version 1.0.0")
	}
	servers, has := root.Get("mcpServers")
	switch {
	case !has:
		none(root, "the file has no \"mcpServers\"")
	case servers.Kind() != '{':
		none(servers, "\"mcpServers\" is %s, want an object", servers.Found())
	}
	for _, m := range root.Members() {
		if m.Key != "$schema" && m.Key != "mcpServers" {
			none(m.Value, "unknown field %q", component.Clip(m.Key))
		}
	}
	for _, s := range servers.Members() {
		l.server(s)
	}
}

func (l *loader) server(s component.Member) {
	if why, at := serverFault(s.Value); why != "" {
		l.Report(at, ruleServer.Report("the server %q %s; clients skip it", component.Clip(s.Key), why))
	}
	command, _ := s.Get("command")
	args, _ := s.Get("args")
	link, _ := s.Get("url")
	words, _ := args.Texts()
	detail := strings.TrimSpace(strings.Join(append([]string{command.Text()}, words...), " "))
	if link.Text() != "" {
		detail = strings.TrimSpace(detail + " " + link.Text())
	}
	if detail != "" {
		l.Component(manifest.Component{Type: manifest.ServerComponent, Name: s.Key, Path: mcpPath, Detail: detail})
	}
	l.program(command)
}

// program reports a command of the package that is not there or not executable.
func (l *loader) program(command component.Value) {
	p, own := strings.CutPrefix(command.Text(), "./")
	if p = component.Inside(p); !own || l.Tree.Partial || strings.HasPrefix(p, "..") {
		return
	}
	rule := component.Shared().Program
	switch f := l.Tree.Lookup(p); {
	case f == nil:
		l.Report(command, rule.Report("the command runs %q, which is not in the package", component.Clip(p)))
	case !f.Exec:
		l.Report(command, rule.Report("the command runs %q, which is not executable", component.Clip(p)).
			WithFix("git update-index --chmod=+x %s, or name the interpreter in the command", p))
	}
}

// serverFault returns what makes clients skip a server, and where.
func serverFault(s component.Value) (why string, at component.Value) {
	if s.Kind() != '{' {
		return "is " + s.Found() + ", want an object", s
	}
	typ, _ := s.Get("type")
	var shape component.Shape
	switch typ.Text() {
	case "stdio":
		shape = component.Object(component.Optional("type", component.String()), component.Required("command", component.String()),
			component.Optional("args", component.Shape{}), component.Optional("env", component.Shape{}), component.Optional("cwd", component.String()))
	case "streamable-http", "sse":
		shape = component.Object(component.Optional("type", component.String()), component.Required("url", component.String()),
			component.Optional("headers", component.Shape{}))
	default:
		if typ.Kind() == 0 {
			return "has no \"type\"", s
		}
		return "has a \"type\" other than stdio, streamable-http and sse", typ
	}
	for _, f := range shape.Fields {
		if v, ok := s.Get(f.Name); f.Required && (!ok || v.Kind() != '"') {
			return "needs the text \"" + f.Name + "\"", s
		}
	}
	for _, m := range s.Members() {
		if why := fieldFault(m, shape); why != "" {
			return why, m.Value
		}
	}
	return "", s
}

// fieldFault returns what is wrong with one field of a server, or "".
func fieldFault(m component.Member, shape component.Shape) string {
	known := false
	for _, f := range shape.Fields {
		known = known || f.Name == m.Key
	}
	if !known {
		return "has the unknown field \"" + component.Clip(m.Key) + "\""
	}
	switch m.Key {
	case "command":
		return commandFault(m.Text())
	case "args":
		if _, ok := m.Texts(); !ok {
			return "has \"args\" that are no list of strings"
		}
	case "env":
		if !m.TextMap() {
			return "has \"env\" that is no object of strings"
		}
		for _, e := range m.Members() {
			if e.Key == "PLUGIN_ROOT" || e.Key == "PLUGIN_DATA" {
				return "sets " + e.Key + ", which the client does"
			}
		}
	case "cwd":
		return cwdFault(m.Text())
	case "url":
		return urlFault(m.Text())
	case "headers":
		return headerFault(m.Value)
	}
	return ""
}

// commandFault judges an executable: a bare name, or a path of the package.
func commandFault(s string) string {
	switch {
	case s == "":
		return "has an empty \"command\""
	case strings.HasPrefix(s, "./"):
		if leaves(s) {
			return "has a \"command\" that leaves the package"
		}
	case strings.ContainsAny(s, `/\`):
		return "has a \"command\" that is neither a bare name nor a path that begins with \"./\""
	case strings.ContainsAny(s, " \t\n"):
		return "has a \"command\" with spaces; arguments go into \"args\""
	case strings.Contains(s, "${"):
		return "has a \"command\" with a placeholder, which is not replaced there"
	}
	return ""
}

func cwdFault(s string) string {
	for _, root := range []string{"${PLUGIN_ROOT}", "${PLUGIN_DATA}"} {
		if tail, ok := strings.CutPrefix(s, root); ok && (tail == "" || tail[0] == '/') {
			s = "./" + strings.TrimPrefix(tail, "/")
		}
	}
	switch {
	case !strings.HasPrefix(s, "./"):
		return "has a \"cwd\" that begins with none of ./, ${PLUGIN_ROOT} and ${PLUGIN_DATA}"
	case leaves(s):
		return "has a \"cwd\" that leaves its directory"
	}
	return ""
}

// leaves reports whether a "./" path leads out of where it begins.
func leaves(p string) bool {
	c := path.Clean(p)
	return c == ".." || strings.HasPrefix(c, "../") || strings.Contains(p, `\`)
}

func urlFault(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "has a \"url\" that is no address of http or https"
	case u.User != nil || u.Fragment != "" || strings.HasSuffix(s, "#"):
		return "has a \"url\" with a user or a fragment"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "has a \"url\" that is not https"
	}
	return ""
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// headerFault judges HTTP headers by RFC 9110.
func headerFault(v component.Value) string {
	if !v.TextMap() {
		return "has \"headers\" that are no object of strings"
	}
	seen := map[string]bool{}
	for _, m := range v.Members() {
		name := strings.ToLower(m.Key)
		if name == "" || strings.Trim(name, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			return "has a header whose name is none"
		}
		if seen[name] {
			return "has the header \"" + name + "\" twice"
		}
		seen[name] = true
		if value := m.Text(); strings.ContainsFunc(value, func(r rune) bool { return r != '\t' && r < ' ' || r == 0x7f }) || strings.TrimSpace(value) != value {
			return "has a header whose value is none"
		}
	}
	return ""
}
