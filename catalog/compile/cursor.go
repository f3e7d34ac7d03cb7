package compile

import (
	"path"

	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/manifest"
)

// cursorDialect is Cursor. Its schemas are closed: an entry has a name, a
// directory of the repository and a description; all else is in the package's
// own .cursor-plugin/plugin.json, without which it is no plugin. No program of
// it runs offline, so its schemas and its own published catalog are the source
// of what is written here.
func cursorDialect() *dialect {
	return &dialect{
		flavour: catalog.Cursor,
		host:    "Cursor",
		path:    ".cursor-plugin/marketplace.json",
		carries: []manifest.ComponentType{
			manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent, manifest.ServerComponent,
		},
		header: cursorHeader,
		entry:  cursorEntry,
		own:    []string{"name", "source", "description"},
	}
}

func cursorHeader(c *compiler, head *syntax.Object) {
	c.name(head)
	c.owner(head, "name", "email")
	if _, there := head.Get("metadata"); !there && c.source.Description != "" {
		c.set(head, "metadata", map[string]string{"description": c.source.Description})
	}
}

func cursorEntry(c *compiler, u *unit) (*syntax.Object, bool) {
	e := c.entry(u)
	switch {
	case u.dir == "":
		c.leftOut(u, "the host's catalog names directories of its own repository only")
		return nil, false
	case u.pkg.has(".cursor-plugin"):
		c.set(e, "source", relative(u.dir))
		c.checkComponents(u)
	case (u.isNative() || u.skillCopy()) && len(u.pkg.Files) > 0:
		if !c.cursorPackage(u) {
			return nil, false
		}
		c.set(e, "source", "./"+u.hostDir())
	default:
		c.leftOut(u, "it has no .cursor-plugin/plugin.json, without which the host does not take it for a plugin",
			"write "+path.Join(u.dir, ".cursor-plugin/plugin.json")+" with at least its name")
		return nil, false
	}
	c.setText(e, "description", u.description())
	if keys := u.present(componentKeys()); len(keys) > 0 && !u.own {
		c.lost(u, several("field", keys), "the host's catalog cannot define components")
	}
	c.notCarried(u, u.rest(e, append(componentKeys(), "version", "displayName", "license", "strict", "source")...))
	return e, true
}

// cursorPackage writes a package for Cursor with the exact files of u in it.
func (c *compiler) cursorPackage(u *unit) bool {
	if u.isNative() && !c.nativeParts(u) {
		return false
	}
	m := hostManifest{
		Name: u.name, DisplayName: u.displayName(), Version: u.entry.Version, Description: u.description(), License: text(u.raw, "license"),
	}
	if u.skillCopy() {
		c.copyTo(u, "skills/"+u.name)
		m.Skills = "./skills/"
	} else {
		c.copyTo(u, "package")
		c.putJSON(path.Join(u.hostDir(), "mcp.json"), map[string]map[string]server{"mcpServers": {u.name: {
			Command: "python3", Args: []string{"${CURSOR_PLUGIN_ROOT}/package/" + u.pkg.Manifest.Entrypoint},
			Env: u.environment("${env:KEY}"),
		}}})
		m.MCPServers = "./mcp.json"
		c.unasked(u)
	}
	c.putJSON(path.Join(u.hostDir(), ".cursor-plugin", "plugin.json"), m)
	return true
}
