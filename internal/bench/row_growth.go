package main

import (
	"context"
	"fmt"
)

// growthFileSize is the size of a file of the growth row, in bytes: ten times
// as many packages must fit into memory.
const growthFileSize = 600

func growthRows(s scale) []row {
	n := s.packages
	work := fmt.Sprintf("build-catalog, %d packages of %d-byte files", 10*n, growthFileSize)
	return []row{
		{"growth-time", work, fmt.Sprintf("itself with %d", n), 10.5, times},
		{"growth-memory", work, "peak resident memory", 40, mib},
		{"growth-memory-ratio", work, fmt.Sprintf("peak with %d", n), 1.5, times},
	}
}

func runGrowth(ctx context.Context, b *bench, r *record) error {
	n := b.scale.packages
	few, err := b.packages(ctx, native, n, growthFileSize)
	if err != nil {
		return err
	}
	many, err := b.packages(ctx, native, 10*n, growthFileSize)
	if err != nil {
		return err
	}
	// Both are built several times, so both sides of the ratio have the caches
	// of the same rounds.
	got, err := pair{rounds: b.rounds, contenders: []contender{
		b.buildCatalog(fmt.Sprint(10*n), many),
		b.buildCatalog(fmt.Sprint(n), few),
	}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("growth-time", ratio(got[0], got[1]), "%s", medians(got))

	peaks := make([]float64, 2)
	for i, root := range []string{many, few} {
		c := b.buildCatalog("", root)
		if err := c.before(ctx, 0); err != nil {
			return err
		}
		if peaks[i], err = b.peak(ctx, b.pinion("", "build-catalog", "--owner", "Bench", root)); err != nil {
			return err
		}
	}
	r.set("growth-memory", peaks[0], "one run")
	r.set("growth-memory-ratio", peaks[0]/peaks[1], "%d: %.1f MiB, %d: %.1f MiB", 10*n, peaks[0], n, peaks[1])
	return nil
}
