package mcpregistry_test

import (
	"strings"
	"testing"

	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/mcpregistry"
)

// Formats §1.9.
func TestCases(t *testing.T) { formattest.Run(t, mcpregistry.New()) }

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range mcpregistry.Rules() {
		if r.ID == "" || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" || seen[r.ID] {
			t.Errorf("rule %q is incomplete or defined twice", r.ID)
		}
		seen[r.ID] = true
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	f := mcpregistry.New()
	for _, tt := range []struct {
		text string
		want bool
	}{
		{`{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"}`, true},
		{`{"name": "a/b", "packages": []}`, true},
		{`{"name": "a/b", "remotes": [}`, false},
		{`{"name": "a/b", "remotes": "x"}`, false},
		{`{"name": "@acme/app", "packages": {"a": 1}}`, false},
		{`{"name": "server", "packages": []}`, false},
		{`{"port": 8080}`, false},
		{`[]`, false},
		{``, false},
		{strings.Repeat("[", 5000), false},
	} {
		if got := f.Recognize(func(string) ([]byte, bool) { return []byte(tt.text), true }); got != tt.want {
			t.Errorf("Recognize(%.60s) = %v, want %v", tt.text, got, tt.want)
		}
	}
	if !f.Detect([]string{"README.md", "server.json"}) || f.Detect([]string{"README.md"}) {
		t.Error("Detect goes by server.json alone")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"name": "a/b", "version": "1.0.0", "packages": [{"registryType": "npm", "identifier": "x", "packageArguments": [{"type": "named", "name": "--x"}]}]}`))
	f.Add([]byte(`{"packages": [1, [], {"transport": {"headers": [1]}}], "remotes": [{"url": "x", "variables": []}]}`))
	f.Add([]byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		format := mcpregistry.New()
		format.Recognize(func(string) ([]byte, bool) { return data, true })
		m, found := format.Load(formattest.Tree(format.Profile(), map[string][]byte{mcpregistry.ManifestPath: data}, nil), nil)
		formattest.CheckFound(t, format, found)
		if m.ID != "" && !agentskill.IsID(m.ID) {
			t.Errorf("ID %q is not directory-safe", m.ID)
		}
	})
}
