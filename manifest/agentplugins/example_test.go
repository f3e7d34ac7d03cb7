package agentplugins_test

import (
	"fmt"

	"pinion/manifest/agentplugins"
	"pinion/manifest/agentskill/formattest"
)

func ExampleFormat_Load() {
	f := agentplugins.New()
	t := formattest.Tree(f.Profile(), map[string][]byte{
		agentplugins.ManifestPath: []byte(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "demo", "extensions": {"com.example.agent": {}}}`),
	}, nil)
	m, _ := f.Load(t, nil)
	fmt.Println(m.Kind, m.ID, m.Components[0].Detail)
	// Output: skill demo client extension
}
