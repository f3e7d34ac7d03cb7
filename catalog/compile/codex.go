package compile

import (
	"path"
	"strings"

	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/manifest"
)

// codexDialect is OpenAI Codex, tried with 0.171.0: of an entry without a
// manifest in its package every further key is taken for one, if at least a
// version or a description is there; a manifest goes before all of it; a
// SKILL.md at the top is not found; arguments of servers are not expanded, but
// "cwd" is relative to the plugin; env_vars names what comes from the
// environment; the root of the marketplace is no plugin.
func codexDialect() *dialect {
	return &dialect{
		flavour: catalog.Codex,
		host:    "Codex",
		path:    ".agents/plugins/marketplace.json",
		carries: []manifest.ComponentType{manifest.SkillComponent, manifest.HookComponent, manifest.ServerComponent},
		header:  codexHeader,
		entry:   codexEntry,
		own: append(append(componentKeys(), describing()...),
			"name", "source", "version", "description", "displayName", "strict"),
		defaults: []string{"policy", "category", "interface"},
	}
}

func codexHeader(c *compiler, head *syntax.Object) {
	if strings.Trim(c.source.Name, letters+"_-") != "" {
		c.out.Problems.Add(ruleHostName.Report("%s: the name of the catalog %q may have letters, digits, _ and - only", c.d.host, clip(c.source.Name)).At(c.in.Path, 0, 0))
	}
	c.name(head)
	if _, there := head.Get("interface"); !there {
		c.set(head, "interface", face{DisplayName: c.source.Name})
	}
}

// policy is what Codex assumes when nothing is said.
type policy struct {
	Installation   string `json:"installation"`
	Authentication string `json:"authentication"`
}

func codexEntry(c *compiler, u *unit) (*syntax.Object, bool) {
	e := c.entry(u)
	source, ok := c.codexSource(u)
	if !ok {
		return nil, false
	}
	if u.isNative() && !c.nativeParts(u) {
		return nil, false
	}
	if u.skillCopy() && len(u.pkg.Files) > 0 {
		c.copyTo(u, "skills/"+u.name)
		source = localSource{"local", "./" + u.hostDir()}
		c.putJSON(path.Join(u.hostDir(), ".codex-plugin", "plugin.json"), hostManifest{
			Name: u.name, Version: u.entry.Version, Description: u.description(), License: text(u.raw, "license"),
			Skills: "./skills/", Interface: u.face(),
		})
	}
	c.set(e, "source", source)
	u.copyKeys(e, []string{"policy", "category"})
	if _, there := e.Get("policy"); !there {
		c.set(e, "policy", policy{"AVAILABLE", "ON_INSTALL"})
	}
	switch {
	case u.skillCopy():
	case u.isNative():
		c.codexFields(u, e)
		c.set(e, "mcpServers", map[string]server{u.name: {
			Command: "python3", Args: []string{u.pkg.Manifest.Entrypoint}, Cwd: ".", EnvVars: u.settingKeys(),
		}})
		c.unasked(u)
	case u.manifested():
		if id := u.pkg.Manifest; id != nil && id.ID != "" && id.ID != u.name {
			c.leftOut(u, "its own manifest calls it "+clip(id.ID)+", and the host installs only what has one name")
			return nil, false
		}
		if keys := u.present(componentKeys()); len(keys) > 0 && !u.own {
			c.lost(u, strings.Join(keys, ", ")+" of its entry", "the plugin's own manifest goes before the entry")
		}
		c.checkComponents(u)
	default:
		c.codexFields(u, e)
		if !u.own {
			c.codexComponents(u, e)
		}
		c.checkComponents(u)
	}
	c.notCarried(u, u.rest(e, append(componentKeys(), "version", "description", "displayName", "license", "strict", "source")...))
	return e, true
}

// manifested reports whether the package has a manifest that Codex reads.
func (u *unit) manifested() bool {
	return u.pkg.has(".codex-plugin") || u.pkg.has(".claude-plugin")
}

func (u *unit) face() *face {
	if s := u.displayName(); s != "" {
		return &face{DisplayName: s}
	}
	return nil
}

// codexFields writes what takes the place of a manifest.
func (c *compiler) codexFields(u *unit, e *syntax.Object) {
	c.setText(e, "version", u.entry.Version)
	c.setText(e, "description", u.description())
	u.copyKeys(e, []string{"author", "homepage", "repository", "license", "keywords"})
	if f := u.face(); f != nil {
		c.set(e, "interface", f)
	}
}

// codexComponents carries the component fields that Codex knows.
func (c *compiler) codexComponents(u *unit, e *syntax.Object) {
	for _, k := range u.present(componentKeys()) {
		v, _ := u.raw.Get(k)
		switch k {
		case "skills":
			// A skill at the top of the plugin cannot be named.
			if s := string(v); strings.Contains(s, `"./"`) || strings.Contains(s, `"."`) {
				c.lost(u, "the skill at its top", "the host finds skills in directories below only")
				continue
			}
		case "mcpServers":
			if strings.Contains(string(v), "PLUGIN_ROOT}") {
				c.lost(u, "mcpServers of its entry", "the host does not replace the directory of the plugin in arguments")
				continue
			}
		case "hooks", "apps":
		default:
			c.lost(u, k+" of its entry", "the host does not load them from plugins")
			continue
		}
		e.Set(k, v)
	}
}

type localSource struct {
	Source string `json:"source"`
	Path   string `json:"path"`
}

// codexSource returns the source: url with "path" for a directory of a
// repository.
func (c *compiler) codexSource(u *unit) (any, bool) {
	if u.dir == "." {
		c.leftOut(u, "it is the whole repository, and the host installs only directories below", "move the plugin into a directory of its own")
		return nil, false
	}
	if u.dir != "" {
		return localSource{"local", relative(u.dir)}, true
	}
	if r, ok := u.remote(); ok {
		return gitSource{Source: "url", URL: r.url, Path: r.dir, Ref: r.ref, SHA: r.sha}, true
	}
	if u.entry.Source.Form == catalog.NPM {
		raw, _ := u.source()
		return raw, true
	}
	c.leftOut(u, lostForm(u))
	return nil, false
}
