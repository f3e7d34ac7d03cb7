package mcpregistry_test

import (
	"fmt"

	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/mcpregistry"
)

func ExampleFormat_Load() {
	f := mcpregistry.New()
	t := formattest.Tree(f.Profile(), map[string][]byte{
		mcpregistry.ManifestPath: []byte(`{"name": "io.github.acme/weather", "description": "d", "version": "1.0.0",
			"packages": [{"registryType": "npm", "identifier": "@acme/weather", "version": "1.0.0", "transport": {"type": "stdio"}}]}`),
	}, nil)
	m, _ := f.Load(t, nil)
	fmt.Println(m.Kind, m.ID, m.Components[0].Detail)
	// Output: mcp weather npx @acme/weather@1.0.0
}
