package tree

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// What is remembered of the names of one package does not change what is found
// in the next: the same names are judged again by its own profile, and more
// different names than are remembered are read as well.
func TestRememberedNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := strings.Repeat("long-", 40) + "name.md"
	write(t, dir, map[string]string{
		"a/SKILL.md": "x", "a/.env": "x", "a/nul": "x", "a/sub/é.md": "x", "a/" + long: "x",
		"b/SKILL.md": "x", "b/.env": "x", "b/nul": "x", "b/sub/é.md": "x", "b/sub/skill.md": "x", "b/" + long: "x",
	})
	many := map[string]string{}
	for i := range maxKnown + 100 {
		many[fmt.Sprintf("c/%d/%d.txt", i%7, i)] = ""
	}
	write(t, dir, many)
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var s Scratch
	for _, name := range []string{"a", "b", "a", "c", "b", "c"} {
		for _, profile := range []func([]string) Profile{strict, foreign} {
			s.Reset()
			got, err := d.Read(t.Context(), name, Options{Profile: profile}, &s)
			if err != nil {
				t.Fatal(err)
			}
			want, err := d.Read(t.Context(), name, Options{Profile: profile}, new(Scratch))
			if err != nil {
				t.Fatal(err)
			}
			if verdict(got) != verdict(want) || strings.Join(got.Top, " ") != strings.Join(want.Top, " ") || len(got.Files) != len(want.Files) {
				t.Fatalf("%s: %s and %d files, a new Scratch says %s and %d files", name, verdict(got), len(got.Files), verdict(want), len(want.Files))
			}
			for i, f := range got.Files {
				if w := want.Files[i]; f.Path != w.Path || f.Sum != w.Sum {
					t.Errorf("%s: %q, want %q", name, f.Path, w.Path)
				}
			}
			if name != "c" && len(got.Problems) < 2 {
				t.Errorf("%s: %v", name, got.Problems)
			}
		}
	}
	if len(s.known) > maxKnown {
		t.Errorf("%d names are remembered", len(s.known))
	}
	if _, ok := s.known[long]; ok || len(long) > 255 || filepath.Base(long) != long {
		t.Errorf("%q is remembered", long)
	}
}
