package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStrings(t *testing.T) {
	for _, c := range []struct {
		name string
		read func([]byte, func(Text) bool) error
		data string
		want []string
	}{
		{"JSON", JSONStrings, `{"a": ["x", "\u0079\n"], "a" : {"b": "é"}, "n": 1}`, []string{
			`/a a 2 true`, `/a/0 x 8 true`, "/a/1 y\n 13 false", `/a a 26 true`, `/a/b b 33 true`, `/a/b é 38 true`, `/n n 45 true`}},
		{"YAML", YAMLStrings, "a: x\nb:\n  - 'é'\n  - |\n    two\n    lines\nc: &r \"q\"\nd: *r\n", []string{
			`/a a 0 true`, `/a x 3 true`, `/b b 5 true`, `/b/0 é 13 true`, "/b/1 two\nlines\n 21 false", `/c c 41 true`, `/c q 44 false`, `/d d 51 true`}},
		{"TOML", TOMLStrings, "a = \"x\"\n[t.u]\nb = ['y', \"\\u007a\"]\nc = {d = '''w'''}\n", []string{
			`/a x 5 true`, `/t/u/b/0 y 20 true`, `/t/u/b/1 z 24 false`, `/t/u/c/d w 46 true`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			err := c.read([]byte(c.data), func(x Text) bool {
				got = append(got, fmt.Sprint(x.Pointer, " ", x.Value, " ", x.Offset, " ", x.Verbatim))
				if x.Verbatim && !strings.HasPrefix(c.data[x.Offset:], x.Value) {
					t.Errorf("%+v does not stand there", x)
				}
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzStrings(f *testing.F) {
	f.Add([]byte(`{"a": ["x"]}`))
	f.Add([]byte("a: &b [*b, |\n  x]\n"))
	f.Add([]byte("[a.b]\nc = [{d = \"\"\"\nx\"\"\"}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func([]byte, func(Text) bool) error{JSONStrings, YAMLStrings, TOMLStrings} {
			_ = read(data, func(x Text) bool {
				if x.Offset < 0 || x.Offset > len(data) || x.Verbatim && !stands(data, x.Offset, x.Value) {
					t.Fatalf("%q: %+v", data, x)
				}
				return true
			})
		}
	})
}
