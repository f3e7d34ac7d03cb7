package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptrace"

	"pinion/source"
)

// remoteObjects fetches into the cache what a snapshot turns out to need.
type remoteObjects struct {
	r      *Remote
	store  *store
	objs   objects
	commit string
	ref    string
	// fresh is set when the cache was empty before this snapshot.
	fresh bool
	// here, unless nil, holds the only blobs that can be in the cache, so that
	// nobody has to look for the others.
	here map[string]bool
	// large says that the commit with all its blobs is above a limit.
	large bool
}

// fetchCommit fetches the commit into the cache: only the top of it when the
// cache is empty, else what changed since the commits already there, with the
// commits in between, which say whether the history went on. Deltas may be
// against any object of a known commit, so they are understood only where none
// is missing.
//
// A server that knows none of the commits, because its history was rewritten,
// sends all of its history; when that is much, the commit alone is asked for.
func (ro *remoteObjects) fetchCommit(ctx context.Context) error {
	known := ro.store.known()
	ro.fresh = len(known) == 0
	if ro.r.wire == nil {
		return ro.byGit(ctx)
	}
	l := ro.r.opts.Limits
	if ro.fresh && isWhole(ctx) {
		// One request is saved, and what a server does for each wanted blob. A
		// repository with much beside its plugins is not taken whole, and one
		// that does not pass git's checks may do so where they are needed.
		err := ro.fetchAll(ctx, wholeCount, min(l.Pack, wholeBytes))
		var re *runError
		if !errors.Is(err, source.ErrTooLarge) && !errors.As(err, &re) {
			return err
		}
	}
	if ro.fresh {
		first := wants{ids: []string{ro.commit}, depth: 1, filter: topDirs, max: l.Pack}
		err := ro.byWire(ctx, first)
		if err == nil && !ro.isFull() { // git may have fetched all of it
			return ro.store.setPartial(ro.commit, true)
		}
		if errors.Is(err, errNoFilter) {
			first.filter = noBlobs
			err = ro.byWire(ctx, first)
		}
		if errors.Is(err, errNoFilter) {
			return ro.fetchWhole(ctx)
		}
		if err == nil && !ro.isFull() { // git may have fetched all of it
			ro.here = map[string]bool{}
		}
		return err
	}
	req := wants{ids: []string{ro.commit}, haves: ro.store.full(), shallow: ro.store.shallow(), max: min(l.Pack, l.History)}
	if req.complete = len(req.haves) > 0; req.complete {
		req.thin = ro.objs.thin()
	} else {
		req.haves = known
	}
	partial := !req.complete && len(ro.store.partial(req.haves...)) > 0
	err := ro.byWire(ro.busy(ctx, req), req)
	if errors.Is(err, source.ErrTooLarge) {
		req.depth, req.thin, req.max = 1, ro.objs.thin() && !partial, l.Pack
		if !req.complete {
			req.filter = noBlobs // unless one is partial, all directories are here, for deltas too
		}
		err = ro.byWire(ctx, req)
	}
	var re *runError
	switch {
	case errors.Is(err, errNoFilter):
		return ro.fetchWhole(ctx)
	case req.thin && errors.As(err, &re):
		// A base of a delta is missing or broken, whatever the marks say.
		return fmt.Errorf("%w: %w", errCorrupt, err)
	case err == nil && req.complete:
		return ro.store.setFull(ro.commit)
	case err == nil && partial:
		return ro.store.setPartial(ro.commit, true) // what the server took to be here may not be
	}
	return err
}

// busy returns a context for a request, during which everything is done that
// does not need the answer.
func (ro *remoteObjects) busy(ctx context.Context, req wants) context.Context {
	s, ok := ro.objs.(*system)
	if ok = ok && req.thin; ok {
		s.packs.arm(true)
	}
	start := func(httptrace.WroteRequestInfo) {
		source.Waiting(ctx)
		if ok {
			s.packs.warm()
		}
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: start})
}

// noBlobs is the filter of a partial fetch (git-rev-list(1), --filter).
const noBlobs = "blob:none"

// byWire fetches over HTTP, or with git where the server does not speak the
// protocol.
func (ro *remoteObjects) byWire(ctx context.Context, req wants) error {
	shallow, err := ro.r.wire.fetch(ctx, req, func(pack io.Reader) error { return ro.objs.index(ctx, pack, req.complete) })
	var se *statusError
	if errors.As(err, &se) || errors.Is(err, errProtocol) || errors.Is(err, errEmpty) {
		if ro.r.git == nil {
			return fmt.Errorf("%s does not speak protocol version 2: %w (%w)", ro.r.url, ErrNoGit, err)
		}
		return ro.byGit(ctx)
	}
	if err != nil {
		return err
	}
	return ro.store.addShallow(shallow)
}

// byGit lets git fetch the whole commit.
func (ro *remoteObjects) byGit(ctx context.Context) error {
	if ro.r.git == nil {
		return fmt.Errorf("%s: %w", ro.r.url, ErrNoGit)
	}
	if err := ro.r.gitFetch(ctx, ro.store.dir, ro.commit, ro.ref, ""); err != nil {
		return err
	}
	if ro.fresh {
		return ro.setFull()
	}
	return nil
}

// fetchWhole fetches the commit with all its blobs, whatever is here.
func (ro *remoteObjects) fetchWhole(ctx context.Context) error {
	return ro.fetchAll(ctx, ro.r.opts.Limits.Objects, ro.r.opts.Limits.Pack)
}

// fetchAll is fetchWhole up to a number of objects and of bytes.
func (ro *remoteObjects) fetchAll(ctx context.Context, count uint32, max int64) error {
	err := ro.byWire(ctx, wants{ids: []string{ro.commit}, depth: 1, complete: true, max: max, count: count})
	if err != nil {
		ro.large = ro.large || errors.Is(err, source.ErrTooLarge)
		return err
	}
	return ro.setFull()
}

// WithWhole returns a context for [Remote.Open] that says that most of the
// repository will be read: when nothing of it is cached, all of the commit is
// fetched at once, unless it is very large. Without it the directories are
// fetched first, and of the files what is asked for. It changes no result.
//
// It is a value of the context because the packages between who knows and who
// fetches have no use for it.
func WithWhole(ctx context.Context) context.Context { return context.WithValue(ctx, wholeKey{}, true) }

type wholeKey struct{}

func isWhole(ctx context.Context) bool { return ctx.Value(wholeKey{}) != nil }

// fetchBlobs fetches the given blobs, or everything when the server does not
// give them by themselves.
func (ro *remoteObjects) fetchBlobs(ctx context.Context, ids []string) error {
	if ro.r.wire == nil {
		return fmt.Errorf("%w: %d objects are missing", errCorrupt, len(ids))
	}
	err := ro.byWire(ctx, wants{ids: ids, max: ro.r.opts.Limits.Pack})
	switch {
	case errors.Is(err, source.ErrNotFound):
		return ro.fetchWhole(ctx)
	case err == nil && ro.here != nil:
		for _, id := range ids {
			ro.here[id] = true
		}
	}
	return err
}

func (ro *remoteObjects) setFull() error {
	ro.here = nil
	return ro.store.setFull(ro.commit)
}

func (ro *remoteObjects) isFull() bool { return ro.store.isFull(ro.commit) }
