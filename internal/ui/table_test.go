package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
)

func sample() *Table {
	t := NewTable(
		Column{Title: "ID", Keep: true},
		Column{Title: "STATE", Paint: func(s string) Color {
			if s == "active" {
				return Green
			}
			return Plain
		}},
		Column{Title: "DIGEST", Short: func(s string) string { return s[:min(len(s), 5)] + "…" }},
		Column{Title: "NOTE"},
	)
	t.Row("mail-reader", "active", "h1:Qm3xV1a0zzzz", "2.1.0 is out")
	t.Row("鍵", "installed", "h1:0aV9tt2czzzz")
	t.Row("evil\tid", "active", "h1:77KdPq4ezzzz", "\x1b[2Jgone")
	return t
}

func TestTable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream Stream
		want   []string
	}{
		{"terminal", Stream{Terminal: true}, []string{
			`ID           STATE      DIGEST  NOTE`,
			`mail-reader  active     h1:Qm…  2.1.0 is out`,
			`鍵           installed  h1:0a…`,
			`evil\tid     active     h1:77…  \x1b[2Jgone`,
		}},
		{"narrow", Stream{Terminal: true, Width: 40}, []string{
			`ID           STATE     DIGEST  NOTE`,
			`mail-reader  active    h1:Qm…  2.1.0 is…`,
			`鍵           install…  h1:0a…`,
			`evil\tid     active    h1:77…  \x1b[2Jg…`,
		}},
		{"piped", Stream{Width: 10}, []string{
			"mail-reader\tactive\th1:Qm3xV1a0zzzz\t2.1.0 is out",
			"鍵\tinstalled\th1:0aV9tt2czzzz\t",
			"evil\\tid\tactive\th1:77KdPq4ezzzz\t\\x1b[2Jgone",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			tt.stream.Writer = &b
			if err := sample().Write(tt.stream); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Join(tt.want, "\n")+"\n", b.String()); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTableColor(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := sample().Write(Stream{Writer: &b, Terminal: true, Color: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\x1b[32mactive\x1b[0m     h1:Qm…") {
		t.Errorf("the state is not green, or its padding is painted:\n%q", b.String())
	}
}

func TestTableEmpty(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := NewTable(Column{Title: "ID"}).Write(Stream{Writer: &b, Terminal: true}); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 0 {
		t.Errorf("an empty table wrote %q", b.String())
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"鍵鍵鍵", 5, "鍵鍵…"},
		{"鍵鍵鍵", 4, "鍵…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"ab cd", 4, "ab…"},
		{"abc", 0, "…"},
	} {
		got := Truncate(tt.in, tt.width)
		if got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
		if w := uniseg.StringWidth(got); tt.width > 0 && w > tt.width {
			t.Errorf("Truncate(%q, %d) is %d wide", tt.in, tt.width, w)
		}
	}
}
