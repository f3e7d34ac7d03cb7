package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// Op names one state-changing step.
type Op string

// The steps a [Hook] sees.
const (
	OpCreate   Op = "create"   // a new file
	OpWrite    Op = "write"    // content of one file, in one step
	OpSync     Op = "fsync"    // one file or one directory
	OpSyncFS   Op = "syncfs"   // the whole file system below a directory
	OpRename   Op = "rename"   // also an exchange; the name is the target
	OpLink     Op = "link"     // only where a rename cannot refuse to replace
	OpMkdir    Op = "mkdir"    // one directory
	OpRemove   Op = "remove"   // one file or one empty directory
	OpTruncate Op = "truncate" // cutting a file to its complete lines
	OpChmod    Op = "chmod"    // one file or directory
)

// Hook is called before every state-changing step with the slash path from the
// opened directory (an absolute path while the directory itself is created).
// An error takes the place of the step. It may be called from several
// goroutines.
type Hook func(op Op, name string) error

// The functions below are the only ones in this package that change the disk.

func step(hook Hook, op Op, name string, f func() error) error {
	if hook != nil {
		if err := hook(op, name); err != nil {
			return newOpError(op, name, err)
		}
	}
	if err := f(); err != nil {
		return newOpError(op, name, err)
	}
	return nil
}

func (d *Dir) step(op Op, name string, f func() error) error {
	return step(d.hook, op, d.full(name), f)
}

// create makes a new file that must not exist, also not as a dangling link.
func (d *Dir) create(name string, perm fs.FileMode) (f *os.File, err error) {
	err = d.step(OpCreate, name, func() error {
		f, err = d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, perm)
		return err
	})
	return f, err
}

// write puts data at the position of f. Short writes and EINTR are handled by
// [os.File] (security 3.6 row 95).
func (d *Dir) write(f *os.File, name string, data []byte) error {
	return d.step(OpWrite, name, func() error {
		_, err := f.Write(data)
		return err
	})
}

// sync is never retried: after EIO the kernel may have dropped the dirty pages,
// and a second fsync would succeed over lost data (security 3.6 row 92).
func (d *Dir) sync(f *os.File, name string) error {
	return d.step(OpSync, name, f.Sync)
}

func (d *Dir) truncate(f *os.File, name string, size int64) error {
	return d.step(OpTruncate, name, func() error { return f.Truncate(size) })
}

func (d *Dir) rename(from, to string) error {
	return d.step(OpRename, to, func() error { return d.root.Rename(from, to) })
}

func (d *Dir) mkdir(name string, perm fs.FileMode) error {
	return d.step(OpMkdir, name, func() error { return d.root.Mkdir(name, perm) })
}

func (d *Dir) remove(name string) error {
	return d.step(OpRemove, name, func() error { return d.root.Remove(name) })
}

// SyncDir makes the entries of one directory durable: what was created,
// renamed or removed in it. "." is the directory itself. It does nothing on
// Windows, where a directory cannot be synced.
func (d *Dir) SyncDir(name string) error {
	if !canSyncDir {
		return nil
	}
	if name != "." {
		if err := checkName(name); err != nil {
			return err
		}
	}
	return d.step(OpSync, name, func() error {
		f, err := d.openDir(name)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// syncParent makes the entry of name durable after it has become visible.
func (d *Dir) syncParent(name string) error {
	if err := d.SyncDir(path.Dir(name)); err != nil {
		return errors.Join(err, ErrNotDurable)
	}
	return nil
}

// openDir opens a directory for its handle.
func (d *Dir) openDir(name string) (*os.File, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, ErrNotDir
	}
	return d.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
}
