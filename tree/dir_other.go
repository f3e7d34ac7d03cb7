//go:build !linux

package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinion/hashes"
)

// osScratch is the part of a [Scratch] that this reader needs: nothing.
type osScratch struct{}

func (osScratch) reset() {}

// Dir is a directory held open as an [os.Root]. os.Root follows links that stay
// inside it, so every component is looked at with Lstat first and the opened
// file is compared with what was seen.
//
// It is safe for use by several goroutines, each with its own [Scratch].
type Dir struct {
	root *os.Root
	path string
}

// OpenDir opens the directory that the user named; links on the way to it are
// the user's own and are followed.
func OpenDir(path string) (*Dir, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("%s: %w", path, ErrNotDirectory)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root: root, path: path}, nil
}

// Path returns the path the directory was opened with.
func (d *Dir) Path() string { return d.path }

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// lstat looks at rel and refuses a link among the directories above it.
func (d *Dir) lstat(rel string) (fs.FileInfo, error) {
	if !fs.ValidPath(rel) {
		return nil, fmt.Errorf("%s: %w", rel, fs.ErrInvalid)
	}
	for i := 0; i < len(rel); i++ {
		if rel[i] != '/' {
			continue
		}
		st, err := d.root.Lstat(filepath.FromSlash(rel[:i]))
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			return nil, fmt.Errorf("%s: %w", rel[:i], ErrNotDirectory)
		}
	}
	return d.root.Lstat(filepath.FromSlash(rel))
}

// open opens the regular file rel and makes sure it is the one that was seen.
func (d *Dir) open(rel string) (*os.File, fs.FileInfo, error) {
	seen, err := d.lstat(rel)
	if err != nil {
		return nil, nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: %w", rel, ErrNotRegular)
	}
	f, err := d.root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err == nil && !os.SameFile(seen, st) {
		err = fmt.Errorf("%s: %w", rel, ErrNotRegular)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, st, nil
}

// ReadFile returns the content of the regular file rel. It errors with
// fs.ErrNotExist, [ErrNotRegular], or [ErrTooLarge] above limit bytes, which is
// checked before anything is allocated.
func (d *Dir) ReadFile(rel string, limit int64) ([]byte, error) {
	f, st, err := d.open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st.Size() > limit {
		return nil, fmt.Errorf("%s: %w (%d bytes, limit %d)", rel, ErrTooLarge, st.Size(), limit)
	}
	buf := make([]byte, st.Size())
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:n], nil
}

