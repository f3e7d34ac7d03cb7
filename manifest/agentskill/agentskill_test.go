package agentskill_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/problem"
)

// Formats §1.7; user-needs annex A "SKILL.md".
func TestCases(t *testing.T) { formattest.Run(t, agentskill.New()) }

func TestDetect(t *testing.T) {
	f := agentskill.New()
	for _, tt := range []struct {
		top  string
		want bool
	}{
		{"README.md SKILL.md", true},
		{"skill.md", true},
		{"Skill.md", false},
		{"skills", false},
		{"", false},
	} {
		if got := f.Detect(strings.Fields(tt.top)); got != tt.want {
			t.Errorf("Detect(%q) = %v, want %v", tt.top, got, tt.want)
		}
	}
}

// Security 3.1 row 13: an exact list of hidden names.
func TestKnownName(t *testing.T) {
	for name, want := range map[string]bool{
		".claude-plugin/plugin.json":  true,
		".claude-plugin/evil.sh":      false,
		".claude-plugin/x/.gitignore": false,
		".claude-plugin/.gitkeep":     true,
		".mcp.json":                   true,
		"sub/.mcp.json":               false,
		".gitignore":                  true,
		"docs/.gitkeep":               true,
		".hidden/.gitignore":          false,
		".markdownlint.json":          true,
		".codex-plugin/plugin.json":   true,
		".github/workflows/ci.yml":    false,
		".DS_Store":                   false,
		".env":                        false,
	} {
		if got := agentskill.KnownName(name); got != want {
			t.Errorf("KnownName(%q) = %v, want %v", name, got, want)
		}
	}
}

// Security 3.1 row 14.
func TestIsID(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "release-notes": true, "a_b": true, "Demo": true, "a.b": true,
		strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
		"": false, ".": false, "..": false, "a/b": false, `a\b`: false, "-rf": false, "--upload-pack=x": false,
		"CON": false, "con.txt": false, "a.": false, "a b": false, "é": false, "a\x00": false, ".hidden": false,
	} {
		if got := agentskill.IsID(name); got != want {
			t.Errorf("IsID(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	m := &manifest.Manifest{Name: "pdf", Path: "SKILL.md"}
	if got := agentskill.New().CheckName(m, "pdf"); len(got) != 0 {
		t.Errorf("CheckName of the same name = %v, want none", got)
	}
	got := agentskill.New().CheckName(m, "forms")
	if len(got) != 1 || got[0].Rule != "skill/directory" || got[0].Severity != problem.Warning {
		t.Errorf("CheckName of another name = %v, want one warning skill/directory", got)
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range agentskill.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

// Every public SKILL.md, also the broken ones from history: no panic, positions
// everywhere, and nothing above a warning, since hosts load them all.
func TestCorpus(t *testing.T) {
	f := agentskill.New()
	n := 0
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(strings.ToLower(d.Name()), "skill.md") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		_, found := f.Load(formattest.Tree(f.Profile(), map[string][]byte{"SKILL.md": data}, nil), nil)
		formattest.CheckFound(t, f, found)
		if p, bad := found.First(); bad {
			t.Errorf("%s: %s", path, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 4000 {
		t.Errorf("read %d skills, want all of the corpus", n)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("---\nname: a\ndescription: d\n---\n"))
	f.Add([]byte("---\nname: [a\nhooks:\n  Stop:\n    - hooks: [{type: command}]\nmetadata: {a: 1}\n---\n"))
	f.Add([]byte("\ufeff---\r\nname: \xff\r\n---"))
	f.Fuzz(func(t *testing.T, data []byte) {
		format := agentskill.New()
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{"SKILL.md": data}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
		if found.HasErrors() {
			t.Errorf("a skill is never refused: %v", found)
		}
	})
}
