package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// processTimeout ends a child that hangs.
const processTimeout = 10 * time.Minute

// fileSize is the size of each file of a made-up package but for the growth
// row, in bytes.
const fileSize = 4096

// options are the flags.
type options struct {
	binary, claude, codex string // paths
	dir, disk             string
	rounds                int
	scale                 scale
}

// scale is how much data is made.
type scale struct {
	name     string
	packages int // of the catalog rows
	small    int // packages of the marketplaces: small,
	middle   int // middle
	large    int // and large
}

func scaleNamed(name string) (scale, bool) {
	switch name {
	case "full":
		return scale{name, 10_000, 50, 1_700, 10_000}, true
	case "small":
		return scale{name, 1_000, 50, 200, 1_000}, true
	}
	return scale{}, false
}

// bench is one run. It is used by one goroutine.
type bench struct {
	options
	tmp     string // on o.dir
	durable string // on o.disk

	tools        map[string]string
	trees        map[string]string
	repositories map[string]*repository
	server       *gitServer
	fresh        int
}

func newBench(o options) (*bench, error) {
	tmp, err := os.MkdirTemp(o.dir, "pinion-bench-")
	if err != nil {
		return nil, err
	}
	durable, err := os.MkdirTemp(o.disk, "pinion-bench-")
	if err != nil {
		os.RemoveAll(tmp)
		return nil, err
	}
	b := &bench{
		options: o, tmp: tmp, durable: durable,
		tools: map[string]string{}, trees: map[string]string{}, repositories: map[string]*repository{},
	}
	for _, d := range []string{"served", "user"} {
		if err := os.Mkdir(filepath.Join(tmp, d), 0o755); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

// close stops the server and removes all data.
func (b *bench) close() error {
	var err error
	if b.server != nil {
		err = b.server.close()
	}
	return errors.Join(err, removeTree(b.tmp), removeTree(b.durable))
}

// removeTree removes a directory in which there may be read-only ones, as
// installed packages are.
func removeTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil // what is still in the way is reported by the removal below
	})
	return os.RemoveAll(dir)
}

// note tells what is going on.
func (b *bench) note(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// serve starts the git server once.
func (b *bench) serve(ctx context.Context) error {
	if b.server != nil {
		return nil
	}
	s, err := startGitServer(ctx, b, filepath.Join(b.tmp, "served"))
	b.server = s
	return err
}

// traffic reads the server's counters; they stay zero without one.
func (b *bench) traffic() traffic {
	if b.server == nil {
		return traffic{}
	}
	return b.server.read()
}

// packages makes a directory with n packages of the given size, or returns the
// one made before.
func (b *bench) packages(ctx context.Context, f format, n, size int) (string, error) {
	name := fmt.Sprintf("tree-%d-%d-%d", f, n, size)
	if dir, ok := b.trees[name]; ok {
		return dir, nil
	}
	b.note("making %d packages", n)
	dir := filepath.Join(b.tmp, name)
	if err := writePackages(ctx, dir, f, n, size); err != nil {
		return "", err
	}
	b.trees[name] = dir
	return dir, nil
}

// makeDirs makes directories with all their parents.
func makeDirs(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// newDir returns the path of a directory below parent that does not exist.
// Names are never used twice, because ext4 is slow where files were deleted
// minutes ago.
func (b *bench) newDir(parent, name string) string {
	b.fresh++
	return filepath.Join(parent, fmt.Sprintf("%s-%d", name, b.fresh))
}
