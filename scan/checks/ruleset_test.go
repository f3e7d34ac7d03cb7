package checks_test

import (
	"os"
	"strings"
	"testing"

	"pinion/scan"
	"pinion/scan/checks"
)

// SB-068: other rules are another rule set. The digest that is written down is
// that of the rules as they are.
func TestRuleset(t *testing.T) {
	want, have := scan.RulesetOf(checks.All()).String(), checks.Ruleset().String()
	if want == have {
		return
	}
	if os.Getenv("PINION_UPDATE") == "" {
		t.Fatalf("the rules changed: PINION_UPDATE=1 go test ./scan/checks -run Ruleset writes their digest, %s", want)
	}
	src, err := os.ReadFile("ruleset.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("ruleset.go", []byte(strings.Replace(string(src), have, want, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}
