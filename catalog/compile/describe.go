package compile

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
)

// describing are the keys of an entry that only describe (formats 1.1.2), in
// the order in which they are written.
func describing() []string {
	return []string{"author", "homepage", "repository", "license", "keywords", "category", "tags", "relevance", "metadata", "defaultEnabled", "dependencies"}
}

// componentKeys are the keys of an entry that add something to the agent.
func componentKeys() []string {
	return []string{
		"skills", "commands", "agents", "workflows", "outputStyles", "hooks", "mcpServers", "lspServers", "monitors",
		"themes", "experimental", "settings", "userConfig", "channels", "apps",
	}
}

// native are the keys that Pinion needs and no host looks at.
func nativeKeys() []string { return []string{"hash", "kind"} }

// entry begins an entry with what every catalog has.
func (c *compiler) entry(u *unit) *syntax.Object {
	e := &syntax.Object{}
	c.set(e, "name", u.name)
	return e
}

// described is an entry with the words about the plugin.
func (c *compiler) described(u *unit) *syntax.Object {
	e := c.entry(u)
	c.setText(e, "displayName", u.displayName())
	c.setText(e, "description", u.description())
	c.setText(e, "version", u.entry.Version)
	return e
}

// text of an entry, or of the package when the entry has none.
func (u *unit) description() string {
	if s := text(u.raw, "description"); s != "" || u.pkg == nil || u.pkg.Manifest == nil {
		return s
	}
	return u.pkg.Manifest.Description
}

func (u *unit) displayName() string {
	if s := text(u.raw, "displayName"); s != "" {
		return s
	}
	// Codex keeps it in an object of its own.
	var w struct {
		DisplayName string `json:"displayName"`
	}
	if raw, ok := u.raw.Get("interface"); ok && raw[0] == '{' {
		_ = syntax.Decode(raw, &w, syntax.Options{AllowDuplicates: true})
	}
	return w.DisplayName
}

// copyKeys copies the members of a unit's entry that are among keys.
func (u *unit) copyKeys(e *syntax.Object, keys []string) {
	for _, k := range keys {
		if v, ok := u.raw.Get(k); ok && v[0] != 'n' {
			e.Set(k, v)
		}
	}
}

// present returns which of keys a unit's entry has.
func (u *unit) present(keys []string) (out []string) {
	for _, k := range keys {
		if v, ok := u.raw.Get(k); ok && v[0] != 'n' {
			out = append(out, k)
		}
	}
	return out
}

