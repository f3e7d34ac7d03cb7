package syntax_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/syntax"
)

func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	got := syntax.DuplicateKeys([]byte("{\"a\": 1,\n \"b\": [{\"x\": {}, \"x\": {\"y\": 1, \"y\": 2}}, 3],\n \"a\": 2}"))
	want := []syntax.Duplicate{
		{Path: []string{"b", "0", "x"}, Line: 2, Column: 18},
		{Path: []string{"b", "0", "x", "y"}, Line: 2, Column: 32},
		{Path: []string{"a"}, Line: 3, Column: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, clean := range []string{`{"a": {"a": ["a", "a"]}}`, `[1, 1]`, `"a"`, ``} {
		if got := syntax.DuplicateKeys([]byte(clean)); len(got) > 0 {
			t.Errorf("DuplicateKeys(%s) = %v", clean, got)
		}
	}
}
