package git

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"pinion/source"
	"pinion/tree"
)

// manyDirs is from where directories are listed all at once.
const manyDirs = 64

// plan lists the requested directories and makes sure that their contents are
// here, with as few requests to the server as possible. It returns also how
// many bytes they have.
func (s *snapshot) plan(ctx context.Context, reqs []source.Request) (lists []listed, bytes int64, err error) {
	below, err := s.lister(ctx, reqs)
	if err != nil {
		return nil, 0, err
	}
	byDir := make(map[string]listed)
	lists = make([]listed, len(reqs))
	var wanted []*item
	for i, req := range reqs {
		l, ok := byDir[req.Dir]
		if !ok {
			l.items, l.err = below(req.Dir)
			if l.err != nil && !errors.Is(l.err, fs.ErrNotExist) && !errors.Is(l.err, source.ErrTooLarge) && !errors.Is(l.err, fs.ErrInvalid) {
				return nil, 0, l.err
			}
			if errors.Is(l.err, fs.ErrNotExist) {
				l.err = fs.ErrNotExist
			}
			byDir[req.Dir] = l
		}
		lists[i] = l
		n := 0
		for k := range l.items {
			it := &l.items[k]
			if it.size >= 0 || !it.mode.regular() && it.mode != modeLink || req.Options.Want != nil && !wantsPath(req.Options.Want, it.path) {
				continue
			}
			// More than this many files are refused anyway.
			if n++; n > tree.ForeignFiles+tree.NativeFiles {
				break
			}
			wanted = append(wanted, it)
		}
	}
	if err := s.ensure(ctx, wanted); err != nil {
		return nil, 0, err
	}
	for _, it := range wanted {
		bytes += it.size
	}
	return lists, bytes, nil
}

// listed is the listing of one requested directory.
type listed struct {
	items []item
	err   error
}

// lister returns the function that lists a requested directory, after it has
// listed them together where that is cheaper: the whole commit when they are
// much of it, else all of them level by level.
func (s *snapshot) lister(ctx context.Context, reqs []source.Request) (func(dir string) ([]item, error), error) {
	one := func(dir string) ([]item, error) { return s.below(ctx, dir) }
	if len(reqs) <= manyDirs || s.whole != nil {
		return one, s.fetchRequested(ctx, reqs)
	}
	roots, siblings, err := s.roots(ctx, reqs)
	if err != nil {
		return nil, err
	}
	if roots == nil || 4*len(roots) > siblings {
		if err := s.fetchAllDirs(ctx, true); err != nil {
			return nil, err
		}
		// A listing that is too large is judged directory by directory.
		if _, err := s.everything(ctx); err != nil && !errors.Is(err, source.ErrTooLarge) {
			return nil, err
		}
		return one, nil
	}
	if err := s.fetchAllDirs(ctx, false); err != nil {
		return nil, err
	}
	r, err := s.reading()
	if err != nil {
		return nil, err
	}
	items, err := walk(ctx, r, roots, s.limits.Entries)
	if errors.Is(err, source.ErrTooLarge) {
		return one, nil
	}
	return func(dir string) ([]item, error) {
		if _, err := s.lookupDir(ctx, dir); err != nil {
			return nil, err
		}
		return cut(items, dir), nil
	}, err
}

// roots returns the requested directories that exist, or nil when one of them
// contains another, and how many directories there are beside them, themselves
// included.
func (s *snapshot) roots(ctx context.Context, reqs []source.Request) (roots []item, siblings int, err error) {
	dirs := make([]string, len(reqs))
	for i, r := range reqs {
		dirs[i] = r.Dir
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	parents := map[string]bool{}
	for _, dir := range dirs {
		it, err := s.lookupDir(ctx, dir)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
			continue
		case err != nil:
			return nil, 0, err
		case dir == ".":
			return nil, 0, nil
		}
		for up := path.Dir(dir); up != "."; up = path.Dir(up) {
			if _, ok := slices.BinarySearch(dirs, up); ok {
				return nil, 0, nil
			}
		}
		roots = append(roots, it)
		if up := path.Dir(dir); !parents[up] {
			parents[up] = true
			parent, err := s.lookupDir(ctx, up)
			if err != nil {
				return nil, 0, err
			}
			items, err := s.directory(ctx, parent.id)
			if err != nil {
				return nil, 0, err
			}
			for _, it := range items {
				if it.mode == modeDir {
					siblings++
				}
			}
		}
	}
	return roots, siblings, nil
}

// wantsPath asks for each directory on the way and for the path.
func wantsPath(want func(string) bool, path string) bool {
	for i := range len(path) {
		if path[i] == '/' && !want(path[:i+1]) {
			return false
		}
	}
	return want(path)
}
