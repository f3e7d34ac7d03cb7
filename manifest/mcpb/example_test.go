package mcpb_test

import (
	"fmt"

	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/mcpb"
)

func ExampleFormat_Load() {
	f := mcpb.New()
	t := formattest.Tree(f.Profile(), map[string][]byte{
		mcpb.ManifestPath: []byte(`{"manifest_version": "0.3", "name": "hello", "version": "1.0.0", "description": "d", "author": {"name": "Ann"}, "license": "MIT",
			"server": {"type": "node", "entry_point": "a.js", "mcp_config": {"command": "node", "args": ["${__dirname}/a.js"]}}}`),
	}, nil)
	m, _ := f.Load(t, nil)
	fmt.Println(m.Kind, m.ID, m.Components[0].Detail)
	// Output: mcp hello node ${__dirname}/a.js
}
