//go:build linux

package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"pinion/hashes"
)

// osScratch is the part of a [Scratch] that this reader needs.
type osScratch struct {
	dents []byte
	stat  unix.Stat_t
	ents  []dirent         // the listings of the directories being read, one after the other
	path  []byte           // of the entry being listed
	known map[string]known // paths of this package and of those before it
}

func (s *osScratch) reset() {
	if cap(s.ents) > maxKeptEntries {
		s.ents = nil
	}
	s.ents = s.ents[:0]
}

// Dir is a directory held open by its descriptor, the root that everything is
// read below. It reads with openat and O_NOFOLLOW at each step and looks at
// what it opened with fstat, so a name that is swapped for a link between two
// calls leads nowhere (security 3.2 rows 20-26). os.File costs three more
// system calls for each file, which is why descriptors are used directly.
//
// It is safe for use by several goroutines, each with its own [Scratch].
type Dir struct {
	fd    int
	path  string    // for messages
	lists sync.Pool // of *Scratch, for listings
}

const (
	openDir  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	openFile = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
)

// OpenDir opens the directory that the user named; links on the way to it are
// the user's own and are followed.
func OpenDir(path string) (*Dir, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, openDir, 0) })
	if err != nil {
		return nil, pathError(path, err)
	}
	return &Dir{fd: fd, path: path}, nil
}

// Path returns the path the directory was opened with.
func (d *Dir) Path() string { return d.path }

// Close releases the descriptor.
func (d *Dir) Close() error { return unix.Close(d.fd) }

// openat opens rel below d without following any link. The caller closes.
func (d *Dir) openat(rel string, flags int) (int, error) {
	if !fs.ValidPath(rel) {
		return -1, fmt.Errorf("%s: %w", rel, fs.ErrInvalid)
	}
	at := d.fd
	for rel != "" {
		part, rest, more := strings.Cut(rel, "/")
		f := flags | unix.O_NOFOLLOW
		if more {
			f = openDir | unix.O_NOFOLLOW
		}
		fd, err := retry(func() (int, error) { return unix.Openat(at, part, f, 0) })
		if at != d.fd {
			unix.Close(at)
		}
		if err != nil {
			return -1, pathError(rel, err)
		}
		at, rel = fd, rest
	}
	return at, nil
}

// ReadFile returns the content of the regular file rel. It errors with
// fs.ErrNotExist, [ErrNotRegular], or [ErrTooLarge] above limit bytes, which is
// checked before anything is allocated.
func (d *Dir) ReadFile(rel string, limit int64) ([]byte, error) {
	fd, err := d.openat(rel, openFile)
	if err != nil {
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
			return nil, fmt.Errorf("%s: %w", rel, ErrNotRegular) // a link or a socket
		}
		return nil, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, pathError(rel, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, fmt.Errorf("%s: %w", rel, ErrNotRegular)
	}
	if st.Size > limit {
		return nil, fmt.Errorf("%s: %w (%d bytes, limit %d)", rel, ErrTooLarge, st.Size, limit)
	}
	buf := make([]byte, st.Size+1)
	n, err := readFull(fd, buf, int(st.Size))
	if err != nil {
		return nil, pathError(rel, err)
	}
	return buf[:min(n, int(st.Size))], nil
}

// list calls add for each name in the directory rel.
func (d *Dir) list(rel string, add func(name []byte, typ byte)) error {
	fd, err := d.openat(rel, openDir)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	s, ok := d.lists.Get().(*Scratch)
	if !ok {
		s = new(Scratch)
	}
	defer d.lists.Put(s)
	if err := readDir(fd, s, MaxEntries, add); err != nil {
		return pathError(rel, err)
	}
	return nil
}

