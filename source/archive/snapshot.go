package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"pinion/source"
	"pinion/tree"
)

// snapshot is the content of one verified archive.
type snapshot struct {
	pin     source.Pin
	file    *os.File
	archive *tree.Archive
}

var _ source.Snapshot = (*snapshot)(nil)

// Read makes the content of a kept archive readable, which is known as pin. What
// kind of archive it is, its first bytes say.
func Read(ctx context.Context, k Kept, pin source.Pin) (source.Snapshot, error) {
	f, err := os.Open(k.Path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		var a *tree.Archive
		if a, err = tree.OpenArchive(ctx, f, info.Size(), "file"+ending(f)); err == nil {
			return &snapshot{pin: pin, file: f, archive: a}, nil
		}
	}
	_ = f.Close()
	if errors.Is(err, tree.ErrNotArchive) {
		return nil, fmt.Errorf("it is %w: neither a zip nor a tar.gz", tree.ErrNotArchive)
	}
	return nil, err
}

// ending returns the name ending of what a file begins like; tar has no
// beginning of its own.
func ending(f *os.File) string {
	var head [4]byte
	n, _ := f.ReadAt(head[:], 0) // one that cannot be read is no tar either
	switch {
	case bytes.HasPrefix(head[:n], []byte("PK")):
		return ".zip"
	case bytes.HasPrefix(head[:n], []byte("\x1f\x8b")):
		return ".tar.gz"
	}
	return ".tar"
}

// Pin returns the pin of exactly these bytes.
func (s *snapshot) Pin() source.Pin { return s.pin }

// Close closes the file.
func (s *snapshot) Close() error { return s.file.Close() }

// ReadFile returns one file; see [source.Snapshot].
func (s *snapshot) ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrInvalid)
	}
	if err := s.archive.Problems().Err(); err != nil {
		return nil, err
	}
	dir, base := path.Split(name)
	dir = path.Clean(dir)
	entries, _ := s.archive.Entries(dir)
	var found *tree.Entry
	for i := range entries {
		if entries[i].Path == base {
			found = &entries[i]
		}
	}
	switch {
	case found == nil:
		if _, isDir := s.archive.Entries(name); isDir {
			return nil, fmt.Errorf("%s: %w", name, source.ErrNotRegular)
		}
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case found.Kind != tree.Regular:
		return nil, fmt.Errorf("%s: %w", name, source.ErrNotRegular)
	case found.Size > limit:
		return nil, fmt.Errorf("%s: %w (%d bytes, limit %d)", name, source.ErrTooLarge, found.Size, limit)
	}
	limits := tree.Foreign()
	limits.Bytes = limit
	var scratch tree.Scratch
	t, err := s.archive.Read(ctx, dir, tree.Options{
		Profile: func([]string) tree.Profile { return tree.Profile{Limits: limits} },
		Want:    func(p string) bool { return p == base },
	}, &scratch)
	if err != nil {
		return nil, err
	}
	if f := t.Lookup(base); f != nil && !t.Partial {
		return bytes.Clone(f.Data), nil
	}
	if err := t.Problems.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", name, source.ErrNotRegular) // a hard link
}

// Paths returns the files below dir; see [source.Snapshot].
func (s *snapshot) Paths(_ context.Context, dir string) ([]tree.Entry, error) {
	entries, ok := s.archive.Entries(dir)
	if !ok {
		return nil, fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	return entries, nil
}

// TreeIDs returns nil: an archive has no ids of its directories.
func (s *snapshot) TreeIDs(context.Context, string) (map[string]string, error) { return nil, nil }

// Trees reads the requested directories; see [source.Snapshot].
func (s *snapshot) Trees(ctx context.Context, reqs []source.Request, fn func(i int, t *tree.Tree, err error) error) error {
	var scratch tree.Scratch
	for i, req := range reqs {
		t, err := s.archive.Read(ctx, req.Dir, req.Options, &scratch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = fs.ErrNotExist
		}
		if err := fn(i, t, err); err != nil {
			return err
		}
		scratch.Reset()
	}
	return nil
}

// Descends is unchecked: an archive has no history.
func (s *snapshot) Descends(_ context.Context, older string) (source.Ancestry, error) {
	if older == s.pin.Commit {
		return source.Descendant, nil
	}
	return source.Unchecked, nil
}
