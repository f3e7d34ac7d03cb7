package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// cachedRounds is how many plugins of the small marketplace are installed one
// after the other; two more are for the warm-up and for counting.
const cachedRounds = 35

func cachedRows(scale) []row {
	const work = "install one plugin, cached, durable"
	return []row{
		{"cached-time", work, "cp -r, sync -f", 2, times},
		{"cached-syncfs", work, "syncfs calls", 1, count},
		{"cached-fsync", work, "fsync calls, but for that of a grown ledger", 3, count},
	}
}

func runCached(ctx context.Context, b *bench, r *record) error {
	repo, err := b.repository(ctx, native, b.scale.small)
	if err != nil {
		return err
	}
	home, err := b.added(ctx, b.durable, repo)
	if err != nil {
		return err
	}
	install := func(i int) command { return b.pinion(home, "install", repo.made(i).id()) }
	copies := b.newDir(b.durable, "copies")
	if err := os.Mkdir(copies, 0o755); err != nil {
		return err
	}
	got, err := pair{rounds: cachedRounds, contenders: []contender{
		{name: "pinion", run: func(ctx context.Context, round int) (sample, error) { return b.time(ctx, install(round)) }},
		{name: "cp", run: func(ctx context.Context, round int) (sample, error) {
			id := repo.made(round).id()
			return b.time(ctx, b.sh(`cp -r "$1" "$2" && sync -f "$2"`, filepath.Join(repo.source, "plugins", id), filepath.Join(copies, id)))
		}},
	}}.measure(ctx)
	if err != nil {
		return err
	}
	requests, _ := got[0].most()
	r.set("cached-time", ratio(got[0], got[1]), "%s; %d requests", medians(got), requests)

	before := ledgerSize(home)
	n, err := b.countSyncs(ctx, install(cachedRounds+1))
	if err != nil {
		return err
	}
	ledger := 0
	if ledgerSize(home) > before {
		ledger = 1
	}
	r.set("cached-syncfs", float64(n.syncfs), "strace")
	r.set("cached-fsync", float64(n.fsync-ledger), "strace; %d for the ledger", ledger)
	return nil
}

// ledgerSize is the size of all ledgers of a home, in bytes.
func ledgerSize(home string) int64 {
	var total int64
	filepath.WalkDir(filepath.Join(home, "ledger"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // there is no ledger yet
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}

// manyVersions is how many versions the plugin has with which activate is
// compared to one with two.
const manyVersions = 30

func activateRows(scale) []row {
	heavy := fmt.Sprintf("activate, %d versions of 1.9 MB", manyVersions)
	return []row{
		{"activate-time", "activate", "pinion --version", 1.5, times},
		{"activate-fsync", "activate", "fsync and syncfs calls", 2, count},
		{"rollback-time", "rollback", "pinion --version", 1.5, times},
		{"rollback-fsync", "rollback", "fsync and syncfs calls", 2, count},
		{"activate-heavy", heavy, "activate, 2 versions of 40 kB; the limit is the bench's own", 1.2, times},
	}
}

func runActivate(ctx context.Context, b *bench, r *record) error {
	home := b.newDir(b.durable, "home")
	light, err := b.installVersions(ctx, home, 1, 2, fileSize)
	if err != nil {
		return err
	}
	heavy, err := b.installVersions(ctx, home, 2, manyVersions, 190_000)
	if err != nil {
		return err
	}
	activate := func(id string, round, versions int) command {
		return b.pinion(home, "activate", id, patchVersion(round%versions))
	}
	rollback := b.pinion(home, "rollback", light)
	got, err := pair{rounds: b.rounds * shortRounds, contenders: []contender{
		{name: "activate", run: func(ctx context.Context, round int) (sample, error) { return b.time(ctx, activate(light, round, 2)) }},
		b.process("--version", b.pinion("", "--version")),
		{name: "rollback",
			// Something to go back from, and afterwards to where the round began.
			before: func(ctx context.Context, round int) error { return b.run(ctx, activate(light, round+1, 2)) },
			run:    func(ctx context.Context, _ int) (sample, error) { return b.time(ctx, rollback) }},
		{name: "heavy", run: func(ctx context.Context, round int) (sample, error) {
			return b.time(ctx, activate(heavy, round, manyVersions))
		}},
	}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("activate-time", ratio(got[0], got[1]), "%s", medians(got[:2]))
	r.set("rollback-time", ratio(got[2], got[1]), "%s", medians([]series{got[2], got[1]}))
	r.set("activate-heavy", ratio(got[3], got[0]), "%s", medians([]series{got[3], got[0]}))

	next := b.rounds*shortRounds + 1
	n, err := b.countSyncs(ctx, activate(light, next, 2))
	if err != nil {
		return err
	}
	r.set("activate-fsync", float64(n.fsync+n.syncfs), "strace")
	if n, err = b.countSyncs(ctx, rollback); err != nil {
		return err
	}
	r.set("rollback-fsync", float64(n.fsync+n.syncfs), "strace")
	return nil
}

// installVersions installs versions of one made-up package from directories,
// and returns its id.
func (b *bench) installVersions(ctx context.Context, home string, index, versions, size int) (id string, err error) {
	for v := range versions {
		m := made{index: index, version: patchVersion(v), size: size}
		dir := filepath.Join(b.newDir(b.tmp, "version"), m.id())
		if err := m.write(dir); err != nil {
			return "", err
		}
		if err := b.run(ctx, b.pinion(home, "install", dir)); err != nil {
			return "", err
		}
	}
	return made{index: index}.id(), nil
}

func patchVersion(n int) string { return fmt.Sprintf("1.0.%d", n) }
