package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/scan"
	"pinion/tree"
)

// packed is a package of files in memory, with a digest.
func packed(files ...string) *pkgfmt.Package {
	t := &tree.Tree{}
	for i := 0; i < len(files); i += 2 {
		data := []byte(files[i+1])
		t.Files = append(t.Files, tree.File{Path: files[i], Size: int64(len(data)), Data: data, Sum: hashes.Of(data)})
	}
	digest, err := hashes.Parse("h1:4d5fd5nvIx8mC2vN4rl1uVGYHzNzgy5y6w8MRDkBz9k=")
	if err != nil {
		panic(err)
	}
	return &pkgfmt.Package{Tree: t, Manifest: &manifest.Manifest{}, Digest: digest}
}

func testRule(id string, level scan.Level, covers ...string) scan.Rule {
	return scan.Rule{ID: id, Level: level, Title: id, Help: "h", Fix: "f", Since: "0", Covers: covers}
}

// badWords reports "bad-word" anywhere, and "bad-command" only where a command
// stands.
func badWords() *scan.Engine {
	return scan.New("test", hashes.Sum{}, []scan.Check{{
		Name:  "test",
		Rules: []scan.Rule{testRule("test/word", scan.High), testRule("test/command", scan.High)},
		Patterns: []scan.Pattern{
			{Rule: "test/word", Any: []string{"bad-word"}, Match: "bad-word"},
			{Rule: "test/command", Any: []string{"bad-command"}, Match: "bad-command", Langs: []scan.Lang{scan.Shell}, Roles: []scan.Role{scan.Command}},
		},
	}})
}

func scanned(t *testing.T, e *scan.Engine, pkg *pkgfmt.Package) (*scan.Report, string) {
	t.Helper()
	r, err := e.Scan(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s %s:%d", f.Rule, f.File, f.Line))
	}
	return r, strings.Join(out, "; ")
}

// A data file has more strings than are looked at one by one; nothing of it is
// left out, and a command behind them is still a command.
func TestDataFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("{\"data\": [\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "\"value %d\",\n", i)
	}
	b.WriteString("\"a bad\\u002dword\"],\n\"text\": \"another bad\\u002dword\",\n\"hooks\": {\"command\": \"bad\\u002dcommand\"}}\n")
	r, got := scanned(t, badWords(), packed("data.json", b.String()))
	// Values that are looked at together have the place of the first.
	if len(r.Findings) != 3 || !r.Complete || !strings.Contains(got, "test/command data.json:60004") || strings.Count(got, "test/word") != 2 {
		t.Error(r.Complete, r.Limits, got)
	}

	b.Reset()
	for i := range 45_000 {
		fmt.Fprintf(&b, "- command: value %d\n", i)
	}
	if r, got := scanned(t, badWords(), packed("many.yaml", b.String())); r.Complete {
		t.Error("so many commands are not looked at one by one:", got)
	}
}

// A YAML or TOML document that is larger than what is read at once is read in
// parts.
func TestLargeDocuments(t *testing.T) {
	t.Parallel()
	var y, m strings.Builder
	for i := 0; y.Len() < 3<<20; i++ {
		fmt.Fprintf(&y, "key%d:\n  - some words to fill the document with\n  - and more\n", i)
		fmt.Fprintf(&m, "[table%d]\nwords = \"some words to fill the document with\"\n", i)
	}
	y.WriteString("last:\n  command: bad-command\n")
	m.WriteString("[last]\ncommand = \"bad-command\"\n")
	for name, content := range map[string]string{"a.yaml": y.String(), "a.toml": m.String()} {
		r, got := scanned(t, badWords(), packed(name, content))
		if want := fmt.Sprintf("test/command %s:%d", name, strings.Count(content, "\n")); got != want || !r.Complete {
			t.Errorf("%v %v %q, want %q", r.Complete, r.Limits, got, want)
		}
	}
}

// One fact is one finding: the rule that knows more covers the other, unless
// that is graver.
func TestCovers(t *testing.T) {
	t.Parallel()
	engine := func(precise scan.Level) *scan.Engine {
		return scan.New("test", hashes.Sum{}, []scan.Check{{
			Name:  "test",
			Rules: []scan.Rule{testRule("test/precise", precise, "test/rough"), testRule("test/rough", scan.High)},
			Patterns: []scan.Pattern{
				{Rule: "test/rough", Any: []string{"bad"}, Match: "bad"},
				{Rule: "test/precise", Any: []string{"bad-word"}, Match: "bad-word"},
			},
		}})
	}
	pkg := packed("a.txt", "bad\nbad-word\n")
	if _, got := scanned(t, engine(scan.High), pkg); got != "test/rough a.txt:1; test/precise a.txt:2" {
		t.Error(got)
	}
	if _, got := scanned(t, engine(scan.Medium), pkg); strings.Count(got, "test/rough") != 2 {
		t.Error(got)
	}
}

// Info is a level that a pattern can have; no level is the rule's.
func TestPatternLevel(t *testing.T) {
	t.Parallel()
	e := scan.New("test", hashes.Sum{}, []scan.Check{{
		Name:  "test",
		Rules: []scan.Rule{testRule("test/word", scan.High)},
		Patterns: []scan.Pattern{
			{Rule: "test/word", Level: scan.Info, Any: []string{"small"}, Match: "small"},
			{Rule: "test/word", Any: []string{"large"}, Match: "large"},
		},
	}})
	r, _ := scanned(t, e, packed("a.txt", "small\nlarge\n"))
	if len(r.Findings) != 2 || r.Findings[0].Level != scan.Info || r.Findings[1].Level != scan.High {
		t.Errorf("%+v", r.Findings)
	}
	var l scan.Level
	if err := l.UnmarshalText([]byte("unset")); err == nil {
		t.Error("unset is no level of a report")
	}
}

// Content that makes expressions work ends the scan of a package by steps, the
// same everywhere, and says so; a hundred small files are no way around it.
func TestPackageSteps(t *testing.T) {
	t.Parallel()
	e := scan.New("test", hashes.Sum{}, []scan.Check{{
		Name:     "test",
		Rules:    []scan.Rule{testRule("test/word", scan.High)},
		Patterns: []scan.Pattern{{Rule: "test/word", Any: []string{"ab"}, Match: "ab$x"}, {Rule: "test/word", Any: []string{"ba"}, Match: "ba$x"}},
	}})
	var files []string
	for i := range 100 {
		files = append(files, fmt.Sprintf("%d.txt", i), strings.Repeat("ab", 20<<10))
	}
	one, _ := scanned(t, e, packed(files...))
	two, _ := scanned(t, e, packed(files...))
	if one.Complete || len(one.Limits) == 0 || fmt.Sprint(one.Limits) != fmt.Sprint(two.Limits) {
		t.Error(one.Complete, len(one.Limits), len(two.Limits))
	}
	if one.Coverage.FilesRead == 0 || one.Coverage.FilesRead == 100 {
		t.Error(one.Coverage)
	}
}
