package syntax

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeTOML(t *testing.T) {
	type doc struct {
		A string
		T struct{ B []string }
		L []struct{ C string }
	}
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"a = 'x'\n[t]\nb = ['y']\n[[l]]\nc = 'z'\n", nil},
		{"a = 'x'\nd = 1\n[t]\nx.y = 2\n", []string{`2:1: error: unknown key "d" (toml/unknown-key)`, `4:1: error: unknown key "t.x.y" (toml/unknown-key)`}},
		{"a = 72h\n", []string{"1:7: error: strings must be quoted (toml/syntax)"}},
		{"a = 1\n", []string{"1:5: error: the value is of the wrong type (toml/syntax)"}},
		{"a = 'x'\na = 'y'\n", []string{"2:1: error: key a is already defined (toml/syntax)"}},
	} {
		var d doc
		var got []string
		for _, p := range DecodeTOML([]byte(c.in), &d) {
			p.File = ""
			got = append(got, p.String())
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("DecodeTOML(%q):\n%s", c.in, d)
		}
	}
}

func TestTOMLPosition(t *testing.T) {
	doc := []byte("a = 'x'\n[t]\n  b = ['y']\n[[l]]\nc = 'z'\n[[l]]\nc = {d = 1}\n")
	for pointer, want := range map[string][2]int{
		"/a": {1, 1}, "/t/b": {3, 3}, "/t/b/0": {3, 3}, "/l/0/c": {5, 1}, "/l/1/c/d": {7, 1}, "/l/1/e": {6, 3}, "/z": {0, 0},
	} {
		if line, col := TOMLPosition(doc, pointer); [2]int{line, col} != want {
			t.Errorf("TOMLPosition(%s) = %d:%d, want %v", pointer, line, col, want)
		}
	}
}
