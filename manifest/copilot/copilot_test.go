package copilot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/copilot"
	"pinion/tree"
)

// Formats §1.4. Skills, commands, servers and what installs were compared with
// Copilot 1.0.102, case by case.
func TestCases(t *testing.T) { formattest.Run(t, copilot.New()) }

func TestRecognize(t *testing.T) {
	f := copilot.New()
	for _, tt := range []struct {
		name, top     string
		files         map[string]string
		detect, known bool
	}{
		{"top", "plugin.json", map[string]string{"plugin.json": `{"name": "demo"}`}, true, true},
		{"top, broken", "plugin.json", map[string]string{"plugin.json": `{"name": "demo",}`}, true, true},
		{"open plugin", ".plugin", map[string]string{".plugin/plugin.json": `{}`}, true, true},
		{"github", ".github", map[string]string{".github/plugin/plugin.json": `{}`}, true, true},
		{"a repository", ".github", nil, true, false},
		{"agent plugins", "plugin.json", map[string]string{"plugin.json": `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "demo"}`}, true, false},
		{"agent plugins and its own", ".plugin", map[string]string{"plugin.json": `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"}`, ".plugin/plugin.json": `{}`}, true, true},
		{"another program's", "plugin.json", map[string]string{"plugin.json": `{"type": "panel", "name": "Clock", "id": "clock"}`}, true, false},
		{"no name", "plugin.json", map[string]string{"plugin.json": `{"version": "1.0.0"}`}, true, false},
		{"claude", ".claude-plugin", map[string]string{".claude-plugin/plugin.json": `{"name": "demo"}`}, false, false},
	} {
		read := func(p string) ([]byte, bool) { s, ok := tt.files[p]; return []byte(s), ok }
		if got := f.Detect([]string{tt.top}); got != tt.detect {
			t.Errorf("%s: Detect = %v, want %v", tt.name, got, tt.detect)
		}
		if got := f.Recognize(read); got != tt.known {
			t.Errorf("%s: Recognize = %v, want %v", tt.name, got, tt.known)
		}
	}
}

func TestLodges(t *testing.T) {
	f := copilot.New()
	for name, want := range map[string]bool{"hooks.json": true, ".github/mcp.json": true, "lsp.json": true, ".github/lsp.json": true, ".mcp.json": false, "hooks/hooks.json": false} {
		if got := f.Lodges(&tree.Tree{Files: []tree.File{{Path: name}}}); got != want {
			t.Errorf("Lodges with %s = %v, want %v", name, got, want)
		}
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range copilot.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

// Copilot installs whatever it finds, so nothing keeps a public plugin from use,
// and every hooks file of the corpus has hooks.
func TestCorpus(t *testing.T) {
	f := copilot.New()
	n := map[string]int{}
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		place := ""
		switch slashed := filepath.ToSlash(path); {
		case strings.HasSuffix(slashed, "/.github/plugin/plugin.json"), strings.HasSuffix(slashed, "/.plugin/plugin.json"):
			place = ".plugin/plugin.json"
		case strings.HasSuffix(slashed, "/plugin.json"):
			place = "plugin.json"
		case strings.HasSuffix(slashed, "hooks.json"):
			place = "hooks.json"
		case strings.HasSuffix(slashed, "mcp.json"):
			place = ".github/mcp.json"
		default:
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n[place]++
		m, found := f.Load(formattest.Tree(f.Profile(), map[string][]byte{place: data}, nil), nil)
		formattest.CheckFound(t, f, found)
		if p, bad := found.ForUse().First(); bad && p.Rule != "copilot/name" {
			t.Errorf("%s: %s", path, p)
		}
		if place == "hooks.json" && m.Kind != manifest.Extension && len(data) > 20 {
			t.Logf("%s: no hooks", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n[".plugin/plugin.json"] < 3 || n["plugin.json"] < 500 || n["hooks.json"] < 40 {
		t.Errorf("read %v, want all of the corpus", n)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"name": "a", "skills": ["./x", "../y"], "hooks": {"Stop": [{}]}}`), []byte(`{"version": 1, "hooks": {"sessionEnd": [{"bash": "x"}]}}`), []byte(`{"mcpServers": {}}`))
	f.Add([]byte(`[]`), []byte(`[]`), []byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, own, hooks, servers []byte) {
		format := copilot.New()
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{
			".plugin/plugin.json": own, "hooks.json": hooks, ".mcp.json": servers, "lsp.json": servers,
		}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
	})
}
