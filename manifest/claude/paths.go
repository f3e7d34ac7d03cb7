package claude

import (
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest/component"
)

// ComponentPaths returns the paths that the component fields of a catalog entry
// name, clean and relative to the package, "" for its root, in order of the
// fields. Paths that leave the package are left out: loading reports them.
func ComponentPaths(entry map[string]syntax.Raw) []string {
	var out []string
	add := func(v component.Value) {
		text := v.Text()
		// Shared directories are selected for every host, and some write bare paths.
		if text == "" || strings.Contains(text, "://") || strings.Contains(text, `\`) || strings.HasPrefix(text, "/") {
			return
		}
		if p := component.Inside(text); p != ".." && !strings.HasPrefix(p, "../") {
			out = append(out, p)
		}
	}
	var experimental []component.Member
	for _, f := range component.EntryFields(entry, componentFields()).List {
		v := f.Value
		switch f.Key {
		case "skills", "agents", "hooks", "mcpServers", "lspServers", "monitors", "outputStyles", "workflows", "themes":
			for _, e := range v.OneOrMore() {
				add(e)
			}
		case "commands":
			for _, e := range v.OneOrMore() {
				add(e)
			}
			for _, m := range v.Members() {
				source, _ := m.Get("source")
				add(source)
			}
		case "experimental":
			experimental = v.Members()
		}
	}
	for _, m := range experimental {
		for _, e := range m.Value.OneOrMore() {
			add(e)
		}
	}
	return out
}
