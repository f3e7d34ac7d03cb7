package compat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pinion/compat"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/tree"
)

// catalogOf has n entries, in which %d is the number of the entry.
func catalogOf(n int, entry string) []byte {
	var b strings.Builder
	b.WriteString(`{"name": "acme", "owner": {"name": "A"}, "plugins": [`)
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(strings.ReplaceAll(entry, "%d", fmt.Sprint(i)))
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// A catalog in which every entry is at fault takes as long as its size asks for,
// and what is said of it is bounded (security 3.2 row 29).
func TestManyFindings(t *testing.T) {
	t.Parallel()
	for name, entry := range map[string]string{
		"no object": `7`, "no name": `{"source": "./x"}`, "twice": `{"name": "a", "source": "./x"}`,
		"kind": `{"name": "a%d b", "source": {"source": "x"}}`, "path": `{"name": "a%d", "source": "../x", "skills": 7, "hooks": 7}`,
	} {
		for _, h := range compat.Hosts() {
			for _, file := range compat.CatalogPlaces(h) {
				v := compat.Catalog(compat.Target{Host: h}, file, catalogOf(400, entry), compat.Repo{})
				if len(v.Problems) > 202 {
					t.Errorf("%s, %s: %d problems", name, h, len(v.Problems))
				}
				if refused := v.Outcome == compat.Refused; refused != v.Problems.HasErrors() && len(v.Entries) == 0 {
					t.Errorf("%s, %s: %s with %v", name, h, v.Outcome, v.Problems)
				}
				for _, e := range v.Entries {
					if e.Outcome == compat.Refused && e.Rule == "" {
						t.Fatalf("%s, %s: entry %d is refused without a rule", name, h, e.Index)
					}
				}
			}
		}
	}
	// What refuses the whole is listed, also behind everything else.
	data := catalogOf(400, `{"name": "A%d", "source": "./x"}`)
	data = slices.Concat(data[:len(data)-2], []byte(`, {"source": "./x"}]}`))
	v := compat.Catalog(compat.Target{Host: compat.Copilot}, compat.CatalogPlaces(compat.Copilot)[0], data, compat.Repo{})
	if v.Outcome != compat.Refused || !v.Problems.HasErrors() || len(v.Problems) > 202 {
		t.Errorf("%s, %d problems", v.Outcome, len(v.Problems))
	}
}

// No content of any file that hosts read makes a simulation fail or take long.
func FuzzPackage(f *testing.F) {
	places := []string{
		".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", "plugin.json", "gemini-extension.json",
		".mcp.json", "mcp.json", "hooks/hooks.json", "hooks.json", ".lsp.json", "monitors/monitors.json", "SKILL.md", "skills/a/SKILL.md",
		"commands/c.md", "commands/c.toml", "agents/a.md", "policies/p.toml", "manifest.json", "server.json", ".github/mcp.json",
	}
	f.Add(uint(0), uint(6), []byte(`{"name": "a", "skills": ["./x", 7], "mcpServers": {"s": {"command": "c"}}}`), []byte(`{"mcpServers": null}`))
	f.Add(uint(1), uint(7), []byte(`{"name": "a", "hooks": {"Stop": [{"hooks": [{}]}]}}`), []byte(`{"hooks": {"Stop": [[]]}}`))
	f.Add(uint(4), uint(16), []byte(`{"name": "a", "version": "1", "settings": [{}], "contextFileName": [1]}`), []byte("[[rule]]\ntoolName = [1]\n"))
	f.Add(uint(11), uint(15), []byte("---\nname: [a]\nhooks: {Stop: *x}\n---\n"), []byte("---\nmcp_servers: {x: [1]}\n---\n"))
	f.Fuzz(func(t *testing.T, one, two uint, a, b []byte) {
		if len(a)+len(b) > 1<<16 {
			return
		}
		files := map[string][]byte{places[two%uint(len(places))]: b}
		files[places[one%uint(len(places))]] = a
		tr := formattest.Tree(tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}, files, nil)
		for p := range files {
			top, _, _ := strings.Cut(p, "/")
			tr.Top = append(tr.Top, top)
		}
		slices.Sort(tr.Top)
		for _, h := range compat.Hosts() {
			start := time.Now()
			v := compat.Package(compat.Target{Host: h}, tr, compat.Place{Dir: "demo"})
			if v.Outcome == "" || v.Outcome == compat.Refused && len(v.Problems) == 0 {
				t.Errorf("%s: %q with %v", h, v.Outcome, v.Problems)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%s: %v", h, d)
			}
		}
	})
}

// The same for catalogs.
func FuzzCatalog(f *testing.F) {
	f.Add([]byte(`{"name": "a", "owner": {"name": "b"}, "plugins": [{"name": "c", "source": "./c"}, 7, {"name": "c", "source": {"source": "github", "repo": "a/b"}}]}`))
	f.Add([]byte(`{"name": "a", "metadata": {"pluginRoot": "../x"}, "plugins": [{"name": "c", "source": "c", "hooks": {"Stop": 7}, "strict": false}], "renames": {"a": "b"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		for _, h := range compat.Hosts() {
			for _, file := range compat.CatalogPlaces(h) {
				if v := compat.Catalog(compat.Target{Host: h}, file, data, compat.Repo{}); v.Outcome == "" {
					t.Errorf("%s: no outcome", h)
				}
			}
		}
	})
}