// Names returns the names directly in rel with a trailing slash on
// directories, sorted. Nothing is opened but rel itself.
func (d *Dir) Names(rel string) ([]string, error) {
	ents, err := d.list(rel)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(ents))
	for _, e := range ents {
		if e.IsDir() {
			names = append(names, e.Name()+"/")
		} else {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d *Dir) list(rel string) ([]fs.DirEntry, error) {
	st, err := d.lstat(rel)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("%s: %w", rel, ErrNotDirectory)
	}
	f, err := d.root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ents, err := f.ReadDir(MaxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(ents, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return ents, nil
}

// Subdirs returns the names of the directories in rel, sorted. It is for
// directories of very many packages, whose names are all that is kept.
func (d *Dir) Subdirs(rel string) ([]string, error) {
	ents, err := d.list(rel)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range ents {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Read reads the package directory rel ("." for d itself): every name is
// listed, every wanted regular file opened and read once. Content problems are
// in the tree; an error means that rel itself could not be opened or that ctx
// ended. The tree is valid until s is reset.
func (d *Dir) Read(ctx context.Context, rel string, opts Options, s *Scratch) (*Tree, error) {
	top, err := d.list(rel)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(top))
	for _, e := range top {
		names = append(names, e.Name())
	}
	w := walker{ctx: ctx, b: NewBuilder(opts, names, s), dir: d, prefix: rel}
	if err := w.entries("", top); err != nil {
		return nil, err
	}
	for _, p := range w.b.Links(w.resolve) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.file(p.Entry.ID, p.Index)
	}
	return w.b.Tree(), ctx.Err()
}

// walker is one reading of one package.
type walker struct {
	ctx    context.Context
	b      *Builder
	dir    *Dir
	prefix string
	listed int // directories that were listed for links
}

func (w *walker) entries(dir string, ents []fs.DirEntry) error {
	for _, e := range ents {
		path := join(dir, e.Name())
		full := join(w.prefix, path)
		switch typ := e.Type(); {
		case typ.IsDir():
			if !w.b.Enter(path) {
				continue
			}
			if err := w.ctx.Err(); err != nil {
				return err
			}
			sub, err := w.dir.list(full)
			if err != nil {
				w.b.Unreadable(path, err.Error())
				continue
			}
			if len(sub) == 0 {
				w.b.EmptyDir(path)
			}
			if err := w.entries(path, sub); err != nil {
				return err
			}
		case typ&fs.ModeSymlink != 0:
			w.b.Add(Entry{Path: path, Kind: Symlink, Target: w.dir.readlink(full)})
		case typ.IsRegular():
			if i, ok := w.b.Add(Entry{Path: path, Kind: Regular, Size: -1}); ok {
				w.file(full, i)
			}
		default:
			w.b.Add(Entry{Path: path, Kind: Other})
		}
	}
	return nil
}

func (w *walker) file(full string, i int) {
	f, st, err := w.dir.open(full)
	if errors.Is(err, ErrNotRegular) {
		w.b.NotRegular(i)
		return
	}
	if err != nil {
		w.b.Fail(i, err.Error())
		return
	}
	defer f.Close()
	w.b.SetExec(i, st.Mode()&0o111 != 0)
	buf, ok := w.b.Reserve(i, st.Size())
	if !ok {
		return
	}
	n, err := io.ReadFull(f, buf[:st.Size()+1])
	switch {
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
		w.b.Fail(i, err.Error())
	case n != len(buf):
		w.b.Changed(i)
	default:
		w.b.Fill(i, buf, hashes.Of(buf))
	}
}

// resolve answers for a link of the package.
func (w *walker) resolve(l Entry) ([]Entry, string) {
	at, target := join(w.prefix, l.Path), l.Target
	for range MaxLinkHops {
		to, why := ResolveLink(at, target)
		if why != "" {
			return nil, why
		}
		st, err := w.dir.lstat(to)
		switch {
		case err != nil:
			return nil, "its target cannot be opened"
		case st.Mode()&fs.ModeSymlink != 0:
			at, target = to, w.dir.readlink(to)
			continue
		case st.Mode().IsRegular():
			return []Entry{{Path: l.Path, Size: -1, ID: to}}, ""
		case st.IsDir():
			if strings.HasPrefix(at+"/", to+"/") || to == "." {
				return nil, "its target contains the link itself"
			}
			return w.listLinked(to, l.Path, 0)
		}
		return nil, "its target is not a regular file"
	}
	return nil, "too many links lead to one another"
}

func (w *walker) listLinked(from, as string, depth int) ([]Entry, string) {
	if depth > MaxDepth {
		return nil, "its target is too deep"
	}
	if w.listed++; w.listed > MaxDirs {
		return nil, "the links of the package lead to too many directories"
	}
	ents, err := w.dir.list(from)
	if err != nil {
		return nil, "its target cannot be listed"
	}
	var out []Entry
	for _, e := range ents {
		if e.IsDir() {
			if e.Name() == ".git" {
				continue
			}
			sub, why := w.listLinked(join(from, e.Name()), join(as, e.Name()), depth+1)
			if why != "" {
				return nil, why
			}
			out = append(out, sub...)
		} else {
			out = append(out, Entry{Path: join(as, e.Name()), Size: -1, ID: join(from, e.Name())})
		}
		if len(out) > ForeignFiles {
			return nil, "its target has too many files"
		}
	}
	return out, ""
}

func (d *Dir) readlink(rel string) string {
	t, err := d.root.Readlink(filepath.FromSlash(rel))
	if err != nil || len(t) > MaxLinkTarget {
		return ""
	}
	return filepath.ToSlash(t)
}