// Names returns the names directly in rel with a trailing slash on
// directories, sorted. Nothing is opened but rel itself.
func (d *Dir) Names(rel string) ([]string, error) {
	names := []string{}
	err := d.list(rel, func(name []byte, typ byte) {
		if typ == unix.DT_DIR {
			names = append(names, string(name)+"/")
		} else {
			names = append(names, string(name))
		}
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// Subdirs returns the names of the directories in rel, sorted. It is for
// directories of very many packages, whose names are all that is kept.
func (d *Dir) Subdirs(rel string) ([]string, error) {
	var names []string
	err := d.list(rel, func(name []byte, typ byte) {
		if typ == unix.DT_DIR {
			names = append(names, string(name))
		}
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return slices.Clip(names), nil
}

// Read reads the package directory rel ("." for d itself): every name is
// listed, every wanted regular file opened and read once. Content problems are
// in the tree; an error means that rel itself could not be opened or that ctx
// ended. The tree is valid until s is reset.
func (d *Dir) Read(ctx context.Context, rel string, opts Options, s *Scratch) (*Tree, error) {
	// Also for "." a descriptor of its own: one has one position only.
	fd, err := d.openat(rel, openDir)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	first, last, err := readEntries(fd, "", s)
	if err != nil {
		return nil, pathError(rel, err)
	}
	from := len(s.names)
	for i := first; i < last; i++ {
		s.names = append(s.names, s.ents[i].path())
	}
	names := s.names[from:len(s.names):len(s.names)]
	w := walker{ctx: ctx, b: NewBuilder(opts, names, s), s: s, dir: d}
	if err := w.entries(fd, first, last); err != nil {
		return nil, err
	}
	prefix := rel
	listed := 0
	for _, p := range w.b.Links(func(l Entry) ([]Entry, string) { return d.resolve(prefix, l, &listed) }) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.linked(p)
	}
	return w.b.Tree(), ctx.Err()
}

// walker is one reading of one package.
type walker struct {
	ctx context.Context
	b   *Builder
	s   *Scratch
	dir *Dir
}

// entries handles the listing s.ents[from:to] of the directory fd.
func (w *walker) entries(fd, from, to int) error {
	for i := from; i < to; i++ {
		e := w.s.ents[i] // the slice may grow and move meanwhile
		typ := e.typ
		if typ == unix.DT_UNKNOWN {
			typ = statType(fd, e.path()[e.name:])
		}
		switch typ {
		case unix.DT_DIR:
			if !w.b.Enter(e.path()) {
				continue
			}
			if err := w.ctx.Err(); err != nil {
				return err
			}
			if err := w.directory(fd, &e); err != nil {
				return err
			}
		case unix.DT_LNK:
			w.b.Add(Entry{Path: e.path(), Kind: Symlink, Target: readlink(fd, e.path()[e.name:])})
		case unix.DT_REG:
			if i, ok := w.b.Add(Entry{Path: e.path(), Kind: Regular, Size: -1, plain: e.plain}); ok {
				w.file(fd, &e, i)
			}
		default:
			w.b.Add(Entry{Path: e.path(), Kind: Other})
		}
	}
	return nil
}

func (w *walker) directory(at int, e *dirent) error {
	path := e.path()
	fd, err := openEntry(at, e, openDir)
	if err != nil {
		w.b.Unreadable(path, err.Error())
		return nil
	}
	defer unix.Close(fd)
	from, to, err := readEntries(fd, path, w.s)
	if err != nil {
		w.b.Unreadable(path, err.Error())
		return nil
	}
	if from == to {
		w.b.EmptyDir(path)
	}
	err = w.entries(fd, from, to)
	w.s.ents = w.s.ents[:from]
	return err
}

func (w *walker) file(at int, e *dirent, i int) {
	fd, err := openEntry(at, e, openFile)
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENXIO):
		w.b.NotRegular(i) // swapped for a link or a socket since the listing
		return
	case err != nil:
		w.b.Fail(i, err.Error())
		return
	}
	defer unix.Close(fd)
	w.content(fd, i)
}

func (w *walker) content(fd, i int) {
	st := &w.s.stat // on the heap once, not for each file
	if err := unix.Fstat(fd, st); err != nil {
		w.b.Fail(i, err.Error())
		return
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		w.b.NotRegular(i)
		return
	}
	if st.Nlink > 1 {
		w.b.Opened(w.b.tree.Files[i].Path, uint64(st.Nlink))
	}
	w.b.SetExec(i, st.Mode&0o111 != 0)
	buf, ok := w.b.Reserve(i, st.Size)
	if !ok {
		return
	}
	n, err := readFull(fd, buf[:st.Size+1], int(st.Size))
	switch {
	case err != nil:
		w.b.Fail(i, err.Error())
	case n != int(st.Size):
		w.b.Changed(i)
	default:
		w.b.Fill(i, buf, hashes.Of(buf))
	}
}

// resolve answers for a link of the package at prefix. listed counts the
// directories that were listed for all links of the package.
func (d *Dir) resolve(prefix string, l Entry, listed *int) ([]Entry, string) {
	at := join(prefix, l.Path)
	target := l.Target
	for range MaxLinkHops {
		to, why := ResolveLink(at, target)
		if why != "" {
			return nil, why
		}
		fd, err := d.openat(to, openFile)
		if errors.Is(err, unix.ELOOP) {
			next, err := d.readlinkat(to)
			if err != nil {
				return nil, "its target is reached through another link"
			}
			at, target = to, next
			continue
		}
		if err != nil {
			return nil, "its target cannot be opened"
		}
		var st unix.Stat_t
		err = unix.Fstat(fd, &st)
		unix.Close(fd)
		switch {
		case err != nil:
			return nil, err.Error()
		case st.Mode&unix.S_IFMT == unix.S_IFREG:
			return []Entry{{Path: l.Path, Size: -1, ID: to}}, ""
		case st.Mode&unix.S_IFMT == unix.S_IFDIR:
			if strings.HasPrefix(at+"/", to+"/") || to == "." {
				return nil, "its target contains the link itself"
			}
			return d.listLinked(to, l.Path, 0, listed)
		}
		return nil, "its target is not a regular file"
	}
	return nil, "too many links lead to one another"
}

// listLinked lists the regular files below the directory from, as files below
// the path as. Links inside it are not followed a second time.
func (d *Dir) listLinked(from, as string, depth int, listed *int) ([]Entry, string) {
	if depth > MaxDepth {
		return nil, "its target is too deep"
	}
	if *listed++; *listed > MaxDirs {
		return nil, "the links of the package lead to too many directories"
	}
	names, err := d.Names(from)
	if err != nil {
		return nil, "its target cannot be listed"
	}
	var out []Entry
	for _, n := range names {
		if name, ok := strings.CutSuffix(n, "/"); ok {
			if name == ".git" {
				continue
			}
			sub, why := d.listLinked(join(from, name), join(as, name), depth+1, listed)
			if why != "" {
				return nil, why
			}
			out = append(out, sub...)
		} else {
			out = append(out, Entry{Path: join(as, n), Size: -1, ID: join(from, n)})
		}
		if len(out) > ForeignFiles {
			return nil, "its target has too many files"
		}
	}
	return out, ""
}

// linked reads a file that stands in for a link.
func (w *walker) linked(p Pending) {
	fd, err := w.dir.openat(p.Entry.ID, openFile)
	if err != nil {
		w.b.Fail(p.Index, err.Error())
		return
	}
	defer unix.Close(fd)
	w.content(fd, p.Index)
}

func (d *Dir) readlinkat(rel string) (string, error) {
	at, name := d.fd, rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		fd, err := d.openat(rel[:i], openDir)
		if err != nil {
			return "", err
		}
		defer unix.Close(fd)
		at, name = fd, rel[i+1:]
	}
	if t := readlink(at, name); t != "" {
		return t, nil
	}
	return "", fs.ErrInvalid
}

// readlink returns the target of a link, "" when it is too long or gone.
func readlink(at int, name string) string {
	var buf [MaxLinkTarget + 1]byte
	n, err := unix.Readlinkat(at, name, buf[:])
	if err != nil || n > MaxLinkTarget {
		return ""
	}
	return string(buf[:n])
}

// statType asks for the type where the file system does not list it.
func statType(at int, name string) byte {
	var st unix.Stat_t
	if err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return unix.DT_REG // opening it will say what is wrong
	}
	return byte(st.Mode & unix.S_IFMT >> 12)
}

// readFull reads until buf is full or the file ends, in one call for a file
// that has the size it had. want is where a short read is expected to end.
func readFull(fd int, buf []byte, want int) (int, error) {
	n := 0
	for n < len(buf) {
		k, err := retry(func() (int, error) { return unix.Read(fd, buf[n:]) })
		if err != nil {
			return n, err
		}
		n += k
		if k == 0 || n == want {
			return n, nil // shorter than the buffer: the file ends where it should
		}
	}
	return n, nil
}

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

func pathError(path string, err error) error {
	if errors.Is(err, unix.ENOTDIR) {
		return fmt.Errorf("%s: %w", path, ErrNotDirectory)
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}
