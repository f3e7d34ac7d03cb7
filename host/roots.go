package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"pinion/internal/fsx"
)

// maxFile is the largest configuration file of a host that is read, in bytes.
const maxFile = 4 << 20

// roots opens the directories of places once for a run. A directory that does
// not exist is nil until [roots.make].
type roots struct {
	hook fsx.Hook
	dirs map[string]*fsx.Dir
}

func newRoots(hook fsx.Hook) *roots { return &roots{hook: hook, dirs: map[string]*fsx.Dir{}} }

func (r *roots) close() {
	for _, d := range r.dirs {
		if d != nil {
			_ = d.Close() // handles for reading and renaming; nothing is buffered in them
		}
	}
}

// open returns the directory of a root, nil when it does not exist.
func (r *roots) open(root string) (*fsx.Dir, error) {
	if d, ok := r.dirs[root]; ok {
		return d, nil
	}
	if !filepath.IsAbs(root) {
		return nil, fmt.Errorf("%q is no absolute directory", root)
	}
	d, err := fsx.OpenDir(root, fsx.Options{Hook: r.hook})
	if errors.Is(err, fs.ErrNotExist) {
		r.dirs[root] = nil
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", root, err)
	}
	r.dirs[root] = d
	return d, nil
}

// make returns the directory of a root after making it and the directories above
// a name in it.
func (r *roots) make(at At) (*fsx.Dir, error) {
	d, err := r.open(at.Root)
	if err != nil {
		return nil, err
	}
	if d == nil {
		d, err = fsx.OpenDir(at.Root, fsx.Options{Hook: r.hook, Create: true})
		if err != nil {
			return nil, fmt.Errorf("make %s: %w", at.Root, err)
		}
		r.dirs[at.Root] = d
	}
	parts := strings.Split(at.Name, "/")
	for i := 1; i < len(parts); i++ {
		name := path.Join(parts[:i]...)
		info, err := d.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := d.Mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		case err != nil:
			return nil, err
		case !info.IsDir():
			// A link here could lead to anywhere, also to where its owner did not
			// mean us to write.
			return nil, &RefusedError{Path: d.Path(name), Reason: "is not a directory of its own, so nothing is written below it"}
		}
	}
	return d, nil
}

// missing returns the directories above a place that do not exist, the outermost
// first.
func (r *roots) missing(at At) (dirs []At, err error) {
	d, err := r.open(at.Root)
	if err != nil {
		return nil, err
	}
	if d == nil {
		for dir := at.Root; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
			if _, err := os.Lstat(dir); err == nil {
				break
			}
			dirs = append([]At{{Root: filepath.Dir(dir), Name: filepath.Base(dir)}}, dirs...)
		}
	}
	parts := strings.Split(at.Name, "/")
	for i := 1; i < len(parts); i++ {
		name := path.Join(parts[:i]...)
		if d != nil {
			if _, err := d.Lstat(name); err == nil {
				continue
			} else if !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		dirs = append(dirs, At{Root: at.Root, Name: name})
	}
	return dirs, nil
}

// RefusedError is a file of a host that cannot be used as it is: a link, a
// special file, one that is too large or has a fault. Nothing was changed.
type RefusedError struct {
	Path   string
	Reason string // completes "PATH "
	Link   string // what it points to when it is a link, "" otherwise
	Err    error
}

func (e *RefusedError) Error() string { return e.Path + " " + e.Reason }

// Unwrap returns the cause, if there is one.
func (e *RefusedError) Unwrap() error { return e.Err }

// ReadFile reads a file of a host of at most 4 MiB for an [Adapter]. One that
// does not exist is [fs.ErrNotExist]; a link, a special file or a larger one is a
// [*RefusedError].
func ReadFile(at At) ([]byte, error) {
	r := newRoots(nil)
	defer r.close()
	return r.read(at)
}

func (r *roots) read(at At) ([]byte, error) {
	d, err := r.open(at.Root)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, &fs.PathError{Op: "open", Path: at.Path(), Err: fs.ErrNotExist}
	}
	if err := r.above(d, at); err != nil {
		return nil, err
	}
	data, err := d.ReadFile(at.Name, maxFile)
	switch {
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, &RefusedError{Path: at.Path(), Reason: fmt.Sprintf("is larger than %d MiB", maxFile>>20), Err: err}
	case errors.Is(err, fsx.ErrNotRegular):
		if to, err := d.Readlink(at.Name); err == nil {
			return nil, &RefusedError{Path: at.Path(), Reason: "is a link to " + to + ", and nothing is written through links", Link: to, Err: fsx.ErrNotRegular}
		}
		return nil, &RefusedError{Path: at.Path(), Reason: "is not a regular file", Err: err}
	}
	return data, err
}

// above refuses a name that has anything but directories in it.
func (r *roots) above(d *fsx.Dir, at At) error {
	for dir := path.Dir(at.Name); dir != "."; dir = path.Dir(dir) {
		info, err := d.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &RefusedError{Path: d.Path(dir), Reason: "is not a directory of its own, so nothing below it is used"}
		}
	}
	return nil
}
