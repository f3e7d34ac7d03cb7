package agentplugins_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinion/internal/testkit"
	"pinion/manifest/agentplugins"
	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
)

// Formats §1.6; the specification's sections 4 to 9.
func TestCases(t *testing.T) { formattest.Run(t, agentplugins.New()) }

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range agentplugins.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	f := agentplugins.New()
	for _, tt := range []struct {
		text string
		want bool
	}{
		{`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"}`, true},
		{`{"$schema": "https://agent-plugins.org/schemas/9.0.0/plugin.schema.json"}`, true},
		{`{"$schema": "https:\/\/agent-plugins.org\/x"}`, true},
		{`{"$schema": "https://agent-plugins.org.example.com/x"}`, false},
		{`{"$schema": "https://json.schemastore.org/claude-code-plugin-manifest.json"}`, false},
		{`{"$schema": 1}`, false},
		{`{"name": "a"}`, false},
		{`["https://agent-plugins.org/"]`, false},
		{``, false},
		{strings.Repeat(`{"$schema":`, 5000), false},
	} {
		if got := f.Recognize(func(string) ([]byte, bool) { return []byte(tt.text), true }); got != tt.want {
			t.Errorf("Recognize(%.70s) = %v, want %v", tt.text, got, tt.want)
		}
	}
	if !f.Detect([]string{"plugin.json"}) || f.Detect([]string{".claude-plugin"}) {
		t.Error("Detect goes by plugin.json alone")
	}
}

// Every public plugin of the specification loads, with its skills.
func TestCorpus(t *testing.T) {
	f := agentplugins.New()
	n, parts := 0, 0
	err := filepath.WalkDir(filepath.Join(testkit.SharedDir(t), "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != agentplugins.ManifestPath {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !agentplugins.IsManifest(data) {
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
		if p, bad := found.First(); bad {
			t.Errorf("%s: %s", path, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 || parts < n {
		t.Errorf("read %d plugins with %d components, want all of the corpus", n, parts)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a", "extensions": {"com.a": {"hooks": {"x": [1]}, "mcpServers": {"a": []}}}}`),
		[]byte(`{"mcpServers": {"a": {"type": "stdio", "command": "./..", "cwd": "${PLUGIN_ROOT}"}}}`))
	f.Add([]byte(`{"author": [], "keywords": {}, "extensions": []}`), []byte(`{"mcpServers": {"a": {"type": "sse", "url": "http://[", "headers": {"": ""}}}}`))
	f.Add([]byte("\ufeff{}"), []byte(`[`))
	f.Fuzz(func(t *testing.T, data, servers []byte) {
		format := agentplugins.New()
		format.Recognize(func(string) ([]byte, bool) { return data, true })
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{
			agentplugins.ManifestPath: data, "mcp.json": servers, "com.example.x/hooks.json": servers,
		}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
	})
}
