package syntax

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBangCommands(t *testing.T) {
	for in, want := range map[string][]string{
		"- status: !`git status`\n!`a | b` and !`c`": {"git status", "a | b", "c"},
		"if (!`x`) foo!`y`":                          nil,
		"!`` empty, !`open\n`":                       nil,
		"```!\nls\nid\n```\nx":                       {"ls\nid\n"},
		"```!\nopen":                                 {"open"},
		"wow! `code` and `!` `more` ":                nil,
		"```sh\n!`in a block`\n```":                  {"in a block"},
	} {
		var got []string
		for _, s := range BangCommands([]byte(in)) {
			got = append(got, in[s.Start:s.End])
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("BangCommands(%q):\n%s", in, d)
		}
	}
}

func FuzzBangCommands(f *testing.F) {
	f.Add([]byte("!`a` ```!\nb\n``` !`c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		last := 0
		for _, s := range BangCommands(data) {
			if s.Start < last || s.End < s.Start || s.End > len(data) {
				t.Fatalf("%q: %+v", data, s)
			}
			last = s.End
		}
	})
}
