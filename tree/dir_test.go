package tree

import (
	"os"
	"testing"
)

// BenchmarkDirRead reads every package under $PINION_BENCH_TREE with one worker.
func BenchmarkDirRead(b *testing.B) {
	root := os.Getenv("PINION_BENCH_TREE")
	if root == "" {
		b.Skip("PINION_BENCH_TREE names no directory of packages")
	}
	d, err := OpenDir(root)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	names, err := d.Names(".")
	if err != nil {
		b.Fatal(err)
	}
	opts := Options{Profile: func([]string) Profile { return Profile{Limits: Native(), Strict: true} }}
	var s Scratch
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s.Reset()
		name := names[i%len(names)]
		i++
		t, err := d.Read(b.Context(), name[:len(name)-1], opts, &s)
		if err != nil || len(t.Problems) > 0 {
			b.Fatal(err, t.Problems)
		}
	}
}
