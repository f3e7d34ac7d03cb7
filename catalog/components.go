package catalog

import (
	"bytes"

	"pinion/internal/syntax"
	"pinion/manifest/claude"
	"pinion/pkgfmt"
)

// wireComponents are the fields of an entry that define components of the
// plugin: those of claude.EntryFields, which a test compares. They are part of
// the package's digest, so that consent and scans cover them.
type wireComponents struct {
	Skills       syntax.Raw `json:"skills"`
	Commands     syntax.Raw `json:"commands"`
	Agents       syntax.Raw `json:"agents"`
	Hooks        syntax.Raw `json:"hooks"`
	MCPServers   syntax.Raw `json:"mcpServers"`
	LSPServers   syntax.Raw `json:"lspServers"`
	Monitors     syntax.Raw `json:"monitors"`
	OutputStyles syntax.Raw `json:"outputStyles"`
	Workflows    syntax.Raw `json:"workflows"`
	Themes       syntax.Raw `json:"themes"`
	Experimental syntax.Raw `json:"experimental"`
	Settings     syntax.Raw `json:"settings"`
	UserConfig   syntax.Raw `json:"userConfig"`
	Channels     syntax.Raw `json:"channels"`
}

// fields returns the component fields that are there, or nil. null is the same
// as not there.
func (w *wireComponents) fields() map[string]syntax.Raw {
	var out map[string]syntax.Raw
	add := func(name string, value syntax.Raw) {
		if len(value) == 0 || value[0] == 'n' {
			return
		}
		if out == nil {
			out = map[string]syntax.Raw{}
		}
		out[name] = value
	}
	add("skills", w.Skills)
	add("commands", w.Commands)
	add("agents", w.Agents)
	add("hooks", w.Hooks)
	add("mcpServers", w.MCPServers)
	add("lspServers", w.LSPServers)
	add("monitors", w.Monitors)
	add("outputStyles", w.OutputStyles)
	add("workflows", w.Workflows)
	add("themes", w.Themes)
	add("experimental", w.Experimental)
	add("settings", w.Settings)
	add("userConfig", w.UserConfig)
	add("channels", w.Channels)
	return out
}

// Shared returns how many entries have each place, by [Origin.Place].
func (c *Catalog) Shared() map[string]int {
	out := make(map[string]int, len(c.Entries))
	for i := range c.Entries {
		if p := c.Entries[i].Source.Place(); p != "" {
			out[p]++
		}
	}
	return out
}

// Selection returns which files of its directory belong to an entry: all of
// them, unless the directory is the root of its repository or is the place of
// several entries (shared, from [Catalog.Shared]), and the entry names its
// components.
//
// An entry that starts programs from the plugin's directory is everything too:
// those programs may need any file of it.
func (c *Catalog) Selection(e Entry, shared map[string]int) pkgfmt.Selection {
	if c.Native || len(e.Fields) == 0 || e.Source.Dir != "." && shared[e.Source.Place()] < 2 {
		return pkgfmt.Selection{}
	}
	for _, raw := range e.Fields {
		if bytes.Contains(raw, []byte("PLUGIN_ROOT}")) {
			return pkgfmt.Selection{}
		}
	}
	return pkgfmt.NewSelection(claude.ComponentPaths(e.Fields))
}
