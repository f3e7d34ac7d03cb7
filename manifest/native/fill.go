package native

import (
	"strconv"

	"pinion/manifest"
)

// fill writes what was read into m.
func (c *checker) fill(m *manifest.Manifest) {
	d := &c.doc
	m.ID, m.Name, m.Version, m.Description = d.ID, d.Name, d.Version, d.Description
	m.Kind, m.License = manifest.Kind(d.Kind), d.License
	m.Files, m.Entrypoint, m.Permissions = d.Files, d.Entrypoint, d.Permissions
	if n := len(d.Tools); n > 0 {
		m.Tools = make([]manifest.Tool, n)
		for i, t := range d.Tools {
			m.Tools[i] = manifest.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, RequiresConfirmation: t.RequiresConfirmation}
		}
	}
	if n := len(d.Configuration); n > 0 {
		m.Settings = make([]manifest.Setting, n)
		for i, s := range d.Configuration {
			m.Settings[i] = manifest.Setting(s)
		}
	}
	if d.UI.contributes() {
		m.UI = &manifest.UI{Styles: d.UI.Styles, Patches: d.UI.Patches, Assets: d.UI.Assets}
		for _, p := range d.UI.Pages {
			m.UI.Pages = append(m.UI.Pages, manifest.Page(p))
		}
	}
	if n := len(d.Hooks); n > 0 {
		m.Hooks = make([]manifest.Hook, n)
		for i, h := range d.Hooks {
			m.Hooks[i] = manifest.Hook(h)
		}
	}
	m.Components = d.components(m.Path)
}

// components lists what the plugin adds: the server and its tools, hooks, the
// user interface, settings, each in the order of the manifest.
func (d *document) components(path string) []manifest.Component {
	n := len(d.Tools) + len(d.Hooks) + len(d.UI.Pages) + len(d.UI.Styles) + len(d.UI.Patches) + len(d.Configuration) + 1
	out := make([]manifest.Component, 0, n)
	add := func(t manifest.ComponentType, name, path, detail string) {
		out = append(out, manifest.Component{Type: t, Name: name, Path: path, Detail: detail})
	}
	if d.Kind == string(manifest.Skill) {
		add(manifest.SkillComponent, d.ID, "SKILL.md", "")
	}
	if d.Entrypoint != "" {
		add(manifest.ServerComponent, d.ID, d.Entrypoint, "python "+d.Entrypoint)
	}
	for _, t := range d.Tools {
		detail := ""
		if t.RequiresConfirmation {
			detail = "asks before each call"
		}
		add(manifest.ToolComponent, t.Name, d.Entrypoint, detail)
	}
	for _, h := range d.Hooks {
		add(manifest.HookComponent, h.Event, h.Entrypoint, "at most "+strconv.Itoa(h.Timeout)+" s")
	}
	for _, p := range d.UI.Pages {
		add(manifest.PageComponent, p.ID, p.Entrypoint, p.Title)
	}
	for _, s := range d.UI.Styles {
		add(manifest.StyleComponent, s, s, "")
	}
	for _, p := range d.UI.Patches {
		add(manifest.PatchComponent, p, p, "")
	}
	for _, s := range d.Configuration {
		add(manifest.SettingComponent, s.Key, path, s.detail())
	}
	return out
}

func (s setting) detail() string {
	switch {
	case s.Secret && s.Required:
		return "secret, required"
	case s.Secret:
		return "secret"
	case s.Required:
		return "required"
	}
	return ""
}
