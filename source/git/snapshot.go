package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"pinion/source"
	"pinion/tree"
)

// snapshot is one commit of a repository. Every byte it gives is a git blob,
// whatever attributes, filters or archives would make of it (security 3.3 row
// 44).
type snapshot struct {
	pin    source.Pin
	objs   objects
	root   string // id of the commit's tree
	limits Limits
	rd     objectReader
	bulkRd objectReader      // for many objects, nil until there are
	dirs   map[string][]item // tree objects already read
	whole  []item            // the listing of everything, nil until asked for
	// remote fetches objects that are not here; nil for a local repository.
	remote  *remoteObjects
	started func(objectReader) // told of new readers, for the length of one call
	// ancestry answers Descends where the objects that are here do not.
	ancestry func(ctx context.Context, older string) (source.Ancestry, error)
	closers  []func() error
}

var _ source.Snapshot = (*snapshot)(nil)

// openSnapshot reads the commit. It fails with errCorrupt when the commit or its
// tree is missing and with source.ErrNotFound when the id is no commit.
func openSnapshot(ctx context.Context, objs objects, pin source.Pin, l Limits) (*snapshot, error) {
	s := &snapshot{pin: pin, objs: objs, limits: l, dirs: map[string][]item{}}
	r, err := s.reading()
	if err != nil {
		return nil, err
	}
	kind, data, err := readOne(r, pin.Commit, maxCommit)
	switch {
	case err != nil:
	case kind == "missing":
		err = fmt.Errorf("%w: commit %s is missing", errCorrupt, pin.Commit)
	case kind != "commit":
		err = fmt.Errorf("%w: %s is a %s, not a commit", source.ErrNotFound, pin.Commit, kind)
	default:
		s.root, _, err = parseCommit(data)
	}
	if err == nil {
		_, err = s.directory(ctx, s.root)
	}
	if err != nil {
		s.stopReading()
		return nil, err
	}
	return s, nil
}

// reading returns the reader for single objects and small lists. A new one
// ends with the operation under way.
func (s *snapshot) reading() (objectReader, error) { return s.start(&s.rd, s.objs.reader) }

// bulkReading returns the reader for many objects.
func (s *snapshot) bulkReading() (objectReader, error) { return s.start(&s.bulkRd, s.objs.bulkReader) }

func (s *snapshot) start(rd *objectReader, start func() (objectReader, error)) (objectReader, error) {
	if *rd != nil && (*rd).usable() {
		return *rd, nil
	}
	if *rd != nil {
		(*rd).close()
		*rd = nil
	}
	r, err := start()
	if err != nil {
		return nil, err
	}
	*rd = r
	if s.started != nil {
		s.started(r)
	}
	return r, nil
}

func (s *snapshot) stopReading() {
	for _, rd := range [...]*objectReader{&s.rd, &s.bulkRd} {
		if *rd != nil {
			(*rd).close()
			*rd = nil
		}
	}
}

// guard ends every reader that is used when ctx ends. The returned function
// must be called with the error of the operation.
func (s *snapshot) guard(ctx context.Context) func(error) error {
	var stops []func() bool
	s.started = func(r objectReader) { stops = append(stops, context.AfterFunc(ctx, r.kill)) }
	for _, rd := range [...]objectReader{s.rd, s.bulkRd} {
		if rd != nil {
			s.started(rd)
		}
	}
	return func(err error) error {
		s.started = nil
		for _, stop := range stops {
			if !stop() { // it is being killed, or was
				s.stopReading()
			}
		}
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
}

// Pin returns the commit.
func (s *snapshot) Pin() source.Pin { return s.pin }

// Close ends the processes that read.
func (s *snapshot) Close() error {
	s.stopReading()
	err := s.objs.close()
	for _, c := range s.closers {
		err = errors.Join(err, c())
	}
	return err
}

// ReadFile returns one file; see [source.Snapshot].
func (s *snapshot) ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	done := s.guard(ctx)
	data, err := s.readFile(ctx, path, limit)
	return data, done(err)
}

