package tree

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// SB-033, security 3.1 rows 1-7, 11, 12
func TestPaths(t *testing.T) {
	t.Parallel()
	const (
		fine      = iota
		dangerous // path/invalid in every format
		unfit     // path/portable
	)
	long := strings.Repeat("a", 255)
	cases := []struct {
		row  int
		path string
		want int
	}{
		{0, "SKILL.md", fine}, {0, "skills/pdf/SKILL.md", fine}, {0, "a b.txt", fine}, {0, "x-y_z+1,2(3)[4]{5}=@#$%&!^.md", fine},
		{0, "café.md", fine}, {0, "日本語/説明.md", fine}, {0, ".claude-plugin/plugin.json", fine}, {0, "a..b", fine},
		{0, "console.log", fine}, {0, "com10.txt", fine}, {0, "null", fine}, {0, "auxiliary.md", fine}, {0, "git-1", fine}, {0, ".github/x", fine}, {0, ".gitignore", fine},
		{1, "../x", dangerous}, {1, "a/../../x", dangerous}, {1, "a/./b", dangerous}, {1, "a//b", dangerous}, {1, "a/", dangerous},
		{1, ".", dangerous}, {1, "..", dangerous}, {1, "", dangerous}, {1, "./a", dangerous}, {1, "a/..", dangerous},
		{2, "/etc/passwd", dangerous}, {2, "//host/share", dangerous}, {2, "~/x", unfit}, {2, "~root/x", unfit},
		{3, `C:\x`, dangerous}, {3, "C:x", dangerous}, {3, "c:/x", dangerous}, {3, `\\?\C:\x`, dangerous}, {3, `a\..\b`, dangerous}, {3, `a\b`, dangerous},
		{4, "a\x00b", dangerous}, {4, "a\nb", dangerous}, {4, "a\rb", dangerous}, {4, "a\tb", dangerous}, {4, "a\x7fb", dangerous},
		{4, "a\u0085b", dangerous}, {4, "a\u2028b", dangerous}, {4, "a\u2029b", dangerous}, {4, "a\u202egpj.exe", dangerous}, {4, "a\u2066b", dangerous},
		{4, "a\x1b[2Jb", dangerous}, {4, "a\xffb", dangerous}, {4, "a\u200bb", unfit}, {4, "a\ufeffb", unfit}, {4, "a\U000e0041b", unfit},
		{5, "name.", unfit}, {5, "name ", unfit}, {5, " name", unfit}, {5, "...", unfit}, {5, "a/b./c", unfit}, {5, "a /b", unfit}, {5, "é ", unfit},
		{6, "CON", unfit}, {6, "con.txt", unfit}, {6, "NUL", unfit}, {6, "COM1", unfit}, {6, "com¹", unfit}, {6, "COM³.txt", unfit}, {6, "CONIN$", unfit},
		{6, "conout$.log", unfit}, {6, "LPT9.md", unfit}, {6, "docs/aux.md", unfit}, {6, "PrN.tar.gz", unfit}, {6, "com0", unfit}, {6, "nul .txt", unfit},
		{7, "file.txt:stream", unfit}, {7, "FILE~1.TXT", unfit}, {7, "a/LONGFI~2", unfit}, {7, "GIT~2", unfit}, {7, "note~", fine}, {7, "v1~rc.md", fine}, {7, "archive-of~2026.md", fine},
		{8, "cafe\u0301.md", unfit},
		{11, long, fine}, {11, long + "a", dangerous}, {11, "x/" + strings.Repeat("é", 128), dangerous},
		{11, strings.Repeat("abcdefghi/", 102) + "abcd", fine}, {11, strings.Repeat("abcdefghi/", 102) + "abcde", dangerous}, {11, strings.Repeat("a/", 2500), dangerous},
		{12, ".git", dangerous}, {12, ".git/config", dangerous}, {12, ".GIT/x", dangerous}, {12, "a/.Git/hooks/x", dangerous}, {12, ".g\u200cit/x", dangerous},
		{12, "\ufeff.git/x", dangerous}, {12, "git~1", dangerous}, {12, "GIT~1/config", dangerous}, {12, ".git./x", dangerous}, {12, ".git /x", dangerous}, {12, ".git::$INDEX_ALLOCATION/x", dangerous},
		{0, `a"b`, unfit}, {0, "a*b", unfit}, {0, "a?b", unfit}, {0, "a<b", unfit}, {0, "a|b", unfit}, {0, "a`b", unfit}, {0, "a'b", unfit}, {0, "a;b", unfit}, {0, "🎨.md", unfit},
	}
	for _, c := range cases {
		got := fine
		if CheckPath(c.path) != "" {
			got = dangerous
		} else if CheckPortable(c.path) != "" {
			got = unfit
		}
		if got != c.want {
			t.Errorf("row %d: verdict on %.40q = %d, want %d (%q, %q)", c.row, c.path, got, c.want, CheckPath(c.path), why(c.path))
		}
	}
}

