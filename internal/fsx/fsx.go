// Package fsx holds the durable, atomic file operations on Pinion's home
// directory and on the directories of hosts that Pinion edits.
//
// Rules it enforces:
//
//   - Every name is a slash path relative to the directory ([fs.ValidPath]) and
//     is resolved through an [os.Root], so nothing outside can be touched.
//   - A reader sees the old or the new content, never a mixture; once a call
//     that replaces, appends or places returns nil, a power cut cannot undo it.
//   - The last component of a name is never followed when it is a symbolic link.
//     A link in the middle of a name can only lead to another place in the same
//     directory.
//   - Every state-changing step passes a [Hook] first, so tests can fail or
//     count each one. No environment variable can do that.
//
// Costs, in fsync calls on Linux: [Dir.WriteFile] 2 (file, directory),
// [Dir.Append] 1 (2 when it creates the file), [Dir.SyncTree] 1 syncfs,
// [Dir.Place] 1, [Dir.SwapDir] 1, [Dir.Remove] 1.
//
// What it does not do: it does not look into files, and it does not guard one
// call against another: callers hold [Dir.Lock] for a read-modify-write.
// On Windows directories cannot be synced, owners and modes are not checked,
// and [Dir.SwapDir] has a moment without a directory, see there.
package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// stagingDir is the directory of a home that holds everything unfinished:
// staging trees, their locks, and temporary files. It is on the file system
// of the home, so a rename out of it is atomic.
const stagingDir = "staging"

// Options are the settings of [OpenHome] and [OpenDir].
type Options struct {
	// Create makes the directory (0700) and its missing parents.
	Create bool
	// Hook sees every state-changing step; nil in production.
	Hook Hook
	// Waiting is told once about each lock that has been waited for half a
	// second, with the process id of its holder, 0 when that is unknown. Nil for
	// nobody. It may be called from several goroutines.
	Waiting func(pid int)
}

// Dir is one directory that is read and changed through an [os.Root].
// It is safe for concurrent use, as far as the file system orders the calls.
type Dir struct {
	root *os.Root
	abs  string // absolute OS path, for locks and for tools that need a path
	hook Hook
	// prefix is the slash path from the opened directory, for hooks and errors.
	prefix string
	// home is set for a directory that is Pinion's own: files must be ours and
	// not writable by others, and temporary files go to staging.
	home bool
	// waiting is told about long waits for a lock; it may be nil.
	waiting func(pid int)
}

// OpenHome opens Pinion's home directory. It refuses, with [*InsecureError], a
// home that is a symbolic link, the root of the file system, not a directory,
// owned by another user, or writable by group or others (security 3.6 rows 94
// and 97). A missing home is an [fs.ErrNotExist] unless o.Create is set.
// A home on a read-only file system opens; writes then give [ErrReadOnly].
func OpenHome(name string, o Options) (*Dir, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("open home %s: %w", name, err)
	}
	if filepath.Dir(abs) == abs {
		return nil, insecure(abs, "is the root of the file system", "choose a directory of its own with PINION_HOME")
	}
	if o.Create {
		if err := createDir(abs, o.Hook); err != nil {
			return nil, fmt.Errorf("create home: %w", err)
		}
	}
	d, err := open(abs, o)
	if err != nil {
		return nil, fmt.Errorf("open home: %w", err)
	}
	d.home = true
	return d, nil
}

// OpenDir opens a directory that belongs to somebody else, such as the
// configuration directory of a host: owner and mode are not judged, and
// temporary files are made next to their target.
func OpenDir(name string, o Options) (*Dir, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if o.Create {
		if err := createDir(abs, o.Hook); err != nil {
			return nil, fmt.Errorf("create directory: %w", err)
		}
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, newOpError("open", abs, err)
	}
	return &Dir{root: root, abs: abs, hook: o.Hook, waiting: o.Waiting}, nil
}

// open opens abs and checks that what was opened is what was looked at.
func open(abs string, o Options) (*Dir, error) {
	before, err := os.Lstat(abs)
	if err != nil {
		return nil, newOpError("open", abs, err)
	}
	switch {
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, insecure(abs, "is a symbolic link", "set PINION_HOME to the directory it points to")
	case !before.IsDir():
		return nil, insecure(abs, "is not a directory", "move it away, or set PINION_HOME to a directory")
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, newOpError("open", abs, err)
	}
	info, err := root.Stat(".")
	if err == nil && !os.SameFile(before, info) {
		err = insecure(abs, "was replaced while it was opened", "find out which program does that, then try again")
	}
	if err == nil {
		err = checkPrivate(abs, info)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Dir{root: root, abs: abs, hook: o.Hook, waiting: o.Waiting}, nil
}

// createDir makes abs and its missing parents, 0700 each, and makes the entry
// of abs durable: a home that a power cut can take away would take every
// synced file with it.
func createDir(abs string, hook Hook) error {
	if _, err := os.Lstat(abs); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil // open judges what is there
	}
	parent := filepath.Dir(abs)
	if err := createDir(parent, hook); err != nil {
		return err
	}
	err := step(hook, OpMkdir, abs, func() error { return os.Mkdir(abs, 0o700) })
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil || !canSyncDir {
		return err
	}
	return step(hook, OpSync, parent, func() error {
		f, err := os.Open(parent)
		if errors.Is(err, fs.ErrPermission) {
			return nil // a parent that we may write to but not read
		}
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Close releases the directory. Locks and stages taken from it stay valid
// until their own release, which then may leave a lock file behind.
func (d *Dir) Close() error { return d.root.Close() }

// Sub opens a directory below d, which must not be a symbolic link. It shares
// the hook of d; its own temporary files are made next to their target.
func (d *Dir) Sub(name string) (*Dir, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, d.opError("open", name, err)
	}
	if !before.IsDir() {
		return nil, d.opError("open", name, ErrNotDir)
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, d.opError("open", name, err)
	}
	if after, err := root.Stat("."); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(d.opError("open", name, ErrNotDir), root.Close())
	}
	return &Dir{root: root, abs: d.Path(name), hook: d.hook, waiting: d.waiting, prefix: d.full(name)}, nil
}

// Path returns the absolute OS path of name, for programs and libraries that
// need one. "." is the directory itself.
func (d *Dir) Path(name string) string { return filepath.Join(d.abs, filepath.FromSlash(name)) }

// FS returns a read-only view for code that reads through [fs.FS].
func (d *Dir) FS() fs.FS { return d.root.FS() }

// Lstat describes name without following a link.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, d.opError("stat", name, err)
	}
	return info, nil
}

// ReadDir lists a directory sorted by name, without our temporary files. "."
// is the directory itself.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		if err := checkName(name); err != nil {
			return nil, err
		}
	}
	entries, err := fs.ReadDir(d.root.FS(), name)
	if err != nil {
		return nil, d.opError("list", name, err)
	}
	kept := entries[:0]
	for _, e := range entries {
		if !isTemp(e.Name()) {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// checkName accepts the slash paths that name something below a directory.
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsRune(name, 0) {
		return &fs.PathError{Op: "name", Path: name, Err: fs.ErrInvalid}
	}
	// Localize refuses what only this system treats specially: backslashes,
	// drive letters and device names on Windows.
	if _, err := filepath.Localize(name); err != nil {
		return &fs.PathError{Op: "name", Path: name, Err: fs.ErrInvalid}
	}
	return nil
}

func checkNames(names ...string) error {
	for _, n := range names {
		if err := checkName(n); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dir) full(name string) string { return path.Join(d.prefix, name) }
