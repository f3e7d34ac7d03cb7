package gemini_test

import (
	"fmt"

	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/gemini"
)

func ExampleFormat_Load() {
	f := gemini.New()
	t := formattest.Tree(f.Profile(), map[string][]byte{
		gemini.ManifestPath: []byte(`{"name": "demo", "version": "1.0.0", "mcpServers": {"docs": {"httpUrl": "https://example.com/mcp"}}}`),
	}, nil)
	m, _ := f.Load(t, nil)
	fmt.Println(m.Kind, m.ID, m.Components[0].Detail)
	// Output: mcp demo https://example.com/mcp
}
