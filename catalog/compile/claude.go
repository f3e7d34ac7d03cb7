package compile

import (
	"strings"

	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/manifest"
)

// claudePath is Claude Code's catalog. portablePath is the one beside it for
// versions that would stumble over the newest kinds of sources; they take it as
// the "path" of the marketplace in their settings. Its name must be
// marketplace.json: the validator takes any other for a plugin.
const (
	claudePath   = ".claude-plugin/marketplace.json"
	portablePath = ".claude-plugin/portable/marketplace.json"
)

// claudeDialect is Claude Code, tried with 2.1.332: an entry with strict false
// and component fields is a whole plugin, whatever files its directory has;
// "skills": ["./"] is the SKILL.md at the top; userConfig in an entry is asked
// for; without a description the strict validator warns.
func claudeDialect() *dialect {
	return &dialect{
		flavour: catalog.Claude,
		host:    "Claude Code",
		path:    claudePath,
		renames: true,
		carries: []manifest.ComponentType{
			manifest.SkillComponent, manifest.CommandComponent, manifest.AgentComponent, manifest.HookComponent,
			manifest.ServerComponent, manifest.LSPComponent, manifest.MonitorComponent, manifest.ProgramComponent,
			manifest.SettingComponent, manifest.OtherComponent,
		},
		header: claudeHeader,
		entry:  claudeEntry,
		own:    []string{"name", "displayName", "description", "version", "source", "license", "strict", "skills", "mcpServers", "userConfig"},
	}
}

func claudeHeader(c *compiler, head *syntax.Object) {
	c.name(head)
	c.owner(head, "name", "email", "url")
	if text(*head, "description") != "" {
		return
	}
	description := c.source.Description
	if description == "" {
		// The strict validator wants one.
		description = "Plugins of " + c.source.Name
		if c.source.Owner.Name != "" {
			description = "Plugins of " + c.source.Owner.Name
		}
	}
	c.set(head, "description", description)
}

func claudeEntry(c *compiler, u *unit) (*syntax.Object, bool) {
	if u.file == claudePath {
		e := clone(u.raw) // the owner's, in this very file
		if need := needs(u); need != "" {
			c.needs(u, need)
		}
		return &e, true
	}
	e := c.described(u)
	if !c.claudeSource(u, e) {
		return nil, false
	}
	u.copyKeys(e, describing())
	switch {
	case u.isNative():
		if !c.nativeParts(u) {
			return nil, false
		}
		c.claudeNative(u, e)
	default:
		if !u.own {
			u.copyKeys(e, []string{"strict"})
			u.copyKeys(e, u.present(componentKeys()))
			e.Delete("apps")
		}
		c.checkComponents(u)
	}
	c.notCarried(u, u.rest(e, "interface"))
	return e, true
}

// claudeNative defines a native package by its entry alone.
func (c *compiler) claudeNative(u *unit, e *syntax.Object) {
	m := u.pkg.Manifest
	c.set(e, "strict", false)
	if m.Kind == manifest.Skill {
		c.set(e, "skills", []string{"./"})
		return
	}
	c.set(e, "mcpServers", map[string]server{u.name: {
		Command: "python3", Args: []string{"${CLAUDE_PLUGIN_ROOT}/" + m.Entrypoint}, Env: u.environment("${user_config.KEY}"),
	}})
	if len(m.Settings) == 0 {
		return
	}
	asked := &syntax.Object{}
	for _, s := range m.Settings {
		q := question{Type: "string", Title: s.Label, Description: s.Description, Sensitive: s.Secret, Required: s.Required}
		if q.Title == "" {
			q.Title = s.Key
		}
		if q.Description == "" {
			q.Description = q.Title
		}
		if !s.Required {
			q.Default = new(string) // so that what was not answered is empty
		}
		c.set(asked, s.Key, q)
	}
	c.set(e, "userConfig", asked)
}

// question is a setting as Claude Code asks for it.
type question struct {
	Type        string  `json:"type"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Sensitive   bool    `json:"sensitive,omitzero"`
	Required    bool    `json:"required,omitzero"`
	Default     *string `json:"default,omitzero"`
}

// claudeSource writes the source: git-subdir for a directory of a repository,
// since Claude Code ignores "path" of the others.
func (c *compiler) claudeSource(u *unit, e *syntax.Object) bool {
	if u.dir != "" {
		c.set(e, "source", relative(u.dir))
		return true
	}
	if r, ok := u.remote(); ok {
		s := gitSource{Source: "url", URL: r.url, Ref: r.ref, SHA: r.sha}
		switch {
		case r.dir != "":
			s.Source, s.Path = "git-subdir", r.dir
		case r.repo != "":
			s.Source, s.Repo, s.URL = "github", r.repo, ""
		}
		c.set(e, "source", s)
		return true
	}
	switch u.entry.Source.Form {
	case catalog.NPM, catalog.Archive, catalog.Command:
		if need := needs(u); need != "" {
			c.needs(u, need)
		}
		raw, _ := u.source()
		e.Set("source", raw)
		return true
	}
	c.leftOut(u, lostForm(u))
	return false
}

// relative writes a directory of the repository.
func relative(dir string) string {
	if dir == "." {
		return "./"
	}
	return "./" + strings.TrimPrefix(dir, "./")
}

// needs reports an entry that only newer versions read.
func (c *compiler) needs(u *unit, version string) {
	c.report(u, ruleNeedsVersion.Report("%s: the source of %s, %s, needs version %s or newer; older ones read %s",
		c.d.host, clip(u.name), u.entry.Source.Form, version, portablePath))
}

// portable writes the catalog without what older versions stumble over, when
// there is any of it.
func (c *compiler) portable(head syntax.Object, list []syntax.Object) {
	newer := map[string]bool{}
	for _, u := range c.units {
		if needs(u) != "" {
			newer[u.name] = true
		}
	}
	rest := []syntax.Object{}
	for _, e := range list {
		if !newer[text(e, "name")] {
			rest = append(rest, e)
		}
	}
	if len(rest) == len(list) {
		return
	}
	out := &syntax.Object{}
	for _, k := range head.Keys() {
		v, _ := head.Get(k)
		out.Set(k, v)
	}
	c.set(out, "plugins", rest)
	c.putJSON(portablePath, out)
}
