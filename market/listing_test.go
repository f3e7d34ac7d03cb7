package market

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"pinion/hashes"
)

// testListing writes a listing of n plugins whose entries have known texts.
func testListing(t *testing.T, ms *Markets, n int) *Market {
	t.Helper()
	m := &Market{Key: "k", Name: "m", Source: "s", Spec: "s"}
	m.State.Pin.Commit = strings.Repeat("c", 40)
	var lines [][]byte
	for i := range n {
		lines = append(lines, testLine(t, m, i, "1.0.0"))
	}
	if err := ms.save(m, &listing{}, lines); err != nil {
		t.Fatal(err)
	}
	return m
}

func testEntry(i int) string {
	return fmt.Sprintf(`{"name": "p%d", "text": "{ \" \\ , é ]}"}`, i)
}

func testLine(t *testing.T, m *Market, i int, version string) []byte {
	t.Helper()
	p := Plugin{ID: fmt.Sprintf("p%d", i), Version: version, Status: Ready, Why: "line\nend \"", TreeID: fmt.Sprint("tree", i)}
	p.Origin.Path, p.Origin.Commit = fmt.Sprint("plugins/p", i), m.State.Pin.Commit
	line, err := encode(p, textOf([]byte(testEntry(i))), m.State.Pin.Commit)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func (ms *Markets) testPlugins(t *testing.T, m *Market) (versions string) {
	t.Helper()
	got, err := ms.read(m.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got.State.Plugins {
		if p.Origin.Commit != got.State.Pin.Commit || p.Origin.Path != "plugins/"+p.ID || p.TreeID == "" || p.Why != "line\nend \"" {
			t.Errorf("read back: %+v", p)
		}
		versions += p.ID + "@" + p.Version + " "
	}
	return versions
}

// TestListingGrows shows that a change adds the plugins it is about and leaves
// the rest of the file as it is, until most of the file is of no use.
func TestListingGrows(t *testing.T) {
	ms := testMarkets(t)
	const n = 40
	m := testListing(t, ms, n)
	seen := map[string]bool{}
	for i := range 200 {
		before, err := os.ReadFile(ms.o.Home.Path(ms.listingFile("k", m.Listing)))
		if err != nil {
			t.Fatal(err)
		}
		was := m.Listing
		l, err := ms.listing(m)
		if err != nil {
			t.Fatal(err)
		}
		for j := range l.rows {
			l.rows[j].kept = string(l.part(l.rows[j].id)) != fmt.Sprint("p", i%n)
		}
		line := testLine(t, m, i%n, fmt.Sprintf("1.0.%d", i+1))
		m.State.Pin.Commit = fmt.Sprintf("%040d", i) // that of every plugin, and yet in no line
		if err := ms.save(m, l, [][]byte{bytes.ReplaceAll(line, []byte(strings.Repeat("c", 40)), nil)}); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(ms.o.Home.Path(ms.listingFile("k", m.Listing)))
		if err != nil {
			t.Fatal(err)
		}
		if m.Listing.File == was.File {
			if !bytes.HasPrefix(after, before) || len(after)-len(before) > len(line)+40 {
				t.Errorf("change %d: %d bytes became %d for a line of %d", i, len(before), len(after), len(line))
			}
		} else if len(after) > (n+1)*(len(line)+10) {
			t.Errorf("change %d: written anew with %d bytes", i, len(after))
		}
		seen[m.Listing.File] = true
		if files, err := ms.o.Home.ReadDir(snapshotDir("k")); err != nil || len(files) != 1 {
			t.Errorf("change %d: %d files, %v", i, len(files), err)
		}
		if got := ms.testPlugins(t, m); strings.Count(got, "@") != n || !strings.Contains(got, fmt.Sprintf("p%d@1.0.%d ", i%n, i+1)) {
			t.Errorf("change %d: %s", i, got)
		}
	}
	if len(seen) != 2 {
		t.Errorf("200 changes of %d plugins never wrote the file anew", n)
	}
}

// TestListingSeesEveryChange flips each bit and cuts the file everywhere. What a
// killed process left behind the mark does not count, and is not grown upon.
func TestListingSeesEveryChange(t *testing.T) { // security 3.6 rows 89 and 98
	ms := testMarkets(t)
	m := testListing(t, ms, 3)
	file := ms.o.Home.Path(ms.listingFile("k", m.Listing))
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ms.listing(m); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		try(fmt.Sprint("flipped bit in byte ", i), bad)
		try(fmt.Sprint("cut at ", i), good[:i])
	}
	if err := os.WriteFile(file, append(bytes.Clone(good), "{\"without\":[0,1,2]}\n{\"entry\":"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ms.testPlugins(t, m); strings.Count(got, "@") != 3 {
		t.Errorf("with something behind the mark: %s", got)
	}
	l, err := ms.listing(m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.rows {
		l.rows[i].kept = true
	}
	if err := ms.save(m, l, [][]byte{testLine(t, m, 3, "1.0.0")}); err != nil {
		t.Fatal(err)
	}
	if got := ms.testPlugins(t, m); strings.Count(got, "@") != 4 {
		t.Errorf("after the next change: %s", got)
	}
}

// TestSplit takes what is known out of a catalog, wherever it stands, and keeps
// the lines and columns of the rest.
func TestSplit(t *testing.T) {
	ms := testMarkets(t)
	m := testListing(t, ms, 6)
	join := func(sep string, ids ...string) string {
		for i, id := range ids {
			var n int
			if _, err := fmt.Sscanf(id, "p%d", &n); err == nil {
				ids[i] = testEntry(n)
			}
		}
		return `{"name": "é", "plugins": [` + sep + strings.Join(ids, ","+sep) + sep + `], "x": 1}`
	}
	const changed, added = `{"name": "p1", "text": "é }"}`, `{"name": "new"}`
	for name, tt := range map[string]struct {
		ids  []string
		kept int
		rest []string // nil when it is to be read as a whole
	}{
		"same":      {[]string{"p0", "p1", "p2", "p3", "p4", "p5"}, 6, []string{}},
		"changed":   {[]string{"p0", changed, "p2", "p3", "p4", "p5"}, 5, []string{changed}},
		"first":     {[]string{changed, "p0", "p2", "p3", "p4", "p5"}, 5, []string{changed}},
		"added":     {[]string{"p0", "p1", "p2", added, "p3", "p4", "p5"}, 6, []string{added}},
		"last":      {[]string{"p0", "p1", "p2", "p3", "p4", "p5", added}, 6, []string{added}},
		"removed":   {[]string{"p0", "p2", "p4", "p5"}, 4, []string{}},
		"moved":     {[]string{"p5", "p0", "p3", "p4", "p2", "p1"}, 6, []string{}},
		"several":   {[]string{added, "p5", changed, "p0", `{"name": "x", "l": [{"p": {}}]}`}, 2, []string{added, changed, `{"name": "x", "l": [{"p": {}}]}`}},
		"all other": {[]string{added, changed}, 0, []string{added, changed}},
		"no object": {[]string{"p0", `"p1"`, "p2"}, 0, nil},
		"no end":    {[]string{"p0", `{"name": "`, "p2"}, 0, nil},
		"no comma":  {[]string{"p0", `{} {}`, "p2"}, 0, nil},
		"twice":     {[]string{"p0", "p1", "p0"}, 0, nil},
		"comma":     {[]string{"p0", ``, "p1"}, 0, nil},
	} {
		for _, sep := range []string{"\n    ", "", "\r\n", " "} {
			old := []byte(join(sep, "p0", "p1", "p2", "p3", "p4", "p5"))
			frame := whole(old).frame
			l, err := ms.listing(m)
			if err != nil {
				t.Fatal(err)
			}
			data := []byte(join(sep, append([]string{}, tt.ids...)...))
			n, ok := l.split(data, frame, func(*row) bool { return true })
			if ok != (tt.rest != nil) {
				t.Errorf("%s, %q: split = %v", name, sep, ok)
				continue
			}
			if !ok {
				continue
			}
			got := whole(n.data)
			if len(n.texts) != len(tt.rest) || len(got.texts) != len(tt.rest) || l.kept() != tt.kept {
				t.Errorf("%s, %q: %d kept and %d left, want %d and %d:\n%s", name, sep, l.kept(), len(n.texts), tt.kept, len(tt.rest), n.data)
				continue
			}
			for i, rest := range tt.rest {
				if n.texts[i] != textOf([]byte(rest)) || got.texts[i] != n.texts[i] {
					t.Errorf("%s, %q: entry %d is not %s:\n%s", name, sep, i, rest, n.data)
				}
				if a, b := position(data, rest), position(n.data, rest); a != b {
					t.Errorf("%s, %q: %s was at %s and is at %s:\n%s", name, sep, rest, a, b, n.data)
				}
			}
			if a, b := position(data, `], "x"`), position(n.data, `], "x"`); a != b {
				t.Errorf("%s, %q: the end was at %s and is at %s", name, sep, a, b)
			}
		}
	}
}

// TestSplitHolds shows what is enough to read everything: another header, a
// directory with other content, an entry whose text was made to look familiar.
func TestSplitHolds(t *testing.T) {
	ms := testMarkets(t)
	m := testListing(t, ms, 2)
	l, err := ms.listing(m)
	if err != nil {
		t.Fatal(err)
	}
	old := `{"name": "a", "plugins": [` + testEntry(0) + "," + testEntry(1) + `]}`
	frame := whole([]byte(old)).frame
	for _, data := range []string{
		strings.Replace(old, `"a"`, `"b"`, 1), strings.TrimSuffix(old, "}") + `, "renames": {}}`, old + "\n",
		`{"plugins": [`, "", strings.Replace(old, `"plugins"`, `"plugin"`, 1),
	} {
		if _, ok := l.split([]byte(data), frame, func(*row) bool { return true }); ok {
			t.Errorf("split(%q) knows it", data)
		}
	}
	n, ok := l.split([]byte(old), frame, func(r *row) bool { return string(l.part(r.id)) != "p1" })
	if !ok || l.kept() != 1 || len(n.texts) != 1 {
		t.Errorf("another tree: %v, %d kept", ok, l.kept())
	}
	if _, ok := l.split([]byte(old), Frame{}, func(*row) bool { return true }); ok {
		t.Error("split without a frame")
	}
}

// position is the line and column of a text.
func position(data []byte, text string) string {
	at := bytes.Index(data, []byte(text))
	line := bytes.LastIndexByte(data[:max(at, 0)], '\n') + 1
	return fmt.Sprintf("%d:%d", bytes.Count(data[:line], []byte{'\n'})+1, len([]rune(string(data[line:max(at, 0)])))+1)
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte(`{"name": "a", "plugins": [{"name": "p0"}, {"name": "p1"}]}`), []byte(`{"name": "a", "plugins": [{"name": "p1"}, {"name": "p2"}]}`))
	f.Fuzz(func(t *testing.T, old, data []byte) {
		before := whole(old)
		l := &listing{}
		for i, text := range before.texts {
			line, err := encode(Plugin{ID: fmt.Sprint(i)}, text, "")
			if err != nil {
				t.Fatal(err)
			}
			l.text = append(append(l.text, line...), '\n')
		}
		if fault := l.scan(); fault != nil {
			t.Fatal(fault)
		}
		n, ok := l.split(data, before.frame, func(*row) bool { return true })
		if !ok {
			return
		}
		// What is left and what is known are together what the catalog has.
		left, all := whole(n.data), whole(data)
		if len(left.texts) != len(n.texts) || len(all.texts) == 0 {
			return // the parser refuses it
		}
		want := map[hashes.Sum]int{}
		for _, text := range all.texts {
			want[text.sum]++
		}
		for _, text := range left.texts {
			want[text.sum]--
		}
		for i := range l.rows {
			if l.rows[i].kept {
				want[before.texts[i].sum]--
			}
		}
		for sum, n := range want {
			if n != 0 {
				t.Errorf("%s: %d more in the catalog", sum, n)
			}
		}
	})
}
