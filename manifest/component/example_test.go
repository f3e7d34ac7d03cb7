package component_test

import (
	"fmt"

	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/component"
	"pinion/tree"
)

// A format lists what lies at its host's places, whatever the host makes of it.
func ExampleReader() {
	t := formattest.Tree(tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}, map[string][]byte{
		"skills/notes/SKILL.md": []byte("---\nname: notes\ndescription: Takes notes.\n---\n"),
		".mcp.json":             []byte(`{"mcpServers": {"files": {"command": "npx", "args": ["files@1.0.0"]}, "bad": {"type": "?"}}}`),
	}, nil)
	r := component.New(t, &component.Host{Manifest: "plugin.json", Rules: component.Shared()})
	r.SkillDir("skills")
	r.ServerFile(".mcp.json")
	for _, c := range r.Components {
		fmt.Printf("%s %s\n", c.Type, c.Name)
	}
	fmt.Println(r.Found[0])
	// Output:
	// skill notes
	// mcp-server files
	// mcp-server bad
	// .mcp.json:1:87: warning: the server "bad" has an unknown "type"; the host drops it (component/mcp-server)
}
