package agentplugins

import (
	"path"
	"strings"

	"pinion/manifest"
	"pinion/manifest/component"
	"pinion/problem"
)

// clients lists what single clients may take: their data in the manifest, and
// the directories named after them.
func (l *loader) clients(root component.Value) {
	ext, _ := root.Get("extensions")
	for _, m := range ext.Members() {
		l.Component(manifest.Component{Type: manifest.OtherComponent, Name: m.Key, Path: ManifestPath, Detail: "client extension"})
		if hooks, ok := m.Get("hooks"); ok && hooks.Kind() == '{' {
			l.Events(hooks)
		}
		if servers, ok := m.Get("mcpServers"); ok && servers.Kind() == '{' {
			l.Servers(servers, problem.Warning)
		}
	}
	l.starts(root)
	last := ""
	for _, f := range l.Tree.Files {
		dir, rest, below := strings.Cut(f.Path, "/")
		if !below || !isClient(dir) {
			continue
		}
		if dir != last {
			last = dir
			l.Component(manifest.Component{Type: manifest.OtherComponent, Name: dir, Path: f.Path, Detail: "client extension"})
		}
		l.clientFile(f.Path, rest)
	}
}

// starts lists what the manifest has for clients that read it by rules of their
// own, as Copilot does, whatever the specification says of these fields.
func (l *loader) starts(root component.Value) {
	for _, m := range root.Members() {
		p := component.Inside(m.Text())
		isFile := m.Kind() == '"' && l.Tree.Lookup(p) != nil
		switch m.Key {
		case "hooks":
			if isFile {
				l.HooksFile(p)
			} else if inner, ok := m.Get("hooks"); ok && inner.Kind() == '{' {
				l.Events(inner)
			} else {
				l.Events(m.Value)
			}
		case "mcpServers":
			if isFile {
				l.ServerFile(p)
			} else {
				l.Servers(m.Value, problem.Warning)
			}
		case "lspServers":
			if isFile {
				l.LSPFile(p)
			} else {
				l.LSPServers(m.Value, problem.Warning)
			}
		}
	}
}

// isClient reports whether a directory at the top is one of a client. Those that
// only look so, as example.com/ in a site, do no harm.
func isClient(dir string) bool { return dir[0] != '.' && isNamespace(dir) }

// clientFile lists what a file in a client's directory adds, by the places that
// the clients known so far have: hooks, servers, commands, agents.
func (l *loader) clientFile(p, rest string) {
	switch base := component.Base(p); {
	case base == "hooks.json":
		l.HooksFile(p)
	case base == ".mcp.json" || base == "mcp.json":
		l.ServerFile(p)
	case base == ".lsp.json" || base == "lsp.json":
		l.LSPFile(p)
	case base == "SKILL.md":
		l.Skill(p, component.Base(path.Dir(p)))
	case strings.HasPrefix(rest, "commands/") && strings.HasSuffix(base, ".md"):
		l.Command(p, component.Stem(p))
	case strings.HasPrefix(rest, "agents/") && strings.HasSuffix(base, ".md"):
		l.Agent(p, "")
	}
}
