package git

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"pinion/source"
	"pinion/tree"
)

// walk lists everything below the given directories by reading their tree
// objects level by level, in the order of paths. A directory below maxWalkDepth
// is listed itself and not entered. It fails with source.ErrTooLarge above max
// entries.
func walk(ctx context.Context, r objectReader, dirs []item, max int) ([]item, error) {
	var out []item
	level := dirs
	for depth := 0; len(level) > 0; depth++ {
		if depth > maxWalkDepth {
			out = append(out, level...)
			break
		}
		// One id can stand at a million places; it is read once.
		at := make(map[string][]item, len(level))
		var ids []string
		for _, d := range level {
			if at[d.id] == nil {
				ids = append(ids, d.id)
			}
			at[d.id] = append(at[d.id], d)
		}
		var below []item
		err := readMany(r, ids, maxTreeObj, func(i int, kind string, data []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if kind != "tree" {
				return notTree(ids[i], kind)
			}
			items, err := parseTree(data, len(ids[i])/2)
			if err != nil {
				return err
			}
			places := at[ids[i]]
			if len(items)*len(places)+len(out)+len(below) > max {
				return fmt.Errorf("more than %d files: %w", max, source.ErrTooLarge)
			}
			for _, place := range places {
				for _, it := range items {
					if place.path != "" {
						it.path = place.path + "/" + it.path
					}
					if it.mode == modeDir {
						below = append(below, it)
					} else {
						out = append(out, it)
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		level = below
	}
	slices.SortFunc(out, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// maxWalkDepth is deeper than any package may be, so that what lies below can
// only be refused.
const maxWalkDepth = 2 * tree.MaxDepth

// notTree is an object that is not what its place says.
func notTree(id, kind string) error {
	if kind == "missing" {
		return &absentError{id}
	}
	return fmt.Errorf("%w: object %s is %s, want a tree", errCorrupt, id, kind)
}

// walk lists the tree object id.
func (s *snapshot) walk(ctx context.Context, id string, max int) (items []item, err error) {
	err = s.withDirs(ctx, id, func() error {
		r, err := s.reading()
		if err == nil {
			items, err = walk(ctx, r, []item{{id: id}}, max)
		}
		return err
	})
	return items, err
}

// directory returns the entries directly in the tree object id.
func (s *snapshot) directory(ctx context.Context, id string) ([]item, error) {
	if items, ok := s.dirs[id]; ok {
		return items, nil
	}
	var data []byte
	err := s.withDirs(ctx, id, func() error {
		r, err := s.reading()
		if err != nil {
			return err
		}
		var kind string
		if kind, data, err = readOne(r, id, maxTreeObj); err == nil && kind != "tree" {
			err = notTree(id, kind)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	items, err := parseTree(data, len(id)/2)
	if err != nil {
		return nil, err
	}
	if len(s.dirs) > 4_096 {
		clear(s.dirs)
	}
	s.dirs[id] = items
	return items, nil
}

// lookup finds path in the commit. It errors with fs.ErrNotExist, also when a
// component on the way is not a directory; via says then that it is a link.
func (s *snapshot) lookup(ctx context.Context, path string) (it item, via bool, err error) {
	it = item{path: ".", mode: modeDir, id: s.root}
	if path == "." {
		return it, false, nil
	}
	if !fs.ValidPath(path) {
		return item{}, false, fmt.Errorf("%q: %w", path, fs.ErrInvalid)
	}
	ok := true
	for part := range strings.SplitSeq(path, "/") {
		if it.mode != modeDir {
			return item{}, it.mode == modeLink, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		items, err := s.directory(ctx, it.id)
		if err != nil {
			return item{}, false, err
		}
		if it, ok = find(items, part); !ok {
			return item{}, false, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
	}
	it.path = path
	return it, false, nil
}

// find returns the entry with the name in the sorted entries of one directory,
// where a directory stands as if its name ended with a slash.
func find(items []item, name string) (item, bool) {
	for _, key := range [...]string{name, name + "/"} {
		i, ok := slices.BinarySearchFunc(items, key, func(it item, key string) int { return strings.Compare(it.sortKey(), key) })
		if ok {
			return items[i], true
		}
	}
	return item{}, false
}
