package compile

import (
	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/manifest"
)

// copilotDialect is GitHub Copilot CLI and VS Code, tried with Copilot 1.0.102:
// one source of a kind it does not know, or a name that is there twice, makes
// it refuse the whole catalog, so such entries never get into it; a SKILL.md at
// the top is loaded; a "path" counts for url and github too, while older
// versions refuse git-subdir (formats 1.4); mcpServers of an entry are started, with the directory of
// the plugin in CLAUDE_PLUGIN_ROOT.
//
// It looks for marketplace.json first. Where the native catalog has that name,
// Copilot reads the native catalog, which then says what Copilot needs.
func copilotDialect() *dialect {
	return &dialect{
		flavour: catalog.Copilot,
		host:    "Copilot",
		path:    ".github/plugin/marketplace.json",
		carries: []manifest.ComponentType{
			manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent, manifest.HookComponent,
			manifest.ServerComponent, manifest.LSPComponent,
		},
		header: copilotHeader,
		entry:  copilotEntry,
		own: append(append(componentKeys(), describing()...),
			"name", "source", "version", "description", "displayName", "strict"),
	}
}

func copilotHeader(c *compiler, head *syntax.Object) {
	c.name(head)
	c.owner(head, "name", "email")
	if _, there := head.Get("metadata"); !there && c.source.Description != "" {
		c.set(head, "metadata", map[string]string{"description": c.source.Description})
	}
}

func copilotEntry(c *compiler, u *unit) (*syntax.Object, bool) {
	e := c.described(u)
	if !c.copilotSource(u, e) {
		return nil, false
	}
	u.copyKeys(e, describing())
	switch {
	case u.isNative():
		if !c.nativeParts(u) {
			return nil, false
		}
		c.copilotServer(u, e)
	default:
		if !u.own {
			u.copyKeys(e, []string{"strict"})
			for _, k := range u.present(componentKeys()) {
				switch k {
				case "skills", "commands", "agents", "hooks", "mcpServers", "lspServers":
					u.copyKeys(e, []string{k})
				default:
					c.lost(u, k+" of its entry", "the host does not load them from plugins")
				}
			}
		}
		c.checkComponents(u)
	}
	c.notCarried(u, u.rest(e, append(componentKeys(), "interface")...))
	return e, true
}

// copilotServer writes the server of a native package. It reports whether there
// is one.
func (c *compiler) copilotServer(u *unit, e *syntax.Object) bool {
	m := u.pkg.Manifest
	if m.Entrypoint == "" {
		return false
	}
	c.set(e, "mcpServers", map[string]server{u.name: {
		Command: "python3", Args: []string{"${CLAUDE_PLUGIN_ROOT}/" + m.Entrypoint}, Env: u.environment("${KEY}"),
	}})
	c.unasked(u)
	return true
}

func (c *compiler) copilotSource(u *unit, e *syntax.Object) bool {
	if u.dir != "" {
		c.set(e, "source", relative(u.dir))
		return true
	}
	r, ok := u.remote()
	if !ok {
		c.leftOut(u, lostForm(u)+", and would refuse the whole catalog because of it")
		return false
	}
	s := gitSource{Source: "url", URL: r.url, Path: r.dir, Ref: r.ref, SHA: r.sha}
	if r.repo != "" {
		s.Source, s.Repo, s.URL = "github", r.repo, ""
	}
	c.set(e, "source", s)
	return true
}

// nativeForCopilot writes the native catalog with what Copilot needs beside
// what Pinion reads: the servers of native packages. The entries of plugins that
// live elsewhere cannot be in it.
func (c *compiler) nativeForCopilot() {
	list := []syntax.Object{}
	for _, u := range c.units {
		if !u.own {
			c.leftOut(u, "the host reads "+nativePath+" before any other catalog, and a native one lists only plugins of its own repository",
				"keep it in a repository of its own, or copy it below plugins")
			continue
		}
		e := clone(u.raw)
		e.Delete("mcpServers")
		if u.isNative() {
			// One that has nothing for the host stays in the list, which is
			// Pinion's too: it installs and adds nothing.
			if c.nativeParts(u) {
				c.copilotServer(u, &e)
			}
		} else {
			c.checkComponents(u)
		}
		list = append(list, e)
	}
	c.host.Plugins = len(list) - c.ownLeftOut()
	c.forCopilot = list
}

// ownLeftOut counts the native packages among those left out.
func (c *compiler) ownLeftOut() int {
	n := c.host.LeftOut
	for _, u := range c.units {
		if !u.own {
			n--
		}
	}
	return n
}
