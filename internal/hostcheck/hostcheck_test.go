package hostcheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
)

// battery is the whole battery, or without the corpus what is made in code.
func battery(t *testing.T) ([]Case, bool) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Battery(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(dir)
	if err != nil {
		t.Logf("no corpus at %s: only what is made in code", dir)
	}
	return cases, err == nil
}

func TestBattery(t *testing.T) {
	t.Parallel()
	cases, _ := battery(t)
	if len(cases) < 300 {
		t.Errorf("%d cases, want at least 300", len(cases))
	}
	again, _ := battery(t)
	id := regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	seen := map[string]bool{}
	for i, c := range cases {
		if seen[c.ID] || !id.MatchString(c.ID) {
			t.Errorf("%q is twice there or a bad id", c.ID)
		}
		seen[c.ID] = true
		if len(c.Files) == 0 {
			t.Errorf("%s has no files", c.ID)
		}
		if c.Digest() != again[i].Digest() {
			t.Errorf("%s is not the same each time", c.ID)
		}
		paths := map[string]bool{}
		for _, f := range c.Files {
			if !fs.ValidPath(f.Path) || paths[f.Path] {
				t.Errorf("%s: path %q is twice there or leads out", c.ID, f.Path)
			}
			paths[f.Path] = true
		}
	}
}

// TestWriteStaysInside checks that a case cannot write through its own links.
func TestWriteStaysInside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	c := Case{ID: "x/links", Files: []File{{Path: "l", Link: "../out"}, {Path: "l/f", Data: []byte("x")}}}
	if err := c.Write(filepath.Join(dir, "case")); err == nil {
		t.Error("a file was written through a link that leaves the case")
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v (%v)", left, err)
	}
}

// recorded are the answers of the real clients.
func recorded(t *testing.T) *Truths {
	t.Helper()
	truths, err := LoadTruths(filepath.Join("testdata", "truth.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return truths
}

// TestRecorded compares our verdicts with everything that the real clients
// said, without running any.
func TestRecorded(t *testing.T) {
	t.Parallel()
	cases, corpus := battery(t)
	truths := recorded(t)
	before := len(truths.Rows())
	truths.Keep(cases, corpus)
	if n := len(truths.Rows()); n != before {
		t.Errorf("%d of %d recorded answers are to cases that are different now: run `make check-hosts`", before-n, before)
	}
	asked := map[string]bool{}
	for _, r := range truths.Rows() {
		asked[r.Case] = true
	}
	if len(asked) < 300 {
		t.Errorf("answers to %d cases, want at least 300", len(asked))
	}
	reasons, err := LoadReasons(filepath.Join("testdata", "reasons.txt"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := Compare(t.Context(), testkit.FastDir(t), cases, truths, reasons)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range result.Scores {
		t.Logf("%s %s: %d of %d answers agree, %.2f %%", s.Client, s.Version, s.Agree, s.Asked, s.Percent())
		if s.Low() {
			t.Errorf("%s: %.2f %% agreement, want at least %d %%", s.Client, s.Percent(), Threshold)
		}
	}
	differs := map[string]bool{}
	for _, d := range result.Differences {
		differs[d.ID()] = true
		if d.Reason == "" {
			t.Errorf("%s: ours: %s, theirs: %s; testdata/reasons.txt does not say who is right", d.ID(), d.Ours, d.Theirs)
		}
	}
	for id := range reasons {
		if !differs[id] && corpus {
			t.Errorf("testdata/reasons.txt explains %q, where we agree", id)
		}
	}
}

func TestSessionStart(t *testing.T) {
	t.Parallel()
	start := sessionStart{SlashCommands: []string{"a:sub:c", "a:x", "ab:y", "doctor"}, Skills: []string{"a:x", "a:z"}, Agents: []string{"a:ag", "Plan"}}
	want := Inventory{"agent:ag", "skill:sub:c", "skill:x", "skill:z"}
	if got := start.of("a").sorted(); !slices.Equal(got, want) {
		t.Errorf("of = %v, want %v", got, want)
	}
}

func TestDivide(t *testing.T) {
	t.Parallel()
	pkg := func(id, skill string) Case {
		return Case{ID: id, Shape: Package, Files: []File{{Path: "skills/" + skill + "/SKILL.md", Data: []byte(skillText(skill))}}}
	}
	cases := []Case{pkg("f/a", "one"), pkg("f/b", "two"), pkg("f/c", "one"), {ID: "f/d", Shape: Bundle}}
	jobs := divide(CopilotClient, cases)
	var got []string
	for _, j := range jobs {
		var ids []string
		for _, c := range j.cases {
			ids = append(ids, c.ID)
		}
		got = append(got, strings.Join(ids, " "))
	}
	if want := []string{"f/a f/b", "f/c", "f/d"}; !slices.Equal(got, want) {
		t.Errorf("divide = %q, want %q", got, want)
	}
}

func TestDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		truth  Truth
		answer Answer
		same   bool
		ours   string
	}{
		{"both refuse", Truth{Client: CodexClient}, Answer{}, true, ""},
		{"it loads", Truth{Client: CodexClient, Loads: true}, Answer{}, false, "does not load"},
		{"it does not tell", Truth{Client: CodexClient, Loads: true}, Answer{Loads: true, Has: Inventory{"skill:a"}}, true, ""},
		{"we have more", Truth{Client: CodexClient, Loads: true, Has: Inventory{}}, Answer{Loads: true, Has: Inventory{"skill:a"}}, false, "also skill:a"},
		{"hooks that it does not tell", Truth{Client: ClaudeClient, Loads: true, Has: Inventory{"hook:?", "lsp:?", "skill:a"}}, Answer{Loads: true, Has: Inventory{"hook:Stop", "skill:a"}}, true, ""},
		{"context files are not compared", Truth{Client: GeminiClient, Loads: true, Has: Inventory{"context:GEMINI.md"}}, Answer{Loads: true, Has: Inventory{}}, true, ""},
	} {
		if d, same := differ(c.truth, c.answer); same != c.same || d.Ours != c.ours {
			t.Errorf("%s: differ = %q, %v, want %q, %v", c.name, d.Ours, same, c.ours, c.same)
		}
	}
}
