package gemini_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/gemini"
)

// Formats §1.3. The verdicts were compared with Gemini CLI 0.61.0, case by case.
func TestCases(t *testing.T) { formattest.Run(t, gemini.New()) }

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range gemini.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

func TestDetect(t *testing.T) {
	f := gemini.New()
	if !f.Detect([]string{"README.md", "gemini-extension.json"}) || f.Detect([]string{"GEMINI.md", "skills"}) {
		t.Error("Detect goes by gemini-extension.json alone")
	}
}

// Every public extension is taken; only files that are not part of the corpus
// are missing.
func TestCorpus(t *testing.T) {
	f := gemini.New()
	n, parts := 0, 0
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != gemini.ManifestPath {
			return err
		}
		n++
		root := filepath.Dir(path)
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
		for _, p := range found {
			if p.Severity.String() == "error" && p.Rule != "gemini/context-file" {
				t.Errorf("%s: %s", path, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != 13 || parts < 50 {
		t.Errorf("read %d extensions with %d components, want all of the corpus", n, parts)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"name": "a", "version": "1", "contextFileName": ["%", 1], "mcpServers": {"a": null}, "settings": [{"envVar": 1}], "themes": [[]], "plan": []}`),
		[]byte("prompt = '!{a{b}'"), []byte("---\nname: a\nmcp_servers: [1]\ntools: x\n---\n"), []byte("[[rule]]\ntoolName=[1]\n"), []byte(`{"hooks": {"BeforeTool": [{"hooks": [1]}]}}`))
	f.Add([]byte("\ufeff{}"), []byte("a.b = {}"), []byte("---\n- a\n---\n"), []byte("rule = 1"), []byte(`[`))
	f.Fuzz(func(t *testing.T, manifest, command, agent, policy, hooks []byte) {
		format := gemini.New()
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{
			gemini.ManifestPath: manifest, "commands/a.toml": command, "agents/a.md": agent, "policies/a.toml": policy, "hooks/hooks.json": hooks,
		}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
		for _, c := range m.Components {
			if strings.ContainsRune(c.Path, 0) {
				t.Errorf("component %v", c)
			}
		}
	})
}
