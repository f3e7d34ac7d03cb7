package cursor_test

import (
	"fmt"

	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/cursor"
)

func ExampleFormat_Load() {
	f := cursor.New()
	t := formattest.Tree(f.Profile(), map[string][]byte{
		cursor.ManifestPath: []byte(`{"name": "demo", "license": "MIT", "mcpServers": {"clock": {"command": "clock", "args": ["--utc"]}}}`),
	}, nil)
	m, _ := f.Load(t, nil)
	fmt.Println(m.Kind, m.ID, m.Components[0].Detail)
	// Output: mcp demo clock --utc
}