// rest returns the keys of a unit's entry that are not in e and not among
// handled.
func (u *unit) rest(e *syntax.Object, handled ...string) (out []string) {
	for _, k := range u.raw.Keys() {
		_, there := e.Get(k)
		if !there && !slices.Contains(handled, k) && !slices.Contains(nativeKeys(), k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// checkComponents reports what a package has and the host does not load.
func (c *compiler) checkComponents(u *unit) {
	names := map[manifest.ComponentType][]string{}
	var types []manifest.ComponentType
	for _, m := range u.components() {
		if m.Type == manifest.ProgramComponent && !strings.HasPrefix(m.Path, "bin/") {
			continue // an executable file that something else of the plugin starts
		}
		if m.Type == manifest.ToolComponent || slices.Contains(c.d.carries, m.Type) {
			continue
		}
		if names[m.Type] == nil {
			types = append(types, m.Type)
		}
		if name := m.Name; !slices.Contains(names[m.Type], name) {
			names[m.Type] = append(names[m.Type], name)
		}
	}
	for _, t := range types {
		c.lost(u, several(string(t), names[t]), "the host does not load them from plugins")
	}
}

// several words a list of things of one kind.
func several(kind string, names []string) string {
	const most = 5
	shown := slices.Clone(names)
	if len(shown) > most {
		shown = append(shown[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	for i := range shown {
		shown[i] = clip(shown[i])
	}
	if len(names) == 1 {
		return "the " + kind + " " + shown[0]
	}
	return fmt.Sprintf("%d of the kind %s (%s)", len(names), kind, strings.Join(shown, ", "))
}

// nativeParts reports what no host has of a native package, and returns whether
// anything is left.
func (c *compiler) nativeParts(u *unit) bool {
	m := u.pkg.Manifest
	if m.Kind != manifest.Skill && m.Entrypoint == "" {
		what := "hooks and pages"
		if len(m.Hooks) == 0 {
			what = "pages"
		} else if m.UI == nil {
			what = "hooks"
		}
		c.leftOut(u, "it has only "+what+" of Pinion's own kind, which the host cannot call", "nothing: who uses Pinion has it")
		return false
	}
	var hooks []string
	for _, h := range m.Hooks {
		hooks = append(hooks, h.Event)
	}
	if len(hooks) > 0 {
		c.lost(u, several("hook", hooks), "the host cannot call handle(event, context) of a Python file")
	}
	if m.UI != nil {
		var parts []string
		for _, p := range m.UI.Pages {
			parts = append(parts, p.ID)
		}
		c.lost(u, several("ui", append(append(parts, m.UI.Styles...), m.UI.Patches...)), "the host has no pages")
	}
	var confirmed []string
	for _, t := range m.Tools {
		if t.RequiresConfirmation {
			confirmed = append(confirmed, t.Name)
		}
	}
	if len(confirmed) > 0 {
		c.lost(u, several("confirmation", confirmed), "the host asks by its own rules before a tool is called")
	}
	if m.Entrypoint != "" {
		c.report(u, ruleNeeds.Report("%s: %s needs python3 with the package mcp where the host runs", c.d.host, clip(u.name)))
	}
	return true
}

// server is an MCP server as hosts write it.
type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Cwd     string            `json:"cwd,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	EnvVars []string          `json:"env_vars,omitempty"`
}

// environment returns the settings of a package as environment variables, each
// value written by the host's way to name one.
func (u *unit) environment(pattern string) map[string]string {
	out := map[string]string{}
	for _, s := range u.pkg.Manifest.Settings {
		out[s.Key] = strings.ReplaceAll(pattern, "KEY", s.Key)
	}
	return out
}

// settingKeys returns the names of a package's settings.
func (u *unit) settingKeys() (out []string) {
	for _, s := range u.pkg.Manifest.Settings {
		out = append(out, s.Key)
	}
	return out
}

// unasked reports settings that the host takes from the environment.
func (c *compiler) unasked(u *unit) {
	if keys := u.settingKeys(); len(keys) > 0 {
		c.lost(u, several("question for the setting", keys), "the host asks for none; set it in the environment that the host is started in")
	}
}

// hostDir is where the package for hosts of a unit is written.
func (u *unit) hostDir() string { return path.Join(HostsDir, u.name) }

// copyTo writes the exact files of a package below its directory for hosts.
func (c *compiler) copyTo(u *unit, sub string) {
	for _, f := range u.pkg.Files {
		c.put(path.Join(u.hostDir(), sub, f.Path), f.Data, f.Exec)
	}
}

// Copied reports whether the files of a package are needed to compile it for
// the hosts: see [Package.Files].
func Copied(p *Package, hosts []string) bool {
	u := &unit{pkg: p}
	if slices.Contains(hosts, "codex") && u.skillCopy() {
		return true
	}
	return slices.Contains(hosts, "cursor") && (u.isNative() || u.skillCopy()) && !p.has(".cursor-plugin")
}

// skillCopy reports whether a package is one skill at its top, which hosts that
// look into a directory of skills do not find.
func (u *unit) skillCopy() bool {
	if u.isNative() {
		return u.pkg.Manifest != nil && u.pkg.Manifest.Kind == manifest.Skill
	}
	return u.rootSkill()
}

// hostManifest is the plugin.json of a package for hosts.
type hostManifest struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	License     string `json:"license,omitempty"`
	Skills      string `json:"skills,omitempty"`
	MCPServers  string `json:"mcpServers,omitempty"`
	Interface   *face  `json:"interface,omitempty"`
}

type face struct {
	DisplayName string `json:"displayName,omitempty"`
}

func (c *compiler) putJSON(path string, v any) {
	data, err := syntax.Encode(v)
	if err != nil {
		c.out.Problems.Add(ruleWrite.Report("%s cannot be written: %v", path, err).At(path, 0, 0))
		return
	}
	c.put(path, data, false)
}
