package tree_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"

	"pinion/tree"
)

// An archive is read without being unpacked; what is wrong is in the problems.
func ExampleFromArchive() {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, name := range []string{"demo-1.0/SKILL.md", "demo-1.0/../../evil.sh"} {
		f, err := w.Create(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Fprint(f, "content")
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	r := bytes.NewReader(buf.Bytes())
	t, err := tree.FromArchive(context.Background(), r, r.Size(), "demo.zip", tree.Options{}, new(tree.Scratch))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range t.Files {
		fmt.Println(f.Path, f.Size)
	}
	for _, p := range t.Problems {
		fmt.Println(p.Rule, p.Severity)
	}
	// Output:
	// SKILL.md 7
	// path/invalid error
}