func why(path string) string {
	if path == "" {
		return ""
	}
	return CheckPortable(path)
}

// The short way for ASCII paths accepts nothing that x/mod refuses.
func TestPortableAgreesWithModule(t *testing.T) {
	t.Parallel()
	for c := range 128 {
		for _, format := range []string{"%c", "a%cb", "%cb", "b%c", "d/%c", "d%c/e", "a.%c"} {
			path := fmt.Sprintf(format, c)
			if CheckPath(path) != "" {
				continue
			}
			if err := module.CheckFilePath(path); err != nil && CheckPortable(path) == "" {
				t.Errorf("CheckPortable(%q) accepts what x/mod refuses: %v", path, err)
			}
		}
	}
}

// security 3.1 row 13, SB-032
func TestHiddenNames(t *testing.T) {
	t.Parallel()
	known := func(p string) bool { return p == ".claude-plugin/plugin.json" || p == ".mcp.json" }
	cases := []struct{ path, strict, foreign string }{
		{".env", "files/hidden error", "files/hidden error"},
		{"sub/.env.production", "files/hidden error", "files/hidden error"},
		{".npmrc", "files/hidden error", "files/hidden error"},
		{"keys/id_ed25519", "files/hidden error", "files/hidden error"},
		{".DS_Store", "files/hidden error", "files/hidden warning"},
		{"sub/.x/y", "files/hidden error", "files/hidden warning"},
		{".env.example", "files/hidden error", "files/hidden warning"},
		{".env.example.txt", "files/hidden error", "files/hidden warning"},
		{".env.txt", "files/hidden error", "files/hidden error"},
		{".claude-plugin/evil.sh", "files/hidden error", "files/hidden warning"},
		{".claude-plugin/plugin.json", "files/hidden error", ""},
		{".mcp.json", "files/hidden error", ""},
		{"env", "", ""},
		{"CON", "path/portable error", "path/portable warning"},
		{"../x", "path/invalid error", "path/invalid error"},
	}
	for _, c := range cases {
		for _, strict := range []bool{true, false} {
			want := c.foreign
			if strict {
				want = c.strict
			}
			b := builder(Profile{Limits: Native(), Strict: strict, Known: known})
			b.Add(Entry{Path: c.path, Size: 1})
			if got := verdict(b.Tree()); got != want {
				t.Errorf("%q, strict %v: %q, want %q", c.path, strict, got, want)
			}
		}
	}
}

// builder starts a tree with a fixed profile.
func builder(p Profile) *Builder {
	return NewBuilder(Options{Profile: func([]string) Profile { return p }}, nil, new(Scratch))
}

// verdict lists what a tree reports, as "rule severity".
func verdict(t *Tree) string {
	var out []string
	for _, p := range t.Problems {
		out = append(out, p.Rule+" "+p.Severity.String())
	}
	return strings.Join(out, ", ")
}
