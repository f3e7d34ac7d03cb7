package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTouched(t *testing.T) {
	before := `{"name": "m", "plugins": [{"name": "a", "v": 1}, {"name": "b"}, {"name": "c", "x": [1, 2]}, {"name": "d"}]}`
	for _, c := range []struct {
		name, after string
		want        []string
	}{
		{"the same in another layout", `{"plugins": [{"name": "d"}, {"name": "c", "x": [1, 2]}, {"v": 1, "name": "a"}, {"name": "b"}],
			"name": "m"}`, nil},
		{"an entry", `{"name": "m", "plugins": [{"name": "a", "v": 2}, {"name": "b"}, {"name": "c", "x": [2, 1]}, {"name": "e"}]}`, []string{"a", "c", "d", "e"}},
		{"the head", `{"name": "n", "plugins": [{"name": "a", "v": 1}, {"name": "b"}, {"name": "c", "x": [1, 2]}, {"name": "d"}]}`, []string{""}},
		{"twice", `{"name": "m", "plugins": [{"name": "a", "v": 1}, {"name": "b"}, {"name": "b"}, {"name": "c", "x": [1, 2]}, {"name": "d"}]}`, []string{"b"}},
		{"no catalog", `[]`, []string{"", "a", "b", "c", "d"}},
	} {
		if d := cmp.Diff(c.want, Touched([]byte(before), []byte(c.after))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
