package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"pinion/source"
	"pinion/tree"
)

const (
	// manyDirs is from where listing the whole commit is cheaper than each
	// directory.
	manyDirs = 64
	// ahead is how many packages are prepared while one is read.
	ahead = 4
)

// job is one requested tree on its way from the listing to the contents.
type job struct {
	i       int
	err     error
	b       *tree.Builder
	reads   []pending
	scratch *tree.Scratch
}

// pending is a file whose content was asked for.
type pending struct {
	index int
	buf   []byte
}

// Trees reads the requested directories; see [source.Snapshot]. One process
// serves them all: while its answers for one tree are hashed, the next trees
// are listed and asked for.
func (s *snapshot) Trees(ctx context.Context, reqs []source.Request, fn func(i int, t *tree.Tree, err error) error) error {
	if len(reqs) == 0 {
		return nil
	}
	done, err := s.guard(ctx)
	if err != nil {
		return err
	}
	return done(s.trees(ctx, reqs, fn))
}

func (s *snapshot) trees(ctx context.Context, reqs []source.Request, fn func(i int, t *tree.Tree, err error) error) error {
	lists, err := s.plan(ctx, reqs)
	if err != nil {
		return err
	}
	// The lister keeps s.rd to itself, because it follows links meanwhile.
	bulk, err := s.objs.reader()
	if err != nil {
		return err
	}
	defer bulk.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, bulk.kill)()

	jobs := make(chan *job, ahead)
	pool := make(chan *tree.Scratch, ahead+2)
	for range cap(pool) {
		pool <- new(tree.Scratch)
	}
	made := make(chan error, 1)
	go func() {
		defer close(jobs)
		made <- s.produce(ctx, reqs, lists, bulk, jobs, pool)
	}()
	err = consume(jobs, bulk, pool, fn)
	cancel()
	for range jobs { // let the producer end
	}
	if perr := <-made; perr != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = perr
	}
	return err
}

