package mcpb_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/mcpb"
	"pinion/problem"
)

// Formats §1.8. The verdicts were compared with mcpb 2.1.2, case by case.
func TestCases(t *testing.T) { formattest.Run(t, mcpb.New()) }

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range mcpb.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

// Web apps and browser extensions have a manifest.json too.
func TestRecognize(t *testing.T) {
	t.Parallel()
	f := mcpb.New()
	for _, tt := range []struct {
		text string
		want bool
	}{
		{`{"manifest_version": "0.3", "server": {}}`, true},
		{`{"dxt_version": "0.1", "server": {}}`, true},
		{`{"manifest_version": 0.3, "server": {"type": 1}}`, true},
		{`{"manifest_version": 3, "name": "x", "background": {"service_worker": "server.js"}}`, false},
		{`{"manifest_version": 3, "server": "x"}`, false},
		{`{"name": "x", "server": {}}`, false},
		{`{"short_name": "x", "icons": []}`, false},
		{`[{"manifest_version": "0.3", "server": {}}]`, false},
		{``, false},
		{strings.Repeat(`{"server":`, 5000), false},
	} {
		if got := f.Recognize(func(string) ([]byte, bool) { return []byte(tt.text), true }); got != tt.want {
			t.Errorf("Recognize(%.60s) = %v, want %v", tt.text, got, tt.want)
		}
	}
	if !f.Detect([]string{"manifest.json"}) || f.Detect([]string{"Manifest.json"}) {
		t.Error("Detect goes by manifest.json alone")
	}
}

// Every public manifest. Their files are not part of the corpus, so icons and
// entry points are missing. Beyond that mcpb 2.1.2 refuses four: three for fields
// that their manifest version does not have, one without an mcp_config.
func TestCorpus(t *testing.T) {
	f := mcpb.New()
	n, refused := 0, 0
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != mcpb.ManifestPath {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !f.Recognize(func(string) ([]byte, bool) { return data, true }) {
			return nil
		}
		n++
		m, found := f.Load(formattest.Tree(f.Profile(), map[string][]byte{mcpb.ManifestPath: data}, nil), nil)
		formattest.CheckFound(t, f, found)
		bad := false
		for _, p := range found {
			bad = bad || p.Severity == problem.Error && p.Rule != "mcpb/icon"
		}
		if bad {
			refused++
		}
		if m.Kind != "mcp" || m.Name == "" || len(m.Components) == 0 || m.Components[0].Detail == "" {
			t.Errorf("%s: %s %q with %v", path, m.Kind, m.ID, m.Components)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != 7 || refused != 4 {
		t.Errorf("read %d manifests and refused %d, want 7 and 4", n, refused)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"manifest_version": "0.3", "name": "a", "server": {"entry_point": "../x", "mcp_config": {"command": "${__dirname}/../x", "args": ["${"], "platform_overrides": {"win32": {"args": 1}}}}, "icon": ".."}`))
	f.Add([]byte(`{"dxt_version": "0.1", "server": {"mcp_config": []}, "user_config": {"": {"type": 1}}, "tools": [[]]}`))
	f.Add([]byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		format := mcpb.New()
		format.Recognize(func(string) ([]byte, bool) { return data, true })
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{mcpb.ManifestPath: data, "icon.png": data}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
	})
}
