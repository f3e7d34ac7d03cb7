package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Move moves a file, link or tree to another directory, in one step where both
// are on one file system. Else it is copied beside its new place, synced, given
// its name there, and only then removed: name is whole at one place or the other
// at every moment, and complete wherever to has dest. The directory of dest must
// exist, and dest must not. A special file, or one in the tree, is
// [ErrNotRegular], and nothing is moved.
func (d *Dir) Move(name string, to *Dir, dest string) error {
	if err := checkNames(name, dest); err != nil {
		return err
	}
	if _, err := to.root.Lstat(dest); err == nil {
		return to.opError(OpRename, dest, fs.ErrExist)
	}
	err := to.step(OpRename, dest, func() error { return os.Rename(d.Path(name), to.Path(dest)) })
	if err == nil {
		return errors.Join(to.syncParent(dest), d.syncParent(name))
	}
	if !isOtherDisk(err) {
		return err
	}
	return d.moveCopy(name, to, dest)
}

// moveCopy is [Dir.Move] to another file system.
func (d *Dir) moveCopy(name string, to *Dir, dest string) error {
	fresh := path.Join(path.Dir(dest), ".pinion-"+randomHex()+tempSuffix)
	err := d.copyTo(name, to, fresh)
	if err == nil {
		err = to.SyncTree(fresh)
	}
	if err == nil {
		err = to.rename(fresh, dest)
	}
	if err != nil {
		// The error of the copy is the one to report.
		_ = to.RemoveAll(fresh)
		return fmt.Errorf("move %s to another disk: %w", d.Path(name), err)
	}
	if err := to.syncParent(dest); err != nil {
		return err
	}
	// A half-removed tree must not have the name.
	gone := path.Join(path.Dir(name), ".pinion-"+randomHex()+tempSuffix)
	if err := d.rename(name, gone); err != nil {
		return err
	}
	return d.RemoveAll(gone)
}

// copyTo copies one name and what is below it, with the modes.
func (d *Dir) copyTo(name string, to *Dir, dest string) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := d.Readlink(name)
		if err != nil {
			return err
		}
		return to.Symlink(target, dest)
	case info.IsDir():
		if err := to.Mkdir(dest); err != nil {
			return err
		}
		entries, err := d.ReadDir(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := d.copyTo(path.Join(name, e.Name()), to, path.Join(dest, e.Name())); err != nil {
				return err
			}
		}
	default:
		err := to.WriteFrom(dest, 0o600, func(w io.Writer) error {
			f, _, err := d.openRegular(name, os.O_RDONLY)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		})
		if err != nil {
			return err
		}
	}
	return to.chmod(to.root, dest, dest, info.Mode().Perm())
}
