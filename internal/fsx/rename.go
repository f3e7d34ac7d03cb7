package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
)

// RenameNoReplace moves a file or directory to a name that must be free: a
// taken one, even an empty directory, is [fs.ErrExist] and stays as it is
// (security 3.6 row 100). It is one system call on Linux and macOS; on file
// systems without that call see renamePortable. It does not sync.
func (d *Dir) RenameNoReplace(old, new string) error {
	if err := checkNames(old, new); err != nil {
		return err
	}
	if hasRenameFlag {
		err := d.renameAt(old, new, renameExclusive)
		if !isUnsupported(err) {
			return err
		}
	}
	return d.renamePortable(old, new)
}

// renameAt runs one of the rename calls that os.Root does not have, through the
// handles of the two parent directories.
func (d *Dir) renameAt(old, new string, call func(*os.File, string, *os.File, string) error) error {
	return d.step(OpRename, new, func() error {
		from, err := d.openDir(path.Dir(old))
		if err != nil {
			return err
		}
		defer from.Close() // opened for reading only
		to, err := d.openDir(path.Dir(new))
		if err != nil {
			return err
		}
		defer to.Close()
		return call(from, path.Base(old), to, path.Base(new))
	})
}

// renamePortable is the same promise without the call. A file is linked, which
// refuses to replace, and unlinked. A directory is renamed over an empty one
// made for it: mkdir refuses a taken name and the rename refuses a directory
// that got content meanwhile; a crash in between leaves the empty directory.
// Windows never renames over a directory, so there a look before the rename
// suffices.
func (d *Dir) renamePortable(old, new string) error {
	info, err := d.root.Lstat(old)
	if err != nil {
		return d.opError(OpRename, new, err)
	}
	if !info.IsDir() {
		if err := d.step(OpLink, new, func() error { return d.root.Link(old, new) }); err != nil {
			return err
		}
		return d.remove(old)
	}
	if runtime.GOOS == "windows" {
		if _, err := d.root.Lstat(new); err == nil {
			return d.opError(OpRename, new, fs.ErrExist)
		}
		return d.rename(old, new)
	}
	if err := d.mkdir(new, 0o700); err != nil {
		return err
	}
	// os.Root.Rename never renames over a directory, not even an empty one.
	if err := d.renameAt(old, new, renamePlain); err != nil {
		_ = d.remove(new) // only succeeds while it is the empty one
		return err
	}
	return nil
}

// Place moves a finished staging tree to its final name, which must be free
// ([fs.ErrExist]), makes its top directory read-only and syncs the parent: one
// fsync. The rest of the tree is prepared by [Dir.MakeReadOnly] and
// [Dir.SyncTree]; the top has to stay writable until here, since moving a
// directory needs write permission on it.
func (d *Dir) Place(staged, final string) error {
	if err := d.RenameNoReplace(staged, final); err != nil {
		return err
	}
	info, err := d.Lstat(final)
	if err != nil {
		return err
	}
	if err := d.chmod(d.root, final, final, readOnlyMode(info.Mode())); err != nil {
		_ = d.rename(final, staged) // an error means that nothing was placed
		return err
	}
	return d.syncParent(final)
}

// SwapDir puts the directory at fresh in the place of the one at name, durably,
// and removes the old one. A free name is simply taken. On Linux and macOS the
// two are exchanged in one step, so a reader finds the old or the new one at
// every moment; a reader that works through several files opens it once with
// [Dir.Sub] or holds the lock. Where the exchange does not exist the old
// directory is first moved to name+".old"; after a crash in between
// [Dir.RecoverSwap] moves it back.
//
// After an error without [ErrNotDurable] the old directory is in place.
// What could not be removed of it is not an error of the swap: it stays at
// fresh, below staging, where the next [Dir.CleanStaging] takes it.
func (d *Dir) SwapDir(fresh, name string) error {
	if err := checkNames(fresh, name); err != nil {
		return err
	}
	err := d.RenameNoReplace(fresh, name)
	if err == nil {
		return d.syncParent(name)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if hasRenameFlag {
		err = d.renameAt(fresh, name, renameExchange)
		if err != nil && !isUnsupported(err) {
			return err
		}
	}
	old := fresh
	if !hasRenameFlag || err != nil {
		if err := d.swapAside(fresh, name); err != nil {
			return err
		}
		old = name + ".old"
	}
	if err := d.syncParent(name); err != nil {
		return err
	}
	// Only now: the old one is needed until the new one is durable.
	_ = d.RemoveAll(old)
	return nil
}

// swapAside is the exchange in two renames.
func (d *Dir) swapAside(fresh, name string) error {
	aside := name + ".old"
	if err := d.RemoveAll(aside); err != nil {
		return err
	}
	if err := d.rename(name, aside); err != nil {
		return err
	}
	if err := d.rename(fresh, name); err != nil {
		_ = d.rename(aside, name) // else RecoverSwap does it
		return err
	}
	return nil
}

// RecoverSwap repairs a [Dir.SwapDir] that was cut off between its two renames,
// and removes an old directory that was left over. It is cheap when there is
// nothing to do. The caller holds the lock that guards name.
func (d *Dir) RecoverSwap(name string) error {
	aside := name + ".old"
	if err := checkNames(name, aside); err != nil {
		return err
	}
	if _, err := d.root.Lstat(aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return d.opError("stat", aside, err)
	}
	err := d.RenameNoReplace(aside, name)
	if errors.Is(err, fs.ErrExist) {
		return d.RemoveAll(aside)
	}
	if err != nil {
		return err
	}
	return d.syncParent(name)
}
