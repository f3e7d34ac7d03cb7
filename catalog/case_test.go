package catalog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// summary shows what a reader of the catalog gets, line by line.
func summary(c *Catalog, data []byte, exists func(string) bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s native=%v name=%q owner=%q version=%q root=%q\n", c.Flavour, c.Native, c.Name, c.Owner.Name, c.Version, c.PluginRoot)
	shared := c.Shared()
	for _, e := range c.Entries {
		fmt.Fprintf(&b, "%d:%d %q %q %s", e.Line, e.Column, e.Name, e.Version, e.Source.Form)
		if dir, ok := e.Source.Relative(); ok {
			fmt.Fprintf(&b, " dir=%s", dir)
		}
		if spec, dir, sha, ok := e.Source.Spec(); ok {
			fmt.Fprintf(&b, " spec=%s dir=%s sha=%s", spec, dir, sha)
		}
		if s := c.Selection(e, shared); !s.Whole() {
			fmt.Fprintf(&b, " select=%s", strings.Join(s.Paths, ","))
		}
		if !e.Strict {
			b.WriteString(" strict=false")
		}
		if e.Unavailable != "" {
			fmt.Fprintf(&b, " UNAVAILABLE %s", e.Rule())
		}
		b.WriteByte('\n')
	}
	_, whole := Parse(c.Path, data)
	for _, p := range append(whole, Lint(c, data, exists)...) {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// Each case is one catalog and what becomes of it: the first file is parsed,
// the others say which directories exist.
//
// SB-078, SB-079, SB-085, security 3.4 rows 61-67 and 73, formats 1.1.1-1.1.3,
// 1.2, 1.4, 1.5, and the cross-client matrix.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := archive(string(text))
			in, rest := parts[1], parts[2:]
			dirs := map[string]bool{".": true}
			var exists func(string) bool
			want, given := "", false
			for _, f := range rest {
				if f.name == "want" {
					want, given = f.data, true
					continue
				}
				exists = func(dir string) bool { return dirs[dir] }
				for d := filepath.Dir(f.name); d != "."; d = filepath.Dir(d) {
					dirs[d] = true
				}
			}
			data := []byte(in.data)
			c, _ := Parse(in.name, data)
			got := summary(c, data, exists)
			if *update {
				before, _, _ := strings.Cut(string(text), "-- want --\n")
				if err := os.WriteFile(file, []byte(before+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !given {
				t.Fatal("the case has no want")
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("Parse(%s) (-want +got):\n%s", in.name, d)
			}
		})
	}
}

// part is a file of a txtar archive; the first one is the comment.
type part struct{ name, data string }

// archive reads the txtar format, whose library is a module that nothing else
// here needs.
func archive(text string) []part {
	out := []part{{}}
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		if name, closed := strings.CutSuffix(name, " --"); ok && closed {
			out = append(out, part{name: name})
			continue
		}
		out[len(out)-1].data += line
	}
	return out
}
