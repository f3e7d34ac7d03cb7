package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinion/scan/checks"
)

const (
	scanPackages = 100
	scanFileSize = 40_000 // bytes
)

func scanRows(scale) []row {
	work := fmt.Sprintf("scan %d packages of 10 files of %d bytes", scanPackages, scanFileSize)
	return []row{
		{"scan-speed", work + ", one core", "bytes read; 191 ns are 5 MiB/s", 191, nanoseconds},
		{"scan-grep", work + ", one core", "grep -rciFf, the literals of the rules", 20, times},
		{"scan-validate", fmt.Sprintf("validate --scan, %d packages", scanPackages), "validate", 12, times},
	}
}

func runScan(ctx context.Context, b *bench, r *record) error {
	dir, err := b.packages(ctx, native, scanPackages, scanFileSize)
	if err != nil {
		return err
	}
	size, err := sizeOf(dir)
	if err != nil {
		return err
	}
	words := filepath.Join(b.tmp, "literals.txt")
	if err := os.WriteFile(words, []byte(strings.Join(ruleLiterals(), "\n")+"\n"), 0o600); err != nil {
		return err
	}
	one := b.pinion("", "scan", dir)
	one.env = []string{"GOMAXPROCS=1"}
	contenders := []contender{
		b.process("scan", one),
		b.process("validate --scan", b.pinion("", "validate", "--scan", dir)),
		b.process("validate", b.pinion("", "validate", dir)),
	}
	noGrep := available("grep")
	if noGrep == nil {
		// grep's answer 1 is that nothing was found.
		contenders = append(contenders, b.process("grep", b.sh(`grep -rciFf "$1" "$2" >/dev/null || [ $? = 1 ]`, words, dir)))
	}
	got, err := pair{rounds: b.rounds, contenders: contenders}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("scan-speed", float64(got[0].wall().Nanoseconds())/float64(size), "%s; %d bytes", medians(got[:1]), size)
	r.set("scan-validate", ratio(got[1], got[2]), "%s", medians(got[1:3]))
	if noGrep != nil {
		r.miss("scan-grep", noGrep)
		return nil
	}
	r.set("scan-grep", ratio(got[0], got[3]), "%s; %d literals", medians([]series{got[0], got[3]}), len(ruleLiterals()))
	return nil
}

// ruleLiterals are the words that the scanner's rules look for first.
func ruleLiterals() []string {
	var out []string
	for _, c := range checks.All() {
		out = append(out, c.Hints...)
		for _, p := range c.Patterns {
			out = append(out, p.Any...)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" || strings.Contains(s, "\n") })
}

func sizeOf(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
