// Package dir reads a plain directory as a source: a marketplace under
// development, or packages on the user's own disk.
//
// There is no pin: what is read is what is there now. Links are never followed
// on the way to a package, except those the user typed.
package dir

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

// Dir is a directory. It implements [source.Source].
type Dir struct{ path string }

var _ source.Source = (*Dir)(nil)

// New returns the directory that spec names.
func New(spec source.Spec) *Dir { return &Dir{spec.Dir} }

// Resolve returns the empty pin, and source.ErrNotFound when there is no such
// directory.
func (d *Dir) Resolve(context.Context, source.Pin) (source.Pin, error) {
	t, err := d.open()
	if err != nil {
		return source.Pin{}, err
	}
	return source.Pin{}, t.Close()
}

// Open holds the directory open; cache is not used.
func (d *Dir) Open(context.Context, source.Pin, string) (source.Snapshot, error) {
	t, err := d.open()
	if err != nil {
		return nil, err
	}
	return &snapshot{dir: t}, nil
}

func (d *Dir) open() (*tree.Dir, error) {
	t, err := tree.OpenDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: no directory %s", source.ErrNotFound, d.path)
	}
	return t, err
}

type snapshot struct{ dir *tree.Dir }

func (s *snapshot) Pin() source.Pin { return source.Pin{} }

func (s *snapshot) Close() error { return s.dir.Close() }

// ReadFile returns one file; see [source.Snapshot].
func (s *snapshot) ReadFile(_ context.Context, path string, limit int64) ([]byte, error) {
	data, err := s.dir.ReadFile(path, limit)
	return data, translate(err)
}

// translate maps the errors of package tree to those of package source.
func translate(err error) error {
	switch {
	case errors.Is(err, tree.ErrTooLarge):
		return fmt.Errorf("%w: %w", source.ErrTooLarge, err)
	case errors.Is(err, tree.ErrNotRegular):
		return fmt.Errorf("%w: %w", source.ErrNotRegular, err)
	}
	return notThere(err)
}

// Paths returns the entries below dir with paths relative to it, git's own
// directory left out. It goes by names alone: what is neither a directory nor
// readable as a file shows when it is read.
func (s *snapshot) Paths(ctx context.Context, dir string) ([]tree.Entry, error) {
	var out []tree.Entry
	if err := s.walk(ctx, dir, "", 0, &out); err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b tree.Entry) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func (s *snapshot) walk(ctx context.Context, dir, as string, depth int, out *[]tree.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := s.dir.Names(dir)
	if err != nil {
		return notThere(err)
	}
	for _, n := range names {
		name, isDir := strings.CutSuffix(n, "/")
		switch {
		case name == ".git":
		case isDir && depth < 2*tree.MaxDepth:
			if err := s.walk(ctx, join(dir, name), join(as, name), depth+1, out); err != nil {
				return err
			}
		case isDir:
			return fmt.Errorf("%s: %w: too many directories inside one another", join(as, name), source.ErrTooLarge)
		case len(*out) == tree.MaxEntries:
			return fmt.Errorf("more than %d files: %w", tree.MaxEntries, source.ErrTooLarge)
		default:
			*out = append(*out, tree.Entry{Path: join(as, name), Kind: tree.Regular, Size: -1, ID: join(dir, name)})
		}
	}
	return nil
}

func join(dir, name string) string {
	if dir == "" || dir == "." {
		return name
	}
	return dir + "/" + name
}

// notThere is fs.ErrNotExist for everything that is no directory.
func notThere(err error) error {
	if errors.Is(err, tree.ErrNotDirectory) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

// TreeIDs returns nil: nothing cheaper than reading tells whether a directory
// changed.
func (s *snapshot) TreeIDs(context.Context, string) (map[string]string, error) { return nil, nil }

// Trees reads the requested directories; see [source.Snapshot].
func (s *snapshot) Trees(ctx context.Context, reqs []source.Request, fn func(i int, t *tree.Tree, err error) error) error {
	var scratch tree.Scratch
	for i, req := range reqs {
		t, err := s.dir.Read(ctx, req.Dir, req.Options, &scratch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err = notThere(err); errors.Is(err, fs.ErrNotExist) {
			err = fs.ErrNotExist
		}
		if err := fn(i, t, err); err != nil {
			return err
		}
		scratch.Reset()
	}
	return nil
}

// Descends is unchecked: a directory has no history.
func (s *snapshot) Descends(context.Context, string) (source.Ancestry, error) {
	return source.Unchecked, nil
}
