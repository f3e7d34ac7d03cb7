package pkgfmt

import (
	"slices"
	"strings"

	"pinion/manifest"
	"pinion/tree"
)

// places are the names that hosts look for, in the case they have.
func places() []string {
	return []string{
		".claude-plugin", ".codex-plugin", ".cursor-plugin", ".plugin", ".github", "plugin", "plugin.json",
		"gemini-extension.json", "manifest.json", "server.json", "settings.json",
		"hooks", "hooks.json", ".mcp.json", "mcp.json", ".lsp.json", "lsp.json", "monitors", "monitors.json",
		"skills", "SKILL.md", "commands", "agents", "output-styles",
	}
}

// folded returns t as a system reads it that does not tell cases apart, as macOS
// and Windows do: what differs from a place of a host in case alone has the name
// of that place. It is nil when that is t itself. names has the real path of each
// file that has another.
func folded(t *tree.Tree) (as *tree.Tree, names map[string]string) {
	known := places()
	name := func(s string) string {
		i := slices.IndexFunc(known, func(k string) bool { return len(k) == len(s) && strings.EqualFold(k, s) })
		if i < 0 || s == "skill.md" { // which hosts know as it is
			return s
		}
		return known[i]
	}
	for _, f := range t.Files {
		if !hasUpper(f.Path) {
			continue
		}
		parts := strings.Split(f.Path, "/")
		for i := range parts {
			parts[i] = name(parts[i])
		}
		if p := strings.Join(parts, "/"); p != f.Path && t.Lookup(p) == nil {
			if names == nil {
				names = map[string]string{}
			}
			names[p] = f.Path
		}
	}
	if names == nil {
		return nil, nil
	}
	canon := make(map[string]string, len(names))
	for p, was := range names {
		canon[was] = p
	}
	as = &tree.Tree{Files: slices.Clone(t.Files), Bytes: t.Bytes, Partial: t.Partial, Profile: t.Profile}
	for i := range as.Files {
		if p, ok := canon[as.Files[i].Path]; ok {
			as.Files[i].Path = p
		}
	}
	slices.SortFunc(as.Files, func(a, b tree.File) int { return strings.Compare(a.Path, b.Path) })
	for _, top := range t.Top {
		base, isDir := strings.CutSuffix(top, "/")
		if base = name(base); isDir {
			base += "/"
		}
		as.Top = append(as.Top, base)
	}
	slices.Sort(as.Top)
	as.Top = slices.Compact(as.Top)
	return as, names
}

// hasUpper reports whether a path has an ASCII capital, other than in the one
// place of hosts that is written with them.
func hasUpper(p string) bool {
	for i := range len(p) {
		if 'A' <= p[i] && p[i] <= 'Z' {
			return !strings.HasSuffix(p, "SKILL.md") || hasUpper(p[:len(p)-len("SKILL.md")])
		}
	}
	return false
}

// otherCase adds to the package what hosts start of it where case does not count,
// and reports it.
func (p *Package) otherCase(l *Loader, entry *manifest.Entry) {
	as, names := folded(p.Tree)
	if as == nil {
		return
	}
	m := *p.Manifest
	m.Components = slices.Clip(m.Components)
	told := map[string]bool{}
	for _, f := range l.faces(as, entry) {
		for _, c := range f.m.Components {
			was, renamed := names[c.Path]
			if !starts(c.Type) || slices.Contains(m.Components, c) {
				continue
			}
			if renamed {
				c.Path = was
			}
			if slices.Contains(m.Components, c) {
				continue
			}
			m.Components = append(m.Components, c)
			if !told[c.Path] && c.Path != "" {
				told[c.Path] = true
				p.Problems.Add(ruleCase.Report("where case does not count, %s starts the %s %q of this file", f.format.Name(), c.Type, excerpt(c.Name)).At(c.Path, 1, 1))
			}
			if k := kindOf(c.Type); strength(k) > strength(m.Kind) {
				m.Kind = k
			}
		}
	}
	p.Manifest = &m
}

// kindOf is the kind of a package that has such a component.
func kindOf(t manifest.ComponentType) manifest.Kind {
	if t == manifest.ServerComponent {
		return manifest.MCP
	}
	return manifest.Extension
}

// starts reports whether a component is something that a host starts.
func starts(t manifest.ComponentType) bool {
	switch t {
	case manifest.HookComponent, manifest.ServerComponent, manifest.LSPComponent, manifest.MonitorComponent:
		return true
	}
	return false
}
