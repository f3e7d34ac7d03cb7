package catalog

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/internal/testkit"
	"pinion/manifest"
	"pinion/problem"
	"pinion/schemas"
)

func itoa(n int) string { b, _ := syntax.Compact(n); return string(b) }

func mustDigest(t testing.TB, s string) hashes.Digest {
	t.Helper()
	d, err := hashes.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fixtureItems returns the packages of the seed documents.
func fixtureItems(t *testing.T) []Item {
	t.Helper()
	root := filepath.Join(testkit.SharedDir(t), "fixtures")
	digests, err := os.ReadFile(filepath.Join(root, "digests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var items []Item
	for line := range strings.Lines(string(digests)) {
		id, digest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, "shinbot-marketplace-repo", "plugins", id, "shinbot-plugin.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID, Version, Name, Description, Kind, License string
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		items = append(items, Item{
			ID: m.ID, Version: m.Version, Dir: "plugins/" + id, Kind: manifest.Kind(m.Kind), DisplayName: m.Name,
			Description: m.Description, License: m.License, Digest: mustDigest(t, digest), Manifest: "shinbot-plugin.json",
		})
	}
	return items
}

// The fixture repository gives one catalog, whatever the order, and building on
// top of it changes nothing (SB-075, SB-076, SB-077, SB-079).
func TestBuildFixture(t *testing.T) {
	t.Parallel()
	items := fixtureItems(t)
	if len(items) != 5 {
		t.Fatalf("%d fixtures", len(items))
	}
	const golden = "testdata/fixture.golden.json"
	for range 20 {
		rand.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		r := Build(BuildInput{Items: ItemsOf(items...), Name: "your-shinbot-plugins", Owner: "Your Name"})
		if len(r.Problems) > 0 || r.Path != "shinbot-marketplace.json" {
			t.Fatalf("Build gives %s with %v", r.Path, r.Problems)
		}
		if *update {
			if err := os.WriteFile(golden, r.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(r.Bytes())); d != "" {
			t.Fatalf("catalog (-want +got):\n%s", d)
		}
		again := Build(BuildInput{Items: ItemsOf(items...), Existing: want, Name: "elsewhere", Owner: "Other"})
		if !bytes.Equal(again.Bytes(), want) {
			t.Fatalf("building again changes the catalog:\n%s", again.Bytes())
		}
		checkPublished(t, r.Path, want, len(items))
	}
}

// checkPublished holds a built catalog against everything that reads it: our
// parser, our schema, and the hosts that read marketplace.json (Copilot and VS
// Code).
func checkPublished(t *testing.T, path string, data []byte, n int) {
	t.Helper()
	c, l := Parse(path, data)
	if len(l) > 0 || !c.Native || len(c.Entries) != n {
		t.Fatalf("Parse of a built catalog: native %v, %d entries, %v", c.Native, len(c.Entries), l)
	}
	doc, l := syntax.Any(data)
	if len(l) > 0 {
		t.Fatal(l)
	}
	faults, err := new(schemas.Validator).Validate("catalog", doc)
	if err != nil || len(faults) > 0 {
		t.Fatalf("schema: %v %v", faults, err)
	}
	r := newReader("marketplace.json", data, copilotProfile())
	r.read()
	if l := r.catalog.Problems; len(l) > 0 || r.catalog.Name == "" || r.catalog.Owner.Name == "" {
		t.Fatalf("Copilot: %v", l)
	}
	for _, e := range r.catalog.Entries {
		if dir, ok := e.Source.Relative(); len(e.Problems) > 0 || !ok || dir == "." {
			t.Fatalf("Copilot: %+v", e)
		}
	}
}

func item(t testing.TB, id, version string) Item {
	return Item{
		ID: id, Version: version, Dir: "plugins/" + id, Kind: manifest.Skill, DisplayName: "The " + id,
		Description: "A <b> & 'c'", License: "MIT", Manifest: "pinion-plugin.json",
		Digest: mustDigest(t, "h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk="),
	}
}

// What the owner wrote survives, in its place; what Build writes is its own.
func TestBuildKeepsOwnersKeys(t *testing.T) {
	t.Parallel()
	old := `{"$schema": "https://example.com/s.json", "plugins": [
	  {"category": "art", "name": "b", "version": "0.9.0", "source": "./old/b", "tags": ["x", {"y": [1.50, []]}], "hash": "stale", "description": "mine", "author": {"name": "Z"}},
	  {"name": "dropped", "x": 1}
	], "schema_version": 1, "name": "kept", "owner": {"email": "a@example.com", "name": "Kept"}, "homepage": "https://example.com/<x>", "description": "Kept & fine"}`
	r := Build(BuildInput{Items: ItemsOf(item(t, "b", "1.0.0"), item(t, "a", "1.0.0")), Existing: []byte(old), Name: "new", Owner: "New", Description: "new"})
	if len(r.Problems) > 0 {
		t.Fatal(r.Problems)
	}
	want := `{
  "$schema": "https://example.com/s.json",
  "schema_version": 1,
  "name": "kept",
  "owner": {
    "email": "a@example.com",
    "name": "Kept"
  },
  "homepage": "https://example.com/<x>",
  "description": "Kept & fine",
  "plugins": [
    {
      "name": "a",
      "version": "1.0.0",
      "source": "./plugins/a",
      "hash": "h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk=",
      "displayName": "The a",
      "description": "A <b> & 'c'",
      "kind": "skill",
      "license": "MIT"
    },
    {
      "category": "art",
      "name": "b",
      "version": "1.0.0",
      "source": "./plugins/b",
      "tags": [
        "x",
        {
          "y": [
            1.50,
            []
          ]
        }
      ],
      "hash": "h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk=",
      "displayName": "The b",
      "description": "A <b> & 'c'",
      "author": {
        "name": "Z"
      },
      "kind": "skill",
      "license": "MIT"
    }
  ]
}
`
	if d := cmp.Diff(want, string(r.Bytes())); d != "" {
		t.Errorf("catalog (-want +got):\n%s", d)
	}
	again := Build(BuildInput{Items: r.items, Existing: r.Bytes()})
	if d := cmp.Diff(want, string(again.Bytes())); d != "" {
		t.Errorf("built again (-want +got):\n%s", d)
	}
	checkPublished(t, "marketplace.json", r.Bytes(), 2)
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	change := func(f func(*Item)) *Items {
		it := item(t, "a", "1.0.0")
		f(&it)
		return ItemsOf(it)
	}
	two := item(t, "a", "1.0.0")
	two.Dir = "more/a"
	cases := []struct {
		name  string
		in    BuildInput
		rules []string
	}{
		{"directory name", BuildInput{Items: change(func(i *Item) { i.Dir = "plugins/other" })}, []string{"catalog/directory-name"}},
		{"duplicate", BuildInput{Items: ItemsOf(item(t, "a", "1.0.0"), two)}, []string{"catalog/duplicate"}},
		{"id", BuildInput{Items: change(func(i *Item) { i.ID = "A" })}, []string{"catalog/entry-name"}},
		{"version", BuildInput{Items: change(func(i *Item) { i.Version = "1.0" })}, []string{"catalog/version"}},
		{"digest", BuildInput{Items: change(func(i *Item) { i.Digest = hashes.Digest{} })}, []string{"catalog/hash"}},
		{"path", BuildInput{Items: change(func(i *Item) { i.Dir = "../a" })}, []string{"catalog/source-path"}},
		{"broken existing", BuildInput{Existing: []byte(`{"name": }`)}, []string{"json/syntax"}},
		{"duplicate key", BuildInput{Existing: []byte(`{"schema_version":1,"name":"a","name":"b"}`)}, []string{"json/duplicate-key"}},
		{"foreign existing", BuildInput{Existing: []byte(`{"name":"a","plugins":[{"name":"x","source":"./x"}]}`)}, []string{"catalog/foreign-file"}},
	}
	for _, c := range cases {
		c.in.Owner, c.in.Name = "Somebody", "some"
		var got []string
		for _, p := range Build(c.in).Problems {
			if got = append(got, p.Rule); p.Severity != problem.Error || p.File == "" || p.Fix == "" {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if !slices.Equal(got, c.rules) {
			t.Errorf("%s: %v, want %v", c.name, got, c.rules)
		}
	}
	if r := Build(BuildInput{Items: ItemsOf(item(t, "a", "1.0.0"))}); !hasRule(r.Problems, "catalog/owner") {
		t.Errorf("without an owner: %v", r.Problems)
	}
	if r := Build(BuildInput{Owner: "o", Name: " My (Great) Plugins! "}); len(r.Problems) > 0 || !bytes.Contains(r.Bytes(), []byte(`"name": "my-great-plugins"`)) {
		t.Errorf("name made fit: %v %s", r.Problems, r.Bytes())
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	shinbot, pinion := Item{Manifest: "shinbot-plugin.json"}, Item{Manifest: "pinion-plugin.json"}
	for _, c := range []struct {
		items []Item
		want  string
	}{
		{nil, "marketplace.json"},
		{[]Item{shinbot, shinbot}, "shinbot-marketplace.json"},
		{[]Item{shinbot, pinion}, "marketplace.json"},
	} {
		if got := FileName(ItemsOf(c.items...)); got != c.want {
			t.Errorf("FileName(%v) = %s, want %s", c.items, got, c.want)
		}
	}
}

// Strings are spelled like those of the JSON library.
func TestAppendString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		want, err := syntax.Compact(s)
		if err != nil {
			t.Skip()
		}
		if got := appendString(nil, s); !bytes.Equal(got, want) {
			t.Fatalf("appendString(%q) = %s, want %s", s, got, want)
		}
	})
	all := make([]byte, 0x80)
	for i := range all {
		all[i] = byte(i)
	}
	want, err := syntax.Compact(string(all) + "\u2028\ufeff😀")
	if got := appendString(nil, string(all)+"\u2028\ufeff😀"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("appendString = %s, want %s", got, want)
	}
	if got := string(appendString(nil, "a\xffb")); got != "\"a\ufffdb\"" {
		t.Errorf("bytes that are not UTF-8: %s", got)
	}
}

// SB-082: a released version keeps its bytes; what is new or unreleased may
// change.
func TestCheckUpdate(t *testing.T) {
	t.Parallel()
	released := build(t, item(t, "a", "1.0.0"), item(t, "b", "1.0.0"), item(t, "c", "1.0.0"))
	other := mustDigest(t, "h1:znHygPg3pZ8fMdPjRwPlaUAOWHntjBbeD//cuAAJfZ8=")
	a, b, d := item(t, "a", "1.0.0"), item(t, "b", "1.1.0"), item(t, "d", "1.0.0")
	a.Digest, b.Digest, d.Digest = other, other, other
	r := Build(BuildInput{Items: ItemsOf(a, b, d), Name: "n", Owner: "o"})
	next, _ := Parse(r.Path, r.Bytes())
	for name, l := range map[string]problem.List{"catalogs": CheckUpdate(released, next), "build": r.CheckUpdate(released)} {
		if len(l) != 1 || l[0].Rule != "catalog/version-changed" || l[0].Severity != problem.Error ||
			!strings.Contains(l[0].Message, "a 1.0.0") || !strings.Contains(l[0].Message, other.String()) ||
			!strings.Contains(l[0].Message, "h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk=") ||
			!strings.Contains(l[0].Fix, "pinion bump plugins/a patch") || l[0].File == "" {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if l := r.CheckUpdate(nil); len(l) > 0 {
		t.Errorf("nothing released: %v", l)
	}
}

func build(t testing.TB, items ...Item) *Catalog {
	t.Helper()
	r := Build(BuildInput{Items: ItemsOf(items...), Name: "n", Owner: "o"})
	if len(r.Problems) > 0 {
		t.Fatal(r.Problems)
	}
	c, l := Parse(r.Path, r.Bytes())
	if len(l) > 0 {
		t.Fatal(l)
	}
	return c
}

func TestDiff(t *testing.T) {
	t.Parallel()
	other := mustDigest(t, "h1:znHygPg3pZ8fMdPjRwPlaUAOWHntjBbeD//cuAAJfZ8=")
	changed := item(t, "changed", "1.0.0")
	before := build(t, item(t, "same", "1.0.0"), item(t, "up", "1.0.0"), changed, item(t, "gone", "1.0.0"), item(t, "old", "1.0.0"))
	changed.Digest = other
	after := build(t, item(t, "same", "1.0.0"), item(t, "up", "1.1.0"), changed, item(t, "added", "1.0.0"), item(t, "now", "1.0.0"))
	after.Renames = map[string]string{"old": "now"}
	d := Diff(before, after)
	names := func(l []Change) (out []string) {
		for _, c := range l {
			from, to := "-", "-"
			if c.From != nil {
				from = c.From.Name + " " + c.From.Version
			}
			if c.To != nil {
				to = c.To.Name + " " + c.To.Version
			}
			out = append(out, from+" → "+to)
		}
		return out
	}
	got := map[string][]string{"added": names(d.Added), "updated": names(d.Updated), "removed": names(d.Removed), "renamed": names(d.Renamed), "rewritten": names(d.Rewritten)}
	want := map[string][]string{
		"added":     {"- → added 1.0.0", "- → now 1.0.0"},
		"updated":   {"up 1.0.0 → up 1.1.0"},
		"removed":   {"gone 1.0.0 → -"},
		"renamed":   {"old 1.0.0 → now 1.0.0"},
		"rewritten": {"changed 1.0.0 → changed 1.0.0"},
	}
	if x := cmp.Diff(want, got); x != "" || d.Unchanged != 1 {
		t.Errorf("Diff (-want +got), %d unchanged:\n%s", d.Unchanged, x)
	}

	// Several versions of one name: the new one is an update, the dropped one a removal.
	v := func(version string) Item { i := item(t, "m", version); i.Dir = version + "/m"; return i }
	d = Diff(build(t, v("0.1.0"), v("1.0.0")), build(t, v("1.0.0"), v("1.1.0")))
	if x := cmp.Diff([][]string{{"m 1.0.0 → m 1.1.0"}, {"m 0.1.0 → -"}}, [][]string{names(d.Updated), names(d.Removed)}); x != "" || d.Unchanged != 1 {
		t.Errorf("versions (-want +got), %d unchanged:\n%s", d.Unchanged, x)
	}
}

// A foreign entry has no digest: its pin and its components are compared.
func TestDiffForeign(t *testing.T) {
	t.Parallel()
	parse := func(entry string) *Catalog {
		c, l := Parse(".claude-plugin/marketplace.json", []byte(`{"name":"a","owner":{"name":"b"},"plugins":[`+entry+`]}`))
		if len(l) > 0 {
			t.Fatal(l)
		}
		return c
	}
	pin := func(digit string) *Catalog {
		return parse(`{"name":"x","source":{"source":"github","repo":"o/r","sha":"` + strings.Repeat(digit, 40) + `"}}`)
	}
	if d := Diff(pin("a"), pin("a")); d.Unchanged != 1 {
		t.Errorf("same pin: %+v", d)
	}
	if d := Diff(pin("a"), pin("b")); len(d.Updated) != 1 {
		t.Errorf("other pin: %+v", d)
	}
	if d := Diff(parse(`{"name":"x","source":"./x"}`), parse(`{"name":"x","source":"./x","hooks":{}}`)); len(d.Updated) != 1 {
		t.Errorf("other components: %+v", d)
	}
}

// SB-077: build-catalog --check.
func TestStale(t *testing.T) {
	t.Parallel()
	r := Build(BuildInput{Items: ItemsOf(item(t, "a", "1.0.0"), item(t, "b", "1.0.0")), Name: "n", Owner: "o"})
	want := r.Bytes()
	if l := Stale(r.Path, want, want); len(l) > 0 {
		t.Errorf("the same bytes: %v", l)
	}
	for name, c := range map[string]struct{ have, message string }{
		"missing": {"", "does not exist"},
		"version": {strings.Replace(string(want), `"version": "1.0.0",
      "source": "./plugins/b"`, `"version": "0.9.0",
      "source": "./plugins/b"`, 1), "b 0.9.0 is 1.0.0"},
		"hash":     {strings.Replace(string(want), "h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk=", "h1:znHygPg3pZ8fMdPjRwPlaUAOWHntjBbeD//cuAAJfZ8=", 1), "a 1.0.0 has other files"},
		"layout":   {strings.ReplaceAll(string(want), "\n", "\r\n"), "laid out differently"},
		"no entry": {string(Build(BuildInput{Items: ItemsOf(item(t, "a", "1.0.0")), Name: "n", Owner: "o"}).Bytes()), "b is missing"},
	} {
		l := Stale(r.Path, []byte(c.have), want)
		if len(l) != 1 || l[0].Rule != "catalog/stale" || !strings.Contains(l[0].Message, c.message) {
			t.Errorf("%s: %v, want %q", name, l, c.message)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "catalog/") || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
}
