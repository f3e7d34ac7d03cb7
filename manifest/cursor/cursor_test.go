package cursor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/cursor"
)

// Formats §1.5.
func TestCases(t *testing.T) { formattest.Run(t, cursor.New()) }

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range cursor.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

// A marketplace keeps its catalog beside where a manifest would be.
func TestDetect(t *testing.T) {
	t.Parallel()
	f := cursor.New()
	if !f.Detect([]string{".cursor-plugin"}) || !f.Detect([]string{".cursor-plugin/"}) || f.Detect([]string{".cursor"}) {
		t.Error("Detect goes by .cursor-plugin alone")
	}
	with := func(name string) func(string) ([]byte, bool) {
		return func(p string) ([]byte, bool) { return nil, p == name }
	}
	if !f.Recognize(with(cursor.ManifestPath)) || f.Recognize(with(".cursor-plugin/marketplace.json")) {
		t.Error("Recognize wants a manifest")
	}
}

// Every public plugin loads: what breaks the schema is a warning. Hooks and
// scripts are not part of the corpus.
func TestCorpus(t *testing.T) {
	f := cursor.New()
	n, parts := 0, 0
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(filepath.ToSlash(path), "/"+cursor.ManifestPath) {
			return err
		}
		n++
		root := filepath.Dir(filepath.Dir(path))
		files := map[string][]byte{}
		err = filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
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
			return err
		}
		m, found := f.Load(formattest.Tree(f.Profile(), files, nil), nil)
		formattest.CheckFound(t, f, found)
		parts += len(m.Components)
		for _, p := range found.ForUse() {
			if p.Severity.String() == "error" && p.Rule != "component/missing-path" {
				t.Errorf("%s: %s", path, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != 10 || parts < 90 {
		t.Errorf("read %d plugins with %d components, want all of the corpus", n, parts)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"name": "a", "skills": ["**/*", "[", "./../x"], "hooks": {"stop": [{"hooks": [1]}]}, "mcpServers": [[]], "variables": {"properties": []}}`), []byte(`{"hooks": {"Stop": [1]}}`), []byte(`{"mcpServers": {"a": []}}`))
	f.Add([]byte(`{"rules": "**/**/**/a", "agents": "*", "commands": "rules/*"}`), []byte(`{"hooks": []}`), []byte(`[`))
	f.Add([]byte("\ufeff{}"), []byte(`{"hooks": {"": [{}]}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, manifest, hooks, servers []byte) {
		format := cursor.New()
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{
			cursor.ManifestPath: manifest, "hooks/hooks.json": hooks, "mcp.json": servers, "rules/a.mdc": hooks,
		}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
	})
}