// plan lists the requested directories and makes sure that their contents are
// here, with as few requests to the server as possible.
func (s *snapshot) plan(ctx context.Context, reqs []source.Request) ([]listed, error) {
	if len(reqs) > manyDirs {
		// A listing that is too large is judged directory by directory below.
		if _, err := s.everything(ctx); err != nil && !errors.Is(err, source.ErrTooLarge) {
			return nil, err
		}
	}
	byDir := make(map[string]listed)
	lists := make([]listed, len(reqs))
	var wanted []*item
	for i, req := range reqs {
		l, ok := byDir[req.Dir]
		if !ok {
			l.items, l.err = s.below(ctx, req.Dir)
			if l.err != nil && !errors.Is(l.err, fs.ErrNotExist) && !errors.Is(l.err, source.ErrTooLarge) && !errors.Is(l.err, fs.ErrInvalid) {
				return nil, l.err
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
	return lists, s.ensure(ctx, wanted)
}

// listed is the listing of one requested directory.
type listed struct {
	items []item
	err   error
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

func (s *snapshot) produce(ctx context.Context, reqs []source.Request, lists []listed, bulk objectReader, jobs chan<- *job, pool <-chan *tree.Scratch) error {
	for i, req := range reqs {
		j := &job{i: i, err: lists[i].err}
		var ids []string
		if j.err == nil {
			select {
			case j.scratch = <-pool:
			case <-ctx.Done():
				return ctx.Err()
			}
			var err error
			if ids, err = s.prepare(ctx, j, req, lists[i].items); err != nil {
				return err
			}
		}
		select {
		case jobs <- j:
		case <-ctx.Done():
			return ctx.Err()
		}
		for _, id := range ids {
			if err := bulk.request(id); err != nil {
				return err
			}
		}
		if err := bulk.flush(); err != nil {
			return err
		}
	}
	return nil
}

// prepare runs the builder over a listing and returns the ids of the contents
// it wants, in the order of j.reads.
func (s *snapshot) prepare(ctx context.Context, j *job, req source.Request, items []item) ([]string, error) {
	b := tree.NewBuilder(req.Options, topNames(items), j.scratch)
	type wanted struct {
		index int
		it    *item
	}
	var want []wanted
	dir, skip := "", "" // skip is a directory that is not to be entered
	for k := range items {
		it := &items[k]
		if skip != "" && strings.HasPrefix(it.path, skip) {
			continue
		}
		var ok bool
		if dir, skip, ok = enter(b, dir, it.path); !ok {
			continue
		}
		e := tree.Entry{Path: it.path, Kind: it.mode.kind(), Exec: it.mode == modeExec, Size: it.size, ID: it.id}
		switch it.mode {
		case modeDir:
			b.Enter(it.path)
			continue
		case modeLink:
			target, err := s.target(ctx, *it)
			if err != nil {
				return nil, err
			}
			e.Target = target
		}
		if i, read := b.Add(e); read {
			want = append(want, wanted{i, it})
		}
	}
	l := linker{s: s, ctx: ctx, dir: req.Dir}
	var linked []*item
	for _, p := range b.Links(l.resolve) {
		if p.Entry.Kind != tree.Regular {
			b.Fail(p.Index, "it is a symbolic link inside the target of another")
			continue
		}
		it := &item{path: p.Entry.Path, id: p.Entry.ID, size: -1}
		linked = append(linked, it)
		want = append(want, wanted{p.Index, it})
	}
	if l.err != nil {
		return nil, l.err
	}
	if err := s.ensure(ctx, linked); err != nil {
		return nil, err
	}
	var ids []string
	for _, w := range want {
		if w.it.size < 0 { // beyond the number of files that plan looks at
			if err := s.ensure(ctx, []*item{w.it}); err != nil {
				return nil, err
			}
		}
		if w.it.size > s.limits.Blob {
			b.Fail(w.index, fmt.Sprintf("it has %d bytes", w.it.size))
			continue
		}
		if buf, ok := b.Reserve(w.index, w.it.size); ok {
			j.reads = append(j.reads, pending{w.index, buf})
			ids = append(ids, w.it.id)
		}
	}
	j.b = b
	return ids, nil
}

// topNames returns the first components of sorted paths, sorted.
func topNames(items []item) []string {
	var names []string
	for _, it := range items {
		name, _, _ := strings.Cut(it.path, "/")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	slices.Sort(names) // "a.txt" and "a/x" sort otherwise than "a" and "a.txt"
	return names
}

// enter tells the builder of each directory between the last one and the one
// of path. ok is false when one of them is not to be entered; skip is then its
// path with a slash.
func enter(b *tree.Builder, last, path string) (dir, skip string, ok bool) {
	end := strings.LastIndexByte(path, '/')
	if end < 0 {
		return "", "", true
	}
	dir = path[:end]
	if dir == last {
		return dir, "", true
	}
	for i := 0; i <= len(dir); i++ {
		if i < len(dir) && dir[i] != '/' {
			continue
		}
		d := dir[:i]
		if d == last || strings.HasPrefix(last, d+"/") {
			continue
		}
		if !b.Enter(d) {
			return last, d + "/", false
		}
	}
	return dir, "", true
}

// consume reads the contents in the order they were asked for.
func consume(jobs <-chan *job, bulk objectReader, pool chan<- *tree.Scratch, fn func(i int, t *tree.Tree, err error) error) error {
	for j := range jobs {
		if j.err != nil {
			if err := fn(j.i, nil, j.err); err != nil {
				return err
			}
			continue
		}
		for _, p := range j.reads {
			kind, size, content, err := bulk.next()
			if err != nil {
				return err
			}
			if kind != "blob" || size != int64(len(p.buf)) {
				return fmt.Errorf("%w: %s of %d bytes, want a blob of %d", errCorrupt, kind, size, len(p.buf))
			}
			if _, err := io.ReadFull(content, p.buf); err != nil {
				return fmt.Errorf("%w: %w", errCorrupt, err)
			}
			j.b.Fill(p.index, p.buf, sha256.Sum256(p.buf))
		}
		err := fn(j.i, j.b.Tree(), nil)
		j.scratch.Reset()
		pool <- j.scratch
		if err != nil {
			return err
		}
	}
	return nil
}
