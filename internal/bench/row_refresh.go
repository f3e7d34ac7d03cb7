package main

import (
	"context"
	"fmt"
)

func unchangedRows(s scale) []row {
	work := fmt.Sprintf("refresh, unchanged, %d files", s.large*filesPerPackage)
	return []row{
		{"unchanged-time", work, "git ls-remote", 0.8, times},
		{"unchanged-requests", work, "requests", 1, count},
		{"unchanged-bytes", work, "bytes of all bodies", 1024, size},
	}
}

// added returns a new home that knows the repository as the marketplace m.
func (b *bench) added(ctx context.Context, parent string, repo *repository) (home string, err error) {
	home = b.newDir(parent, "home")
	return home, b.run(ctx, b.pinion(home, "marketplace", "add", repo.url, "--name", "m"))
}

func runUnchanged(ctx context.Context, b *bench, r *record) error {
	repo, err := b.repository(ctx, native, b.scale.large)
	if err != nil {
		return err
	}
	home, err := b.added(ctx, b.tmp, repo)
	if err != nil {
		return err
	}
	got, err := pair{rounds: b.rounds * shortRounds, contenders: []contender{
		b.process("pinion", b.pinion(home, "marketplace", "refresh", "m")),
		b.process("git ls-remote", b.git(b.tmp, "ls-remote", repo.url, "HEAD")),
	}}.measure(ctx)
	if err != nil {
		return err
	}
	if err := got[0].reached(); err != nil {
		return err
	}
	requests, bytes := got[0].most()
	r.set("unchanged-time", ratio(got[0], got[1]), "%s", medians(got))
	r.set("unchanged-requests", float64(requests), "most of any round")
	r.set("unchanged-bytes", float64(bytes), "most of any round; git ls-remote %d", got[1].bytes())
	return nil
}

// changedCase is one marketplace in which one package changes each round.
type changedCase struct {
	id       string
	format   format
	packages int
	limit    float64
}

func changedCases(s scale) []changedCase {
	return []changedCase{
		{"changed-small", native, s.small, 0.6},
		{"changed-middle", native, s.middle, 0.15},
		{"changed-middle-foreign", foreign, s.middle, 0.15},
		{"changed-large", native, s.large, 0.08},
	}
}

func changedRows(s scale) []row {
	var rows []row
	for _, c := range changedCases(s) {
		work := fmt.Sprintf("refresh, 1 package changed, %d files, %s", c.packages*filesPerPackage, c.format)
		rows = append(rows,
			row{c.id, work, "git pull in a checkout", c.limit, times},
			row{c.id + "-requests", work, "requests", 3, count})
	}
	return rows
}

func (f format) String() string {
	if f == foreign {
		return "catalog without digests"
	}
	return "catalog with digests"
}

func runChanged(ctx context.Context, b *bench, r *record) error {
	for _, c := range changedCases(b.scale) {
		if err := b.changed(ctx, c, r); err != nil {
			b.note("%s: %v", c.id, err)
			r.miss(c.id, err)
			r.miss(c.id+"-requests", err)
		}
	}
	return nil
}

func (b *bench) changed(ctx context.Context, c changedCase, r *record) error {
	repo, err := b.repository(ctx, c.format, c.packages)
	if err != nil {
		return err
	}
	home, err := b.added(ctx, b.tmp, repo)
	if err != nil {
		return err
	}
	checkout := b.newDir(b.tmp, "checkout")
	if err := b.run(ctx, b.git(b.tmp, "clone", "-q", repo.url, checkout)); err != nil {
		return err
	}
	got, err := pair{
		rounds: b.rounds,
		each:   func(ctx context.Context, _ int) error { return repo.change(ctx) },
		contenders: []contender{
			b.process("pinion", b.pinion(home, "marketplace", "refresh", "m")),
			b.process("git pull", b.git(checkout, "pull", "-q", "--ff-only")),
		},
	}.measure(ctx)
	if err != nil {
		return err
	}
	if err := got[0].reached(); err != nil {
		return err
	}
	requests, _ := got[0].most()
	r.set(c.id, ratio(got[0], got[1]), "%s", medians(got))
	r.set(c.id+"-requests", float64(requests), "most of any round; bytes: pinion %d, git pull %d", got[0].bytes(), got[1].bytes())
	return removeTree(checkout)
}
