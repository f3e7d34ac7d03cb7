package main

import (
	"context"
	"fmt"
)

// addCase is one marketplace that is added to an empty home.
type addCase struct {
	id       string
	format   format
	packages int
	limit    float64
}

func addCases(s scale) []addCase {
	return []addCase{
		{"add-small", native, s.small, 1.2},
		{"add-middle", native, s.middle, 1.0},
		{"add-middle-foreign", foreign, s.middle, 1.0},
		{"add-large", native, s.large, 1.0},
	}
}

func addRows(s scale) []row {
	var rows []row
	for _, c := range addCases(s) {
		rows = append(rows, row{c.id, fmt.Sprintf("marketplace add, verify all, %d files, %s", c.packages*filesPerPackage, c.format),
			"git clone --depth 1", c.limit, times})
	}
	return rows
}

func runAdd(ctx context.Context, b *bench, r *record) error {
	for _, c := range addCases(b.scale) {
		got, err := b.againstClone(ctx, c.format, c.packages, func(url string) []string {
			return []string{"marketplace", "add", url, "--name", "m"}
		})
		if err != nil {
			b.note("%s: %v", c.id, err)
			r.miss(c.id, err)
			continue
		}
		requests, _ := got[0].most()
		r.set(c.id, ratio(got[0], got[1]), "%s; bytes %d and %d, %d requests", medians(got), got[0].bytes(), got[1].bytes(), requests)
	}
	return nil
}

// againstClone measures a pinion command on an empty home against a shallow
// clone with a checkout.
func (b *bench) againstClone(ctx context.Context, f format, packages int, args func(url string) []string) ([]series, error) {
	repo, err := b.repository(ctx, f, packages)
	if err != nil {
		return nil, err
	}
	var home, clone string
	got, err := pair{rounds: b.rounds, contenders: []contender{
		{
			name:   "pinion",
			before: func(context.Context, int) error { home = b.newDir(b.tmp, "home"); return nil },
			run: func(ctx context.Context, _ int) (sample, error) {
				return b.time(ctx, b.pinion(home, args(repo.url)...))
			},
			after: func(context.Context, int) error { return removeTree(home) },
		},
		{
			name:   "git clone",
			before: func(context.Context, int) error { clone = b.newDir(b.tmp, "clone"); return nil },
			run: func(ctx context.Context, _ int) (sample, error) {
				return b.time(ctx, b.git(b.tmp, "clone", "-q", "--depth", "1", repo.url, clone))
			},
			after: func(context.Context, int) error { return removeTree(clone) },
		},
	}}.measure(ctx)
	if err != nil {
		return nil, err
	}
	return got, got[0].reached()
}

// newCase is one marketplace from which one plugin is installed.
type newCase struct {
	id       string
	format   format
	packages int
}

func newCases(s scale) []newCase {
	return []newCase{
		{"new-middle", native, s.middle},
		{"new-middle-foreign", foreign, s.middle},
		{"new-large", native, s.large},
	}
}

func newRows(s scale) []row {
	var rows []row
	for _, c := range newCases(s) {
		work := fmt.Sprintf("install one plugin, nothing cached, %d files, %s", c.packages*filesPerPackage, c.format)
		rows = append(rows,
			row{c.id, work, "git clone --depth 1", 0.15, times},
			row{c.id + "-bytes", work, "its bytes", 0.1, times})
	}
	return rows
}

func runNew(ctx context.Context, b *bench, r *record) error {
	for _, c := range newCases(b.scale) {
		plugin := made{format: c.format, index: c.packages / 2}
		got, err := b.againstClone(ctx, c.format, c.packages, func(url string) []string {
			return []string{"install", plugin.id(), "--from", url}
		})
		if err != nil {
			b.note("%s: %v", c.id, err)
			r.miss(c.id, err)
			r.miss(c.id+"-bytes", err)
			continue
		}
		requests, _ := got[0].most()
		r.set(c.id, ratio(got[0], got[1]), "%s; %d requests", medians(got), requests)
		r.set(c.id+"-bytes", float64(got[0].bytes())/float64(got[1].bytes()), "bytes %d and %d", got[0].bytes(), got[1].bytes())
	}
	return nil
}
