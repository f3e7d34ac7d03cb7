package component_test

import (
	"fmt"
	"strings"
	"testing"

	"pinion/manifest/agentskill"
	"pinion/manifest/agentskill/formattest"
	"pinion/manifest/claude"
	"pinion/tree"
)

// However many warnings come before it, an error is not lost (security 3.2 row 29).
func TestManyFindings(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `"x%d": 1, `, i)
	}
	tr := formattest.Tree(tree.Profile{Limits: tree.Foreign(), Known: agentskill.KnownName}, map[string][]byte{
		".claude-plugin/plugin.json": []byte(`{"name": "demo", "version": "1.0.0", ` + b.String() + `"mcpServers": {"s": {"command": 7}}}`),
	}, nil)
	_, found := claude.New().Load(tr, nil)
	if len(found) > 301 || !found.ForUse().HasErrors() {
		t.Errorf("%d findings, errors %v", len(found), found.HasErrors())
	}
}
