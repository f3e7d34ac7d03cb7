package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinion/source"
)

// A commit is partial in the cache when directories of it may be missing. That
// is how a repository is fetched of which a few plugins are wanted: in a large
// one the directories alone are a thousand times what one plugin has.

// topDirs is the filter of the first fetch (git-rev-list(1), --filter): the root
// and what lies directly in it, files too. What is deeper comes when it is asked
// for.
const topDirs = "tree:2"

// partialFile names the commits that are partial.
const partialFile = "pinion-partial"

// absentError is a directory that is not in the cache.
type absentError struct{ id string }

func (e *absentError) Error() string {
	return fmt.Sprintf("%v: object %s is missing", errCorrupt, e.id)
}
func (e *absentError) Unwrap() error { return errCorrupt }

// partial returns those of the commits of which directories may be missing.
func (s *store) partial(commits ...string) []string {
	listed := s.listed(partialFile)
	if len(listed) == 0 {
		return nil
	}
	full := s.listed(fullFile)
	return slices.DeleteFunc(commits, func(id string) bool { return !slices.Contains(listed, id) || slices.Contains(full, id) })
}

// setPartial records whether directories of the commit may be missing. Of the
// commits named before, those stay that are still in the cache.
func (s *store) setPartial(commit string, is bool) error {
	listed := slices.DeleteFunc(s.partial(s.known()...), func(id string) bool { return id == commit })
	if is {
		listed = append(listed, commit)
	}
	if len(listed) == 0 {
		err := os.Remove(filepath.Join(s.dir, partialFile))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return s.write(partialFile, strings.Join(listed, "\n")+"\n")
}

// isPartial reports whether directories of the commit may be missing.
func (ro *remoteObjects) isPartial() bool {
	return ro != nil && ro.r.wire != nil && len(ro.store.partial(ro.commit)) > 0
}

// fetchDirs fetches directories with all that is below them, or with the filter
// noBlobs only the directories below them. A server that does not give them by
// themselves gives the whole commit.
func (ro *remoteObjects) fetchDirs(ctx context.Context, ids []string, filter string) error {
	err := ro.byWire(ctx, wants{ids: ids, filter: filter, max: ro.r.opts.Limits.Pack})
	if errors.Is(err, source.ErrNotFound) || errors.Is(err, errNoFilter) {
		return ro.fetchWhole(ctx)
	}
	return err
}

// fetchAllDirs makes a partial commit one of which all directories are here, or
// with most everything, unless it is very large.
func (s *snapshot) fetchAllDirs(ctx context.Context, most bool) error {
	if !s.remote.isPartial() {
		return nil
	}
	if most {
		err := s.remote.fetchAll(ctx, wholeCount, min(s.limits.Pack, wholeBytes))
		if !errors.Is(err, source.ErrTooLarge) {
			return err
		}
	}
	if err := s.remote.fetchDirs(ctx, []string{s.root}, noBlobs); err != nil {
		return err
	}
	return s.remote.store.setPartial(s.remote.commit, false)
}

// withDirs calls read, and again when it missed a directory of a partial commit,
// after the directory id and those below it were fetched.
func (s *snapshot) withDirs(ctx context.Context, id string, read func() error) error {
	err := read()
	var absent *absentError
	if !errors.As(err, &absent) || !s.remote.isPartial() {
		return err
	}
	if err := s.remote.fetchDirs(ctx, []string{id}, noBlobs); err != nil {
		return err
	}
	return read()
}

// fetchRequested fetches what is missing of the requested directories of a
// partial commit with one request: with their files, unless only a selection of
// them is wanted.
func (s *snapshot) fetchRequested(ctx context.Context, reqs []source.Request) error {
	if !s.remote.isPartial() {
		return nil
	}
	var ids []string
	filter := ""
	for _, req := range reqs {
		it, err := s.lookupDir(ctx, req.Dir)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
			continue
		case err != nil:
			return err
		}
		if req.Options.Want != nil {
			filter = noBlobs
		} else if req.Dir == "." {
			return s.fetchAllDirs(ctx, true)
		}
		r, err := s.reading()
		if err != nil {
			return err
		}
		var absent *absentError
		_, err = walk(ctx, r, []item{{id: it.id}}, s.limits.Entries)
		switch {
		case errors.As(err, &absent):
			ids = append(ids, it.id)
		case err != nil && !errors.Is(err, source.ErrTooLarge):
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	return s.remote.fetchDirs(ctx, slices.Compact(ids), filter)
}
