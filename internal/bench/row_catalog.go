package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func catalogRows(s scale) []row {
	work := fmt.Sprintf("build-catalog (validate, hash, write), %d packages of %d files", s.packages, filesPerPackage)
	return []row{
		{"catalog-cread", work, "cread DIR 2", 1.8, times},
		{"catalog-git", work, "find, git hash-object --stdin-paths", 0.6, times},
		{"catalog-sha256sum", work, "find, xargs sha256sum", 0.45, times},
	}
}

// buildCatalog is a contender that builds the catalog of root as if for the
// first time.
func (b *bench) buildCatalog(name, root string) contender {
	c := b.process(name, b.pinion("", "build-catalog", "--owner", "Bench", root))
	c.before = func(context.Context, int) error {
		err := os.Remove(filepath.Join(root, "marketplace.json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return c
}

func runCatalog(ctx context.Context, b *bench, r *record) error {
	root, err := b.packages(ctx, native, b.scale.packages, fileSize)
	if err != nil {
		return err
	}
	plugins := filepath.Join(root, "plugins")
	contenders := []contender{
		b.buildCatalog("pinion", root),
		b.process("git", b.sh(`find "$1" -type f | git hash-object --stdin-paths >/dev/null`, plugins)),
		b.process("sha256sum", b.sh(`find "$1" -type f -print0 | xargs -0 sha256sum >/dev/null`, plugins)),
	}
	cread, noCread := b.tool(ctx, "cread")
	if noCread == nil {
		contenders = append(contenders, b.process("cread", command{path: cread, args: []string{plugins, "2"}}))
	}
	got, err := pair{rounds: b.rounds, contenders: contenders}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("catalog-git", ratio(got[0], got[1]), "%s", medians([]series{got[0], got[1]}))
	r.set("catalog-sha256sum", ratio(got[0], got[2]), "%s", medians([]series{got[0], got[2]}))
	if noCread != nil {
		r.miss("catalog-cread", noCread)
		return nil
	}
	r.set("catalog-cread", ratio(got[0], got[3]), "%s", medians([]series{got[0], got[3]}))
	return nil
}

func fromHeadRows(s scale) []row {
	return []row{{"from-head", fmt.Sprintf("build-catalog --from HEAD, %d packages, nothing changed", s.packages), "the full build", 0.08, times}}
}

func runFromHead(ctx context.Context, b *bench, r *record) error {
	repo, err := b.repository(ctx, native, b.scale.packages)
	if err != nil {
		return err
	}
	checkout := b.newDir(b.tmp, "head")
	if err := b.run(ctx, b.git(b.tmp, "clone", "-q", "--no-checkout", repo.bare, checkout)); err != nil {
		return err
	}
	got, err := pair{rounds: b.rounds, contenders: []contender{
		b.process("--from HEAD", b.pinion("", "build-catalog", "--from", "HEAD", "--stdout", checkout)),
		b.buildCatalog("full build", repo.source),
	}}.measure(ctx)
	if err != nil {
		return err
	}
	r.set("from-head", ratio(got[0], got[1]), "%s", medians(got))
	return nil
}
