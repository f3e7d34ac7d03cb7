package claude_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/syntax"
	"pinion/internal/testkit"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/claude"
)

// Formats §1.1.5 to §1.1.9; user-needs annex A; security 3.1 rows 14 and 17. The
// severities were compared with Claude Code 2.1.332, case by case.
func TestCases(t *testing.T) { formattest.Run(t, claude.New()) }

func TestDetect(t *testing.T) {
	f := claude.New()
	for _, tt := range []struct {
		top  string
		want bool
	}{
		{".claude-plugin README.md", true},
		{".claude-plugin/ SKILL.md", true},
		{"README.md skills", true},
		{".mcp.json", true},
		{"SKILL.md agents", false},
		{"README.md src", false},
	} {
		if got := f.Detect(strings.Fields(tt.top)); got != tt.want {
			t.Errorf("Detect(%q) = %v, want %v", tt.top, got, tt.want)
		}
	}
}

func TestComponentPaths(t *testing.T) {
	got := claude.ComponentPaths(map[string]syntax.Raw{
		"hooks":        syntax.Raw(`{"Stop": []}`),
		"skills":       syntax.Raw(`["./skills/a", "./", "bare/b", "./x/../../../etc", "/abs", "./a\\b"]`),
		"commands":     syntax.Raw(`{"c": {"source": "./c.md"}, "d": {"content": "x"}}`),
		"agents":       syntax.Raw(`"./agents/x.md"`),
		"mcpServers":   syntax.Raw(`["./mcp.json", "https://example.com/x.mcpb", {"s": {"command": "./run"}}]`),
		"experimental": syntax.Raw(`{"themes": ["./th"], "monitors": [{"command": "x"}]}`),
		"unrelated":    syntax.Raw(`"./no"`),
	})
	want := []string{"skills/a", "", "bare/b", "c.md", "agents/x.md", "mcp.json", "th"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ComponentPaths (-want +got):\n%s", diff)
	}
}

func TestEntryFields(t *testing.T) {
	for _, field := range []string{"skills", "hooks", "mcpServers", "settings"} {
		if !slices.Contains(claude.EntryFields(), field) {
			t.Errorf("EntryFields lacks %q", field)
		}
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range slices.Concat(claude.Rules(), agentskill.Rules()) {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

// A manifest of more than 1 MiB is not read, and a package cannot make more than
// 300 findings.
func TestLimits(t *testing.T) {
	f := claude.New()
	large := []byte(`{"name": "demo", "description": "` + strings.Repeat("x", 1<<20) + `"}`)
	_, found := f.Load(formattest.Tree(f.Profile(), map[string][]byte{claude.ManifestPath: large}, nil), nil)
	if p, _ := found.First(); p.Rule != "claude/too-large" {
		t.Errorf("first error of a large manifest = %v, want claude/too-large", p)
	}
	var many strings.Builder
	many.WriteString(`{"name": "demo"`)
	for i := range 5000 {
		many.WriteString(`, "unknown` + strings.Repeat("q", i%7) + string(rune('a'+i%26)) + `": 1`)
	}
	many.WriteString("}")
	_, found = f.Load(formattest.Tree(f.Profile(), map[string][]byte{claude.ManifestPath: []byte(many.String())}, nil), nil)
	if len(found) != 300 {
		t.Errorf("%d findings, want 300", len(found))
	}
}

// Every public manifest, hooks file and server file, also the broken ones from
// history, alone in a package: no panic, positions everywhere.
func TestCorpusFiles(t *testing.T) {
	f := claude.New()
	n := map[string]int{}
	walk(t, func(path string) {
		place := ""
		switch name := filepath.Base(path); {
		case strings.HasSuffix(name, "plugin.json"):
			place = claude.ManifestPath
		case strings.HasSuffix(name, "hooks.json"):
			place = "hooks/hooks.json"
		case strings.HasSuffix(name, "mcp.json"):
			place = ".mcp.json"
		case strings.HasSuffix(name, ".lsp.json"):
			place = ".lsp.json"
		default:
			return
		}
		n[place]++
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, found := f.Load(formattest.Tree(f.Profile(), map[string][]byte{place: data}, nil), nil)
		formattest.CheckFound(t, f, found)
	})
	if n[claude.ManifestPath] < 500 || n["hooks/hooks.json"] < 40 || n[".mcp.json"] < 30 {
		t.Errorf("read %v, want all of the corpus", n)
	}
}

// Whole plugins of the corpus: what is there is listed. Claude Code 2.1.332 finds
// an error in 155 of these 517 directories, since commands and scripts are not
// part of the corpus; in 8 of them the host loads the plugin all the same.
func TestCorpusPlugins(t *testing.T) {
	f := claude.New()
	plugins, refused := 0, 0
	walk(t, func(path string) {
		if !strings.HasSuffix(filepath.ToSlash(path), "/"+claude.ManifestPath) || strings.Contains(path, "_history") {
			return
		}
		plugins++
		root := filepath.Dir(filepath.Dir(path))
		files := map[string][]byte{}
		err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(rel)], err = os.ReadFile(p)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		m, found := f.Load(formattest.Tree(f.Profile(), files, nil), nil)
		formattest.CheckFound(t, f, found)
		if found.HasErrors() {
			refused++
		}
		for name := range files {
			if dir, ok := strings.CutSuffix(name, "/SKILL.md"); ok && strings.HasPrefix(dir, "skills/") && strings.Count(dir, "/") == 1 {
				listed := false
				for _, c := range m.Components {
					listed = listed || c.Path == name
				}
				if _, single := files["skills/SKILL.md"]; !listed && !single {
					t.Errorf("%s: %s is not listed", root, name)
				}
			}
		}
	})
	if plugins != 517 || refused != 147 {
		t.Errorf("%d plugins, %d refused; want 517 and 147", plugins, refused)
	}
}

func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			visit(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"name": "a", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x"}]}]}}`), []byte(`{"hooks": {}}`), []byte(`{"mcpServers": {}}`))
	f.Add([]byte(`{"name": "a", "skills": ["./", "./../x"], "commands": {"x": {}}, "userConfig": {"K": {}}}`), []byte(`[]`), []byte("\ufeff{}"))
	f.Add([]byte(`{"experimental": {"monitors": [{}]}, "lspServers": [{"a": {}}], "channels": [{"server": 1}]`), []byte(`{"modules": ["../x"]}`), []byte(`{"s": {"command": ["a"]}}`))
	f.Fuzz(func(t *testing.T, manifest, hooks, servers []byte) {
		format := claude.New()
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{
			claude.ManifestPath: manifest, "hooks/hooks.json": hooks, ".mcp.json": servers,
		}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
	})
}
