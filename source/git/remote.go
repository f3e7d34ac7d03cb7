package git

import (
	"context"
	"errors"
	"fmt"
	"io"

	"pinion/source"
)

// remoteObjects fetches into the cache what a snapshot turns out to need.
type remoteObjects struct {
	r      *Remote
	store  *store
	objs   objects
	commit string
	ref    string
	// fresh is set when the cache was empty before this snapshot: then nothing
	// but directories was fetched.
	fresh bool
}

// fetchCommit fetches the commit into the cache: everything that changed since
// the commits already there, or only the directories when there are none.
func (ro *remoteObjects) fetchCommit(ctx context.Context) error {
	known := ro.store.known()
	ro.fresh = len(known) == 0
	if ro.r.wire == nil {
		return ro.byGit(ctx)
	}
	req := wants{ids: []string{ro.commit}, haves: known, depth: 1, max: ro.r.opts.Limits.Pack}
	if ro.fresh {
		req.filter = "blob:none"
	} else {
		req.shallow = ro.store.shallow()
		// A delta may be against any blob of a known commit.
		req.thin = ro.store.full() && ro.objs.thin()
	}
	err := ro.byWire(ctx, req)
	var re *runError
	switch {
	case errors.Is(err, errNoFilter):
		req.filter = ""
		if err = ro.byWire(ctx, req); err == nil {
			err = ro.store.setFull()
		}
	case req.thin && errors.As(err, &re):
		// A base of a delta is missing or broken, whatever the marks say.
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return err
}

// byWire fetches over HTTP, or with git where the server does not speak the
// protocol.
func (ro *remoteObjects) byWire(ctx context.Context, req wants) error {
	complete := req.depth > 0 && req.filter == "" && (len(req.haves) == 0 || ro.store.full())
	shallow, err := ro.r.wire.fetch(ctx, req, func(pack io.Reader) error { return ro.objs.index(ctx, pack, complete) })
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
		return ro.store.setFull()
	}
	return nil
}

// fetchBlobs fetches the given objects, or everything when that is cheaper or
// the server gives nothing else.
func (ro *remoteObjects) fetchBlobs(ctx context.Context, ids []string) error {
	if ro.r.wire == nil {
		return fmt.Errorf("%w: %d objects are missing", errCorrupt, len(ids))
	}
	if len(ids) <= manyWants {
		err := ro.byWire(ctx, wants{ids: ids, max: ro.r.opts.Limits.Pack})
		if !errors.Is(err, source.ErrNotFound) {
			return err
		}
	}
	err := ro.byWire(ctx, wants{ids: []string{ro.commit}, depth: 1, max: ro.r.opts.Limits.Pack})
	if err == nil && ro.fresh {
		err = ro.store.setFull()
	}
	return err
}

// ensure looks up the sizes of the items and fetches those that are not here.
func (s *snapshot) ensure(ctx context.Context, items []*item) error {
	missing, err := s.measure(ctx, items)
	if err != nil || len(missing) == 0 {
		return err
	}
	if s.remote == nil {
		return fmt.Errorf("%w: object %s is missing", errCorrupt, missing[0].id)
	}
	fetch := missing
	whole := false
	if s.remote.fresh {
		// A small repository is fetched at once, so that it is one request.
		if all, err := s.everything(ctx); err == nil && len(all) <= fewFiles {
			fetch, whole = nil, true
			for i := range all {
				if all[i].mode.regular() || all[i].mode == modeLink {
					fetch = append(fetch, &all[i])
				}
			}
			if fetch, err = s.measure(ctx, fetch); err != nil {
				return err
			}
		}
	}
	if err := s.remote.fetchBlobs(ctx, distinct(fetch)); err != nil {
		return err
	}
	if whole {
		if err := s.remote.store.setFull(); err != nil {
			return err
		}
	}
	if missing, err = s.measure(ctx, missing); err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w: object %s of %q was not sent", errCorrupt, missing[0].id, missing[0].path)
	}
	return err
}

// measure sets the sizes and returns the items that are not here.
func (s *snapshot) measure(ctx context.Context, items []*item) (missing []*item, err error) {
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.id
	}
	sizes, err := s.objs.sizes(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, it := range items {
		if it.size = sizes[i]; it.size < 0 {
			missing = append(missing, it)
		}
	}
	return missing, nil
}

func distinct(items []*item) []string {
	seen := make(map[string]bool, len(items))
	var ids []string
	for _, it := range items {
		if !seen[it.id] {
			seen[it.id] = true
			ids = append(ids, it.id)
		}
	}
	return ids
}
