package main

import (
	"path"
	"path/filepath"
	"testing"

	"pinion/catalog"
	"pinion/manifest/claude"
	nativeformat "pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/tree"

	"github.com/google/go-cmp/cmp"
)

// A benchmark of packages that are refused would measure the wrong work.
func TestMadePackagesAreValid(t *testing.T) {
	t.Parallel()
	byEntry := claude.New()
	loader := pkgfmt.New(byEntry, nativeformat.New(nativeformat.Options{}), byEntry)
	for _, m := range []made{
		{format: native, index: 3, version: firstVersion, size: fileSize},
		{format: native, index: 4, version: "1.0.7", size: growthFileSize},
		{format: native, index: 5, version: patchVersion(29), size: 190_000},
		{format: foreign, index: 6, version: firstVersion, size: fileSize},
	} {
		root := t.TempDir()
		if err := m.write(filepath.Join(root, m.id())); err != nil {
			t.Fatal(err)
		}
		dir, err := tree.OpenDir(root)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dir.Close() })
		at := pkgfmt.Place{Path: m.id(), Name: m.id(), Root: root}
		var scratch tree.Scratch
		files, err := dir.Read(t.Context(), m.id(), loader.Options(at), &scratch)
		if err != nil {
			t.Fatal(err)
		}
		p := loader.Load(files, at)
		for _, x := range p.Problems {
			t.Errorf("%+v: %s: %s (%s)", m, x.File, x.Message, x.Rule)
		}
		if p.ID() != m.id() || p.Version() != m.version || len(p.Lines()) != filesPerPackage {
			t.Errorf("%+v: loaded as %s %s with %d files", m, p.ID(), p.Version(), len(p.Lines()))
		}
	}
}

func TestMadePackagesHaveTheStatedShape(t *testing.T) {
	t.Parallel()
	m := made{index: 3, version: firstVersion, size: fileSize}
	first, err := m.files()
	if err != nil {
		t.Fatal(err)
	}
	again, _ := m.files()
	if d := cmp.Diff(first, again, cmp.AllowUnexported(file{})); d != "" {
		t.Errorf("the same package has other bytes: %s", d)
	}
	dirs := map[string]bool{}
	for _, f := range first {
		if len(f.data) != fileSize {
			t.Errorf("%s has %d bytes", f.path, len(f.data))
		}
		dirs[path.Dir(f.path)] = true
	}
	if len(first) != filesPerPackage || len(dirs) != 8 {
		t.Errorf("%d files in %d directories", len(first), len(dirs))
	}
	if n := len(m.description()); n < 150 || n > 160 {
		t.Errorf("the description has %d bytes", n)
	}
	m.version = "1.0.1"
	next, _ := m.files()
	changed := 0
	for i := range next {
		if string(next[i].data) != string(first[i].data) {
			changed++
		}
	}
	if changed != 2 {
		t.Errorf("a new version changes %d files, want the manifest and one more", changed)
	}
}

func TestMadeCatalogsAreValid(t *testing.T) {
	t.Parallel()
	digests, err := nativeCatalog(20)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := foreignCatalog(20, func(int) string { return firstVersion })
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"marketplace.json": digests, ".claude-plugin/marketplace.json": plain} {
		c, problems := catalog.Parse(name, data)
		if len(problems) > 0 || len(c.Entries) != 20 || c.Native != (name == "marketplace.json") {
			t.Errorf("%s: native %v, %d entries, problems %v", name, c.Native, len(c.Entries), problems)
		}
	}
}
