package claude_test

import (
	"fmt"

	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/claude"
)

func ExampleFormat_Load() {
	f := claude.New()
	t := formattest.Tree(f.Profile(), map[string][]byte{
		claude.ManifestPath: []byte(`{"name": "demo", "version": "1.0.0", "description": "d", "author": "Ann", "license": "MIT"}`),
		".mcp.json":         []byte(`{"mcpServers": {"clock": {"command": "clock", "args": ["--utc"]}}}`),
	}, nil)
	m, found := f.Load(t, nil)
	fmt.Println(m.Kind, m.ID, m.Version, m.Components[0].Detail)
	fmt.Println(found[0].Severity, found[0].Rule)
	// Output:
	// mcp demo 1.0.0 clock --utc
	// warning claude/ignored-field
}
