package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pinion/internal/fsx"
)

// benchHome is a home on the disk of the temporary directory, not in memory.
func benchHome(b *testing.B) (*home, *Store) {
	root := filepath.Join(b.TempDir(), "home")
	h := &home{t: b, root: root}
	d, err := fsx.OpenHome(root, fsx.Options{Create: true})
	must(b, err)
	h.dir = d
	b.Cleanup(func() { d.Close(); makeWritable(root) })
	return h, h.open()
}

// One plugin of 14 files: staged, read back, verified and placed, durably.
func BenchmarkInstall(b *testing.B) {
	_, s := benchHome(b)
	source := b.TempDir()
	for n := 0; b.Loop(); n++ {
		f := files("x", fmt.Sprintf("1.%d.0", n))
		for i := range 10 {
			f[fmt.Sprintf("d%d/f", i)] = "content"
		}
		p, err := stage(context.Background(), s, source, f)
		must(b, err)
		_, err = s.Commit(context.Background(), []Placement{p})
		must(b, err)
		p.Stage.Discard()
	}
}

// Switching between two of 100 versions.
func BenchmarkActivate(b *testing.B) {
	h, s := benchHome(b)
	var builds []Build
	for i := range 100 {
		builds = append(builds, h.install(s, "x", fmt.Sprintf("1.%d.0", i)))
	}
	n := 0
	for b.Loop() {
		n++
		h.activate(s, Scope{}, builds[n%2])
	}
	if _, err := os.Stat(h.path(Scope{}.file("x"))); err != nil {
		b.Error(err)
	}
}
