package catalog

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/syntax"
	"pinion/internal/testkit"
	"pinion/manifest/claude"
	"pinion/problem"
)

// Every catalog of real repositories, the broken ones of their histories
// included, is read without a panic, and every problem has a position.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root := filepath.Join(testkit.SharedDir(t), "corpus")
	var lines []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(d.Name(), "marketplace.json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		_, inside, _ := strings.Cut(rel, "/")
		if strings.HasPrefix(inside, "_history/") {
			inside = ".claude-plugin/marketplace.json" // as its index says
		}
		c, whole := Parse(inside, data)
		all := append(slices.Clone(whole), Lint(c, data, nil)...)
		rules := map[string]int{}
		for _, p := range all {
			rules[p.Severity.String()+" "+p.Rule]++
			if p.File == "" || p.Line < 1 || p.Column < 1 || p.Message == "" || p.Fix == "" {
				t.Errorf("%s: incomplete problem %+v", rel, p)
			}
		}
		unavailable := 0
		for i, e := range c.Entries {
			if e.Line < 1 || e.Index != i {
				t.Errorf("%s: entry %d is at line %d, index %d", rel, i, e.Line, e.Index)
			}
			if (e.Unavailable == "") != (e.Rule() == "") {
				t.Errorf("%s: %q is unavailable %q by rule %q", rel, e.Name, e.Unavailable, e.Rule())
			}
			if e.Unavailable != "" {
				unavailable++
			}
		}
		var found []string
		for r, n := range rules {
			found = append(found, strings.ReplaceAll(r, " ", ":")+"="+itoa(n))
		}
		slices.Sort(found)
		lines = append(lines, strings.Join(append([]string{rel, string(c.Flavour), itoa(len(c.Entries)), itoa(unavailable)}, found...), " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 50 {
		t.Fatalf("only %d catalogs in %s", len(lines), root)
	}
	got := strings.Join(lines, "\n") + "\n"
	const golden = "testdata/corpus.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("real catalogs (-want +got):\n%s", d)
	}
}

// The limits hold at the boundary and one past it (security 3.4 row 73).
func TestLimits(t *testing.T) {
	t.Parallel()
	build := func(n int) []byte {
		return []byte(`{"name":"a","owner":{"name":"b"},"plugins":[` + strings.Repeat(`{"name":"x","source":"./x"},`, n-1) + `{"name":"x","source":"./x"}]}`)
	}
	for _, over := range []int{0, 1} {
		c, l := Parse(".claude-plugin/marketplace.json", build(MaxEntries+over))
		if got := hasRule(l, "catalog/limit"); got != (over > 0) || len(c.Entries) != MaxEntries {
			t.Errorf("%d entries: limit reported %v, %d kept", MaxEntries+over, got, len(c.Entries))
		}
	}
	big := bytes.Repeat([]byte(" "), MaxBytes+1)
	if _, l := Parse("marketplace.json", big); !hasRule(l, "catalog/limit") {
		t.Errorf("%d bytes: %v", len(big), l)
	}
	// White space is not JSON, but it is short enough to be looked at.
	if _, l := Parse("marketplace.json", big[:1000]); hasRule(l, "catalog/limit") {
		t.Errorf("1,000 bytes: %v", l)
	}
}

func hasRule(l problem.List, rule string) bool {
	return slices.ContainsFunc(l, func(p problem.Problem) bool { return p.Rule == rule })
}

// Ten thousand entries are read with at most 10 MB of memory (performance 6, row 15).
func TestParseMemory(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates more; run without -race")
	}
	data := bigCatalog(10_000)
	Parse("marketplace.json", data) // what the decoder caches once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, l := Parse("marketplace.json", data)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 10<<20 {
		t.Errorf("Parse of %d entries allocates %d bytes, want at most %d", len(c.Entries), got, 10<<20)
	}
	if len(c.Entries) != 10_000 || len(l) > 0 || !c.Native {
		t.Errorf("read %d entries, native %v, problems %v", len(c.Entries), c.Native, l)
	}
}

// Both ways of reading give the same: one pass over a document without faults,
// and entry by entry.
func TestSlowReadingIsTheSame(t *testing.T) {
	t.Parallel()
	data := bigCatalog(300)
	fast, _ := Parse(".claude-plugin/marketplace.json", data)
	slow, l := Parse(".claude-plugin/marketplace.json", append([]byte(`{"name":"x",`), data[1:]...))
	if !hasRule(l, "json/duplicate-key") {
		t.Fatal("the second document has no fault")
	}
	for _, c := range []*Catalog{fast, slow} {
		for i := range c.Entries {
			c.Entries[i].Line, c.Entries[i].Column = 0, 0
		}
	}
	if d := cmp.Diff(fast.Entries, slow.Entries, cmp.AllowUnexported(Entry{}, Origin{}, fast.Entries[0].Digest)); d != "" {
		t.Errorf("entries (-fast +slow):\n%s", d)
	}
}

