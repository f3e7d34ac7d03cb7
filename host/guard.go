package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"pinion/internal/fsx"
)

// staleGuard is after how long without a touch the lock directory of a host is
// one that a killed process left behind. The library that makes them says ten
// seconds and touches every five.
const staleGuard = 15 * time.Second

const guardPoll = 50 * time.Millisecond

// guard takes the hosts' own locks of configuration files, in the order of their
// paths. A file in a directory that does not exist needs none.
func (r *roots) guard(ctx context.Context, files map[At]Guard, wait time.Duration) (free func(), err error) {
	var held []func()
	free = func() {
		for _, f := range slices.Backward(held) {
			f()
		}
		held = nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	order := make([]At, 0, len(files))
	for at := range files {
		order = append(order, at)
	}
	slices.SortFunc(order, func(a, b At) int { return strings.Compare(a.Path(), b.Path()) })
	for _, at := range order {
		unlock, err := r.guardOne(ctx, at, files[at])
		if err != nil {
			free()
			return nil, err
		}
		held = append(held, unlock)
	}
	return free, nil
}

func (r *roots) guardOne(ctx context.Context, at At, g Guard) (unlock func(), err error) {
	none := func() {}
	d, err := r.open(at.Root)
	if err != nil || d == nil || g == NoGuard {
		return none, err
	}
	if err := r.above(d, at); err != nil {
		return nil, err
	}
	name := at.Name + ".lock"
	if g == FlockGuard {
		free, err := d.Lock(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			return none, nil
		}
		return free, err
	}
	for {
		err := d.Mkdir(name)
		switch {
		case err == nil:
			return func() { _ = d.RemoveOne(name) }, nil // a lock that stays is stale soon
		case errors.Is(err, fs.ErrNotExist):
			return none, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
		if info, err := d.Lstat(name); err == nil && info.IsDir() && time.Since(info.ModTime()) > staleGuard {
			// Only an empty directory can be removed, so nothing is lost.
			if err := d.RemoveOne(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s is locked by the host: %w", at.Path(), errors.Join(fsx.ErrLocked, ctx.Err()))
		case <-time.After(guardPoll):
		}
	}
}
