package codex_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/codex"
	"pinion/problem"
	"pinion/tree"
)

// Formats §1.2. The severities and the components were compared with Codex
// 0.171.0, case by case.
func TestCases(t *testing.T) { formattest.Run(t, codex.New()) }

func TestDetect(t *testing.T) {
	f := codex.New()
	for _, tt := range []struct {
		top  string
		want bool
	}{
		{".codex-plugin README.md", true},
		{".codex-plugin/", true},
		{".codex README.md", false},
		{".claude-plugin skills", false},
	} {
		if got := f.Detect(strings.Fields(tt.top)); got != tt.want {
			t.Errorf("Detect(%q) = %v, want %v", tt.top, got, tt.want)
		}
	}
	there := map[string]bool{codex.ManifestPath: true}
	read := func(p string) ([]byte, bool) { return nil, there[p] }
	if !f.Recognize(read) {
		t.Error("Recognize with a manifest = false")
	}
	delete(there, codex.ManifestPath)
	if f.Recognize(read) {
		t.Error("Recognize without a manifest = true")
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range codex.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

// A manifest that is a link loses its plugin in Codex 0.171.0, but not in Pinion,
// which installs what the link points to.
func TestLink(t *testing.T) {
	f := codex.New()
	tr := formattest.Tree(f.Profile(), map[string][]byte{codex.ManifestPath: []byte(`{"name": "demo", "version": "1.0.0"}`)}, nil)
	i := slices.IndexFunc(tr.Files, func(f tree.File) bool { return f.Path == codex.ManifestPath })
	tr.Files[i].Link = "../plugin.json"
	_, found := f.Load(tr, nil)
	if p, ok := found.First(); !ok || p.Rule != "codex/manifest-link" || found.ForUse().HasErrors() {
		t.Errorf("findings of a linked manifest = %v, want one tolerated error codex/manifest-link", found)
	}
}

func TestExpresses(t *testing.T) {
	if f := codex.New(); !f.Expresses(manifest.HookComponent) || f.Expresses(manifest.CommandComponent) {
		t.Error("Codex loads hooks and no commands")
	}
}

// Every public manifest, also the broken ones from history: no panic, positions
// everywhere, and only those are refused that the host refuses.
func TestCorpus(t *testing.T) {
	f := codex.New()
	plugins, refused := 0, 0
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(filepath.ToSlash(path), "/"+codex.ManifestPath) {
			return err
		}
		root := filepath.Dir(filepath.Dir(path))
		files := map[string][]byte{}
		err = filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(p, "_history") {
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
			return err
		}
		plugins++
		m, found := f.Load(formattest.Tree(f.Profile(), files, nil), nil)
		formattest.CheckFound(t, f, found)
		if p, bad := found.ForUse().First(); bad {
			refused++
			t.Logf("%s: %s", path, p)
		}
		if m.ID == "" || !agentskill.IsID(m.ID) {
			t.Errorf("%s: the id is %q", path, m.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if plugins != 102 || refused != 0 {
		t.Errorf("%d plugins, %d refused; want 102 and 0", plugins, refused)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"name": "a", "version": "1", "skills": ["./x", "../y"], "hooks": [{"hooks": {"Stop": [{}]}}, "./h.json"]}`), []byte(`{"hooks": {}}`), []byte(`{"mcpServers": {}}`))
	f.Add([]byte(`{"interface": {"defaultPrompt": [1, ""], "screenshots": "x"}, "mcpServers": [{}], "apps": "./.app.json"}`), []byte(`[]`), []byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, own, hooks, servers []byte) {
		format := codex.New()
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{
			codex.ManifestPath: own, "hooks/hooks.json": hooks, ".mcp.json": servers, ".app.json": servers,
		}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
		if found.Count(problem.Error) > 300 {
			t.Error("too many findings")
		}
	})
}
