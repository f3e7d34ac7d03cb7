package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
)

// MakeReadOnly takes every write permission from the files and directories
// below name, keeping executable bits. The directory at name itself stays
// writable until [Dir.Place]. Anything but files and directories is
// [ErrNotRegular]. Call it before [Dir.SyncTree], so that the modes are durable
// too.
func (d *Dir) MakeReadOnly(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return d.walkChild(d.root, name, name, d.seal)
}

// seal makes the entries of one directory read-only, depth first.
func (d *Dir) seal(dir *os.Root, shown string, entries []fs.DirEntry) error {
	for _, e := range entries {
		child := path.Join(shown, e.Name())
		info, err := dir.Lstat(e.Name())
		if err != nil {
			return d.opError("stat", child, err)
		}
		switch {
		case info.IsDir():
			if err := d.walkChild(dir, e.Name(), child, d.seal); err != nil {
				return err
			}
		case !info.Mode().IsRegular():
			return d.opError(OpChmod, child, fmt.Errorf("%w: it is %s", ErrNotRegular, kind(info.Mode())))
		}
		if err := d.chmodIfNeeded(dir, e.Name(), child, info, readOnlyMode(info.Mode())); err != nil {
			return err
		}
	}
	return nil
}

// RemoveAll removes a file, or a directory with everything in it, also when
// files and directories are read-only. Links are removed, not followed. A
// missing name is no error. In a home a directory disappears from its name in
// one step, since it is moved to staging first: after a kill the rest of it is
// leftover for [Dir.CleanStaging], and so it is no error when some of it cannot
// be removed. It does not sync.
func (d *Dir) RemoveAll(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.opError(OpRemove, name, err)
	}
	if d.home && info.IsDir() && path.Dir(name) != stagingDir && name != stagingDir {
		// Moving a directory needs write permission on it.
		if err := d.chmodIfNeeded(d.root, name, name, info, info.Mode().Perm()|0o700); err != nil {
			return err
		}
		if err := d.mkdirStaging(); err != nil {
			return err
		}
		trash := path.Join(stagingDir, randomHex())
		if err := d.rename(name, trash); err != nil {
			return err
		}
		_ = d.removeTree(d.root, trash, trash) // it is gone from its name
		return nil
	}
	return d.removeTree(d.root, name, name)
}

// removeTree removes name in dir. What another process removes meanwhile is
// not an error.
func (d *Dir) removeTree(dir *os.Root, name, shown string) error {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.opError(OpRemove, shown, err)
	}
	if info.IsDir() {
		if err := d.chmodIfNeeded(dir, name, shown, info, info.Mode().Perm()|0o700); err != nil {
			return err
		}
		err := d.walkChild(dir, name, shown, func(sub *os.Root, shown string, entries []fs.DirEntry) error {
			for _, e := range entries {
				if err := d.removeTree(sub, e.Name(), path.Join(shown, e.Name())); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	} else if runtime.GOOS == "windows" && info.Mode().IsRegular() {
		// The read-only attribute of a file forbids its removal there.
		if err := d.chmodIfNeeded(dir, name, shown, info, 0o600); err != nil {
			return err
		}
	}
	err = d.step(OpRemove, shown, func() error { return dir.Remove(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// walkChild opens one directory of dir, which must not be a link, and hands its
// entries to visit.
func (d *Dir) walkChild(dir *os.Root, name, shown string, visit func(*os.Root, string, []fs.DirEntry) error) error {
	before, err := dir.Lstat(name)
	if err != nil {
		return d.opError("list", shown, err)
	}
	if !before.IsDir() {
		return d.opError("list", shown, ErrNotDir)
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return d.opError("list", shown, err)
	}
	defer sub.Close() // a handle for reading only
	after, err := sub.Stat(".")
	if err != nil {
		return d.opError("list", shown, err)
	}
	if !os.SameFile(before, after) {
		// A link took the place of the directory after the look.
		return d.opError("list", shown, ErrNotDir)
	}
	entries, err := fs.ReadDir(sub.FS(), ".")
	if err != nil {
		return d.opError("list", shown, err)
	}
	return visit(sub, shown, entries)
}

func (d *Dir) chmodIfNeeded(dir *os.Root, name, shown string, info fs.FileInfo, want fs.FileMode) error {
	if info.Mode().Perm() == want {
		return nil
	}
	return d.chmod(dir, name, shown, want)
}

func (d *Dir) chmod(dir *os.Root, name, shown string, want fs.FileMode) error {
	return d.step(OpChmod, shown, func() error { return dir.Chmod(name, want) })
}

// readOnlyMode is a mode without any write permission; the executable bits stay.
func readOnlyMode(m fs.FileMode) fs.FileMode { return m.Perm() &^ 0o222 }
