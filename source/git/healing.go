package git

import (
	"context"
	"errors"

	"pinion/source"
	"pinion/tree"
)

// healing is a snapshot over a cache: when the cache turns out to be damaged
// in the middle of the work, it is fetched again and the work goes on.
type healing struct {
	*snapshot
	r      *Remote
	store  *store
	healed bool
}

// heal fetches the cache again. It reports whether the work can go on.
func (h *healing) heal(ctx context.Context, cause error) bool {
	if !errors.Is(cause, errCorrupt) || h.healed || ctx.Err() != nil {
		return false
	}
	h.healed = true
	h.r.opts.Log.Warn("cache is damaged; fetching it again", "source", h.r.spec.Canonical(), "error", cause)
	h.snapshot.Close()
	if h.store.reset() != nil {
		return false
	}
	s, err := h.r.open(ctx, h.store, h.pin)
	if err != nil {
		return false
	}
	h.snapshot = s
	return true
}

// ReadFile returns one file; see [source.Snapshot].
func (h *healing) ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	data, err := h.snapshot.ReadFile(ctx, path, limit)
	if h.heal(ctx, err) {
		return h.snapshot.ReadFile(ctx, path, limit)
	}
	return data, err
}

// Paths lists a directory; see [source.Snapshot].
func (h *healing) Paths(ctx context.Context, dir string) ([]tree.Entry, error) {
	entries, err := h.snapshot.Paths(ctx, dir)
	if h.heal(ctx, err) {
		return h.snapshot.Paths(ctx, dir)
	}
	return entries, err
}

// TreeIDs lists directory ids; see [source.Snapshot].
func (h *healing) TreeIDs(ctx context.Context, dir string) (map[string]string, error) {
	ids, err := h.snapshot.TreeIDs(ctx, dir)
	if h.heal(ctx, err) {
		return h.snapshot.TreeIDs(ctx, dir)
	}
	return ids, err
}

// Trees reads packages; see [source.Snapshot]. After healing it goes on with
// the first one that was not delivered.
func (h *healing) Trees(ctx context.Context, reqs []source.Request, fn func(i int, t *tree.Tree, err error) error) error {
	next := 0
	count := func(i int, t *tree.Tree, err error) error {
		next = i + 1
		return fn(i, t, err)
	}
	err := h.snapshot.Trees(ctx, reqs, count)
	if h.heal(ctx, err) {
		base := next
		return h.snapshot.Trees(ctx, reqs[base:], func(i int, t *tree.Tree, err error) error { return fn(base+i, t, err) })
	}
	return err
}
