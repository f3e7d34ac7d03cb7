package native

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
	"pinion/tree"
)

// A value is used by several goroutines, and what it remembers of schemas does
// not change what it says.
func TestFormatIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	f := New(Options{})
	good := map[string]string{"LICENSE": "t\n", "s.py": "\n", "pinion-plugin.json": manifestWith(t, map[string]any{
		"kind": "mcp", "files": []string{"s.py", "LICENSE"}, "entrypoint": "s.py",
		"tools": []map[string]any{{"name": "a", "description": "d", "input_schema": map[string]any{"type": "object", "$comment": "c"}}}})}
	bad := map[string]string{"LICENSE": "t\n", "s.py": "\n", "pinion-plugin.json": strings.Replace(good["pinion-plugin.json"], `"$comment": "c"`, `"required": "c"`, 1)}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				if l := load(f, good); len(l) > 0 {
					t.Errorf("good package: %v", l)
				}
				if l := load(f, bad); !slices.Equal(rules(l), []string{"tools/schema"}) {
					t.Errorf("bad package: %v", l)
				}
			}
		})
	}
	wg.Wait()
	if len(f.schemas) != 1 {
		t.Errorf("%d schemas are remembered, want the good one", len(f.schemas))
	}
}

// What the tree refuses is said once, by the tree.
func TestLinksAreNotMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{"SKILL.md": instructions, "LICENSE": "t\n", "pinion-plugin.json": manifestWith(t, map[string]any{
		"files": []string{"SKILL.md", "LICENSE", "link.md", "dir/a.md"}})} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link.md": "SKILL.md", "dir": "/etc"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	d, err := tree.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f := New(Options{})
	tr, err := d.Read(t.Context(), ".", tree.Options{Profile: func([]string) tree.Profile { return f.Profile() }}, &tree.Scratch{})
	if err != nil {
		t.Fatal(err)
	}
	_, problems := f.Load(tr, nil)
	if len(problems) > 0 || !slices.Equal(rules(tr.Problems), []string{"files/symlink"}) {
		t.Errorf("tree: %v, format: %v; want the links reported by the tree alone", tr.Problems, problems)
	}
}

// A bundle that cannot be read is no match. SB-111
func TestUnreadableBundle(t *testing.T) {
	t.Parallel()
	m := manifestWith(t, map[string]any{"kind": "builtin"})
	l := load(New(Options{Bundle: brokenFS{}}), map[string]string{"SKILL.md": "x", "LICENSE": "t\n", "pinion-plugin.json": m})
	if !l.HasErrors() {
		t.Errorf("problems = %v, want an error", l)
	}
}

type brokenFS struct{}

func (brokenFS) Open(name string) (fs.File, error) { return nil, fs.ErrPermission }

// FuzzLoad: no panic; positions are inside the manifest; an accepted package
// has a manifest that says the same when it is written and read again.
func FuzzLoad(f *testing.F) {
	f.Add(fullManifest, "export function mount() {}", "a{}")
	cases, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range cases {
		ar, err := readArchive(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.files {
			if isManifest(file.name) {
				f.Add(file.data, "import './x.js'", "a{b:url(c)}")
			}
		}
	}
	format := New(Options{})
	f.Fuzz(func(t *testing.T, text, js, css string) {
		files := map[string]string{
			"pinion-plugin.json": text, "LICENSE": "t", "SKILL.md": instructions,
			"page.js": js, "a.js": js, "a.css": css, "s.py": "", "server.py": "",
		}
		tr := makeTree(files)
		m, problems := format.Load(tr, nil)
		if m == nil {
			t.Fatal("no manifest")
		}
		for _, p := range problems {
			if p.File == "" || p.Message == "" || p.Fix == "" || p.Line < 0 || p.Line > strings.Count(files[p.File], "\n")+1 {
				t.Errorf("problem %+v", p)
			}
		}
		if !problems.HasErrors() {
			again, err := syntax.Compact(m)
			if err != nil {
				t.Fatal(err)
			}
			m2, _ := format.Load(tr, &manifest.Entry{Name: "other"})
			if twice, _ := syntax.Compact(m2); string(twice) != string(again) {
				t.Errorf("read twice: %s and %s", again, twice)
			}
		}
		if fixed, err := Fix(tr); err == nil && fixed != nil {
			files[fixed.Path] = string(fixed.Data)
			if more, err := Fix(makeTree(files)); err != nil || more != nil {
				t.Errorf("Fix of a fixed manifest = %+v, %v", more, err)
			}
		}
	})
}

// A clean package is the hot path: its cost is a counter, part of the
// ≤10 KB a package that include the reading of the tree.
func TestAllocations(t *testing.T) {
	tr := makeTree(packageOf(t, 10))
	f := New(Options{})
	got := testing.AllocsPerRun(100, func() {
		if _, l := f.Load(tr, nil); len(l) > 0 {
			t.Fatal(l)
		}
	})
	// 12 to 15 are usual; the race detector adds a few of its own.
	if got > 24 {
		t.Errorf("a clean package of 10 files costs %.0f allocations, want at most 24", got)
	}
}

func BenchmarkLoad(b *testing.B) {
	f := New(Options{})
	for name, tr := range map[string]*tree.Tree{"skill": makeTree(packageOf(b, 10)), "mcp": makeTree(mcpPackage(b))} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, l := f.Load(tr, nil); len(l) > 0 {
					b.Fatal(l)
				}
			}
		})
	}
}

// BenchmarkNewSchemas is a package whose input schemas were never seen before.
func BenchmarkNewSchemas(b *testing.B) {
	tr := makeTree(mcpPackage(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, l := New(Options{}).Load(tr, nil); len(l) > 0 {
			b.Fatal(l)
		}
	}
}

func mcpPackage(b testing.TB) map[string]string {
	var tools []map[string]any
	for i := range 5 {
		tools = append(tools, map[string]any{"name": fmt.Sprintf("tool_%d", i), "description": "Collapse repeated whitespace in text.",
			"input_schema": map[string]any{"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}, "required": []string{"text"}}})
	}
	return map[string]string{"LICENSE": "t\n", "s.py": "\n", "pinion-plugin.json": manifestWith(b, map[string]any{
		"kind": "mcp", "files": []string{"s.py", "LICENSE"}, "entrypoint": "s.py", "tools": tools})}
}

func ExampleFormat_Load() {
	tr := makeTree(map[string]string{
		"pinion-plugin.json": `{"schema_version": 1, "id": "style", "name": "Style", "version": "1.0", "description": "A guide.",
 "kind": "skill", "license": "mit", "files": ["SKILL.md", "LICENSE"]}`,
		"SKILL.md": instructions, "LICENSE": "The text of the licence.\n", "notes.txt": "\n",
	})
	m, problems := New(Options{}).Load(tr, nil)
	fmt.Println(m.ID, m.Kind, problems.Count(problem.Error))
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// style skill 3
	// pinion-plugin.json:1:66: error: version "1.0" is not a semantic version (manifest/version)
	// pinion-plugin.json:2:30: error: license "mit" is spelled "MIT" (license/unknown)
	// pinion-plugin.json:2:37: error: "notes.txt" is in the package but not in "files" (files/undeclared)
}
