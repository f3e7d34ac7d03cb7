package syntax

import (
	"strings"
	"testing"
)

// What a limit leaves out of a script is said; a fault costs its line only.
func TestParseShellLeft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		left         bool
		last         string // the last command
	}{
		{"fault", "echo a\nif then (\necho b\n", false, "echo"},
		{"many faults", strings.Repeat("if then (\n", 500) + "last word\n", false, "last"},
		{"brackets", strings.Repeat("(", 2000) + "\nlast word\n", true, ""},
		{"quotes", strings.Repeat("echo $((' \"\n", 3000) + "last word\n", true, ""},
		{"commands", strings.Repeat("a\n", 30_000), true, "a"},
	} {
		s := ParseShell([]byte(test.script))
		last := ""
		if n := len(s.Commands); n > 0 {
			last = s.Commands[n-1].Name()
		}
		if s.Left != test.left || test.last != "" && last != test.last || s.Work > 64*len(test.script)+2*maxShell {
			t.Errorf("%s: left %v, last %q, work %d for %d bytes", test.name, s.Left, last, s.Work, len(test.script))
		}
	}
}