// The component fields are those of the format that reads them.
func TestComponentFields(t *testing.T) {
	t.Parallel()
	for _, name := range claude.EntryFields() {
		var w wireEntry
		if l := syntax.Decode([]byte(`{"`+name+`": ["./x"]}`), &w, syntax.Options{}); len(l) > 0 {
			t.Fatal(l)
		}
		if got := w.fields(); len(got) != 1 || string(got[name]) != `["./x"]` {
			t.Errorf("field %q is read as %v", name, got)
		}
	}
	doc, _ := syntax.Compact(wireComponents{})
	n := 0
	for range members(doc, 0) {
		n++
	}
	if n != len(claude.EntryFields()) {
		t.Errorf("%d fields are read, want %d", n, len(claude.EntryFields()))
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	const native = `{"schema_version":1,"name":"n","owner":{"name":"o"},"plugins":[{"name":"a","version":"1.0.0","source":"./a","hash":"h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk="}]}`
	const foreign = `{"name":"f","owner":{"name":"o"},"plugins":[]}`
	const half = `{"schema_version":1,"name":"f","owner":{"name":"o"},"plugins":[{"name":"a","source":"./a"}]}`
	const broken = `{"schema_version":1,`
	cases := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"native first", map[string]string{"marketplace.json": native, "shinbot-marketplace.json": native, ".claude-plugin/marketplace.json": foreign}, "marketplace.json"},
		{"shinbot before Copilot's", map[string]string{"marketplace.json": foreign, "shinbot-marketplace.json": native}, "shinbot-marketplace.json"},
		{"Claude before Copilot's", map[string]string{"marketplace.json": foreign, ".claude-plugin/marketplace.json": foreign}, ".claude-plugin/marketplace.json"},
		{"no hash is not native", map[string]string{"marketplace.json": half, ".agents/plugins/marketplace.json": foreign}, ".agents/plugins/marketplace.json"},
		{"Codex before Copilot", map[string]string{".agents/plugins/marketplace.json": foreign, ".plugin/marketplace.json": foreign}, ".agents/plugins/marketplace.json"},
		{"root before .plugin", map[string]string{"marketplace.json": foreign, ".plugin/marketplace.json": foreign}, "marketplace.json"},
		{".github before Cursor", map[string]string{".github/plugin/marketplace.json": foreign, ".cursor-plugin/marketplace.json": foreign}, ".github/plugin/marketplace.json"},
		{"Cursor last", map[string]string{".cursor-plugin/marketplace.json": foreign}, ".cursor-plugin/marketplace.json"},
		{"a broken native one is not passed over", map[string]string{"marketplace.json": broken, ".claude-plugin/marketplace.json": foreign}, "marketplace.json"},
		{"none", nil, ""},
	}
	for _, c := range cases {
		path, data, err := Find(t.Context(), func(p string) ([]byte, error) {
			if s, ok := c.files[p]; ok {
				return []byte(s), nil
			}
			return nil, fs.ErrNotExist
		})
		if path != c.want || string(data) != c.files[path] || (c.want == "") != errors.Is(err, ErrNone) {
			t.Errorf("%s: Find = %q, %v; want %q", c.name, path, err, c.want)
		}
	}

	// A foreign catalog that cannot be read does not hide the next one; a native
	// one does.
	bad := errors.New("a symbolic link")
	read := func(unreadable string) func(string) ([]byte, error) {
		return func(p string) ([]byte, error) {
			switch p {
			case unreadable:
				return nil, bad
			case ".cursor-plugin/marketplace.json":
				return []byte(foreign), nil
			}
			return nil, fs.ErrNotExist
		}
	}
	if path, _, err := Find(t.Context(), read(".claude-plugin/marketplace.json")); err != nil || path != ".cursor-plugin/marketplace.json" {
		t.Errorf("unreadable Claude catalog: %q, %v", path, err)
	}
	if _, _, err := Find(t.Context(), read("shinbot-marketplace.json")); !errors.Is(err, bad) {
		t.Errorf("unreadable native catalog: %v", err)
	}
	if _, _, err := Find(t.Context(), read(".cursor-plugin/marketplace.json")); !errors.Is(err, bad) {
		t.Errorf("only catalog unreadable: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Find(ctx, read("")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	c, _ := Parse(".claude-plugin/marketplace.json", []byte(`{"name":"a","owner":{"name":"b"},
		"plugins":[{"name":"now","source":"./now"},{"name":"kept","source":"./kept"}],
		"renames":{"old":"now","older":"old","gone":null,"x":"y","y":"x","lost":"nowhere","kept":"now"}}`))
	for _, x := range []struct {
		name, want, from string
		ok               bool
	}{
		{"now", "now", "", true},
		{"old", "now", "old", true},
		{"older", "now", "older", true},
		{"kept", "kept", "", true}, // an entry goes before a rename of its name
		{"gone", "", "gone", false},
		{"x", "", "x", false},
		{"lost", "", "lost", false},
		{"never", "", "", false},
	} {
		e, from, ok := c.Resolve(x.name)
		if e.Name != x.want || from != x.from || ok != x.ok {
			t.Errorf("Resolve(%q) = %q, %q, %v; want %q, %q, %v", x.name, e.Name, from, ok, x.want, x.from, x.ok)
		}
	}
	if e, _, ok := (&Catalog{Entries: []Entry{{Name: "hand-made"}}}).Resolve("hand-made"); !ok || e.Name != "hand-made" {
		t.Errorf("Resolve in a catalog that was not parsed = %v, %v", e.Name, ok)
	}
}

// Without a version the highest release counts (spec/cli.md, REF).
func TestResolveVersions(t *testing.T) {
	t.Parallel()
	var items []string
	for _, v := range []string{"1.9.0", "1.10.0", "2.0.0-beta.1", "0.1.0"} {
		items = append(items, `{"name":"a","version":"`+v+`","source":"./`+v+`/a","hash":"h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk="}`)
	}
	c, l := Parse("marketplace.json", []byte(`{"schema_version":1,"name":"a","owner":{"name":"b"},"plugins":[`+strings.Join(items, ",")+`]}`))
	if len(l) > 0 {
		t.Fatal(l)
	}
	if e, _, _ := c.Resolve("a"); e.Version != "1.10.0" || len(c.Named("a")) != 4 {
		t.Errorf("Resolve = %s of %d, want 1.10.0 of 4", e.Version, len(c.Named("a")))
	}
}

func TestReservedNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"claude-plugins-official": true, "official-claude-plugins": true, "anthropic-plugins-v2": true,
		"Claude_Plugins_0fficial": true, "agent-skill5": true, "local": true, "org": true,
		"acme-plugins": false, "claude-code-workflows": false, "my-claude-plugins": false, "agent-skills-acme": false,
	} {
		if got := reservedWhy(name); (got != "") != want {
			t.Errorf("reservedWhy(%q) = %q, want reserved %v", name, got, want)
		}
	}
}

// No input panics, limits hold, the entries keep the order of the file, and a
// catalog built over any other reads well and is built again the same.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		in := archive(string(text))[1]
		f.Add(in.name, []byte(in.data))
	}
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		c, l := Parse(path, data)
		if c == nil || c.Path != path || len(c.Entries) > MaxEntries {
			t.Fatalf("catalog %+v", c)
		}
		line := 0
		for i, e := range c.Entries {
			if e.Index != i || e.Line < line || e.Column < 1 {
				t.Fatalf("entry %d: index %d at %d:%d after line %d", i, e.Index, e.Line, e.Column, line)
			}
			line = e.Line
			if dir, ok := e.Source.Relative(); ok && (!fs.ValidPath(dir) || strings.Contains(dir, `\`)) {
				t.Fatalf("entry %d: directory %q", i, dir)
			}
			if _, dir, sha, ok := e.Source.Spec(); ok && (!fs.ValidPath(dir) || sha != "" && len(sha) != 40 && len(strings.TrimPrefix(sha, "sha256:")) != 64) {
				t.Fatalf("entry %d: directory %q, commit %q", i, dir, sha)
			}
			c.Resolve(e.Name)
			c.Selection(e, c.Shared())
		}
		for _, p := range append(l, Lint(c, data, func(string) bool { return false })...) {
			if p.Rule == "" || p.Line < 0 {
				t.Fatalf("problem %+v", p)
			}
		}
		if d := Diff(c, c); len(d.Added)+len(d.Removed)+len(d.Rewritten)+len(d.Renamed) > 0 {
			t.Fatalf("the catalog differs from itself: %s", d)
		}
		r := Build(BuildInput{Existing: data, Owner: "o", Name: "n"})
		if r.Problems.HasErrors() {
			return
		}
		built := r.Bytes()
		if again := Build(BuildInput{Existing: built}); len(again.Problems) > 0 || !bytes.Equal(again.Bytes(), built) {
			t.Fatalf("built again, %v:\n%s\nbefore:\n%s", again.Problems, again.Bytes(), built)
		}
		if _, l := Parse("marketplace.json", built); len(l) > 0 {
			t.Fatalf("a built catalog has problems %v:\n%s", l, built)
		}
	})
}