func (s *snapshot) readFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	it, _, err := s.lookup(ctx, path)
	if err != nil {
		return nil, err
	}
	if !it.mode.regular() {
		return nil, fmt.Errorf("%s: %w", path, source.ErrNotRegular)
	}
	one := []item{it}
	if err := s.ensure(ctx, []*item{&one[0]}); err != nil {
		return nil, err
	}
	if size := one[0].size; size > limit {
		return nil, fmt.Errorf("%s: %w (%d bytes, limit %d)", path, source.ErrTooLarge, size, limit)
	}
	r, err := s.reading()
	if err != nil {
		return nil, err
	}
	kind, data, err := readOne(r, it.id, limit)
	if err == nil && kind != "blob" {
		err = fmt.Errorf("%w: %s is %s, want a blob", errCorrupt, path, kind)
	}
	return data, err
}

// Paths returns the entries below dir with paths relative to it. Sizes and
// link targets are not filled in; ID is the blob's id.
func (s *snapshot) Paths(ctx context.Context, dir string) ([]tree.Entry, error) {
	done := s.guard(ctx)
	items, err := s.below(ctx, dir)
	if err := done(err); err != nil {
		return nil, err
	}
	out := make([]tree.Entry, 0, len(items))
	for _, it := range items {
		if it.mode == modeDir {
			return nil, fmt.Errorf("%s is more than %d directories deep: %w", it.path, maxWalkDepth, source.ErrTooLarge)
		}
		out = append(out, tree.Entry{Path: it.path, Kind: it.mode.kind(), Exec: it.mode == modeExec, Size: it.size, ID: it.id})
	}
	return out, nil
}

// TreeIDs returns the ids of the directories in dir.
func (s *snapshot) TreeIDs(ctx context.Context, dir string) (map[string]string, error) {
	done := s.guard(ctx)
	it, err := s.lookupDir(ctx, dir)
	var items []item
	if err == nil {
		items, err = s.directory(ctx, it.id)
	}
	if err := done(err); err != nil {
		return nil, err
	}
	ids := make(map[string]string, len(items))
	for _, it := range items {
		if it.mode == modeDir {
			ids[it.path] = it.id
		}
	}
	return ids, nil
}

func (s *snapshot) lookupDir(ctx context.Context, dir string) (item, error) {
	it, _, err := s.lookup(ctx, dir)
	if err == nil && it.mode != modeDir {
		err = fmt.Errorf("%s is not a directory: %w", dir, fs.ErrNotExist)
	}
	return it, err
}

// below lists the directory dir, with paths relative to it.
func (s *snapshot) below(ctx context.Context, dir string) ([]item, error) {
	it, err := s.lookupDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	if dir == "." {
		return s.everything(ctx)
	}
	if s.whole != nil {
		return cut(s.whole, dir), nil
	}
	return s.walk(ctx, it.id, s.limits.Entries)
}

// everything lists the whole commit once.
func (s *snapshot) everything(ctx context.Context) ([]item, error) {
	if s.whole == nil {
		if err := s.fetchAllDirs(ctx, false); err != nil {
			return nil, err
		}
		items, err := s.objs.list(ctx, s.root)
		if err != nil {
			return nil, err
		}
		if items == nil {
			items = []item{}
		}
		s.whole = items
	}
	return s.whole, nil
}

// cut returns the part of a sorted listing below dir, with paths relative to
// it.
func cut(items []item, dir string) []item {
	prefix := dir + "/"
	lo, _ := slices.BinarySearchFunc(items, prefix, func(it item, p string) int { return strings.Compare(it.path, p) })
	hi := lo
	for hi < len(items) && strings.HasPrefix(items[hi].path, prefix) {
		hi++
	}
	out := slices.Clone(items[lo:hi])
	for i := range out {
		out[i].path = out[i].path[len(prefix):]
	}
	return out
}

// Descends says whether the commit has older among its ancestors.
func (s *snapshot) Descends(ctx context.Context, older string) (source.Ancestry, error) {
	if older == s.pin.Commit {
		return source.Descendant, nil
	}
	if !source.IsCommit(older) || s.ancestry == nil {
		return source.Unchecked, nil
	}
	if s.remote != nil { // the commits in between may have come with this one
		done := s.guard(ctx)
		a, err := s.descendsHere(ctx, older)
		if done(err); ctx.Err() != nil || a == source.Descendant {
			return a, ctx.Err()
		}
	}
	return s.ancestry(ctx, older)
}

func (s *snapshot) descendsHere(ctx context.Context, older string) (source.Ancestry, error) {
	r, err := s.reading()
	if err != nil {
		return source.Unchecked, err
	}
	return descends(ctx, r, s.pin.Commit, older, nil)
}
