package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The generated documents are those of this version. Conventions 14 and 57.
func TestGeneratedDocs(t *testing.T) {
	t.Parallel()
	for _, d := range generatedDocs() {
		want, err := d.text()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", d.name))
		if err != nil {
			t.Errorf("%v; make docs writes it", err)
			continue
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("docs/%s is not what make docs writes (-file +new):\n%s", d.name, diff)
		}
	}
}
