package hostcheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteReport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hosts.md")
	r := Comparison{
		Scores:      []Score{{Client: ClaudeClient, Version: "1.2.3", Asked: 200, Cases: 150, Agree: 199, Loaded: 100}},
		Differences: []Difference{{Case: "a/b", Client: ClaudeClient, Ours: "loads", Theirs: "x | <y>", Reason: "ours"}},
	}
	if err := WriteReport(file, "About.", r); err == nil {
		t.Error("a page without markers was written")
	}
	if err := os.WriteFile(file, []byte("before\n"+reportBegin+"\nold\n"+reportEnd+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteReport(file, "About.", r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, want := range []string{"before\n", "\nafter\n", "| claude | 1.2.3 | 150 | 200 | 100 | 199 | 99.50 % |", "| claude | `a/b` | loads | x \\| &lt;y&gt; | ours |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "old") {
		t.Error("what was between the markers is still there")
	}
}

func TestLoadReasons(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "reasons.txt")
	if err := os.WriteFile(file, []byte("# a comment\n\nclaude a/b#p: ours: it is so\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := LoadReasons(file)
	if err != nil || len(got) != 1 || got["claude a/b#p"] != "ours: it is so" {
		t.Errorf("LoadReasons = %v, %v", got, err)
	}
	if err := os.WriteFile(file, []byte("no colon\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadReasons(file); err == nil {
		t.Error("a line without a reason was read")
	}
}
