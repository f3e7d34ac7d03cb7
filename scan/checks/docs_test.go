package checks_test

import (
	"os"
	"strings"
	"testing"

	"pinion/scan/checks"
)

// docs/scanning.md lists every family, and promises nothing that a scan cannot
// keep.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/scanning.md")
	if err != nil {
		t.Fatal(err)
	}
	_, families, _ := strings.Cut(string(page), "## Families")
	families, _, _ = strings.Cut(families, "\n## ")
	for _, r := range checks.Rules() {
		if group, _, _ := strings.Cut(r.ID, "/"); !strings.Contains(families, "`"+group+"`") {
			t.Errorf("the group %s is in no family of docs/scanning.md", group)
		}
	}
	if strings.Contains(strings.ToLower(string(page)), "safe") {
		t.Error(`docs/scanning.md says "safe"`)
	}
}
