package scan_test

import (
	"strings"
	"testing"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/scan"
	"pinion/tree"
)

// What is packed inside a file is looked at with every check and reported for
// the file; facts of it do not mix with those of the package.
func TestInner(t *testing.T) {
	inside := []string{"run.sh", "#!/bin/sh\nmade-up-bad thing\n", "data.bin", "\x00\x01", "b.md", "```sh\nmade-up-bad\n```\n"}
	var read []bool
	e := scan.New("test", hashes.Sum{}, []scan.Check{{
		Name:     "test",
		Rules:    []scan.Rule{{ID: "test/bad", Level: scan.High, Title: "bad", Help: "h", Fix: "f", Since: "0"}},
		Patterns: []scan.Pattern{{Rule: "test/bad", Any: []string{"made-up-bad"}, Match: "made-up-bad"}, {Fact: "fact", Any: []string{"thing"}, Match: "thing"}},
		File: func(p *scan.Pass, f *scan.File) {
			for i := 0; i < len(inside) && f.Path == "pack.bin"; i += 2 {
				read = append(read, p.Inner(f, inside[i], []byte(inside[i+1])))
			}
		},
		Package: func(p *scan.Pass) {
			if n := len(p.AllFacts("fact")); n != 0 {
				t.Errorf("%d facts", n)
			}
		},
	}})
	data := []byte("\x00packed")
	pkg := &pkgfmt.Package{Tree: &tree.Tree{Files: []tree.File{{Path: "pack.bin", Size: int64(len(data)), Data: data}}}, Manifest: &manifest.Manifest{}}
	r, err := e.Scan(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		if f.Rule == "test/bad" {
			got = append(got, f.Message)
			if f.File != "pack.bin" || f.Line != 0 || f.Evidence == "" || f.Level != scan.High {
				t.Errorf("%+v", f)
			}
		}
	}
	if s := strings.Join(got, "; "); s != "in b.md inside it: bad; in run.sh inside it: bad" {
		t.Error(s)
	}
	if len(read) != 3 || !read[0] || read[1] || !read[2] {
		t.Error(read)
	}
	// There is an end to what is looked at, and it is no limit of the scan.
	inside = []string{"a.sh", strings.Repeat("x\n", 3<<20), "b.sh", strings.Repeat("x\n", 3<<20)}
	read = nil
	if r, err = e.Scan(t.Context(), pkg); err != nil || !read[0] || read[1] || len(r.Limits) != 1 {
		t.Error(err, read, r.Limits) // the one limit is the missing digest
	}
}
