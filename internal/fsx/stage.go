package fsx

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// lockSuffix is added to the name of a stage for the file whose lock says that
// a live process uses it. The file is next to the tree and not in it, so that
// the whole tree can be moved to its final name.
const lockSuffix = ".lock"

// stageAttempts bounds how often a stage starts again because a cleaning
// process saw its lock file before it was locked.
const stageAttempts = 8

// Stage is a new, empty directory for a tree that is not finished.
type Stage struct {
	// Name is its slash path below the home, for SyncTree, Place and SwapDir.
	Name string
	// Dir is the directory itself; names in it are relative to it.
	Dir *Dir

	home   *Dir
	unlock func() error
}

// Stage makes staging/<16 hex digits> (0700), which [Dir.CleanStaging] of other
// processes leaves alone until [Stage.Close] or the death of this process.
func (d *Dir) Stage() (*Stage, error) {
	if err := d.mkdirStaging(); err != nil {
		return nil, err
	}
	for range stageAttempts {
		name := path.Join(stagingDir, randomHex())
		// The lock comes before the directory: a directory without a locked
		// file is garbage at every moment.
		unlock, err := d.tryLock(name+lockSuffix, false)
		if errors.Is(err, ErrLocked) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := &Stage{Name: name, home: d, unlock: unlock}
		if err := d.mkdir(name, 0o700); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		if s.Dir, err = d.Sub(name); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}
	return nil, d.opError(OpMkdir, stagingDir, ErrLocked)
}

// Close removes what is left of the stage: everything, or, after its tree was
// placed, the lock file. It can be called again.
func (s *Stage) Close() error {
	if s.unlock == nil {
		return nil
	}
	var err error
	if s.Dir != nil {
		err = s.Dir.Close()
	}
	err = errors.Join(err, s.home.removeTree(s.home.root, s.Name, s.Name))
	err = errors.Join(err, s.home.removeLock(s.Name+lockSuffix, s.unlock))
	s.unlock = nil
	return err
}

// removeLock removes a lock file whose lock we hold, then frees it. In this
// order no other process can take the lock of a name that is about to go.
// Windows does not remove an open file, but nor does it remove one that another
// process has opened, so there the order does not matter.
func (d *Dir) removeLock(name string, unlock func() error) error {
	err := d.remove(name)
	uerr := unlock()
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !canSyncDir {
		err = d.remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, uerr)
}

// CleanStaging removes what killed processes left in staging, and returns how
// many trees and temporary files that were. Trees of live processes stay. It is
// called at the start of every command that changes something (security 3.6
// row 89). Names that are not ours are left alone.
func (d *Dir) CleanStaging() (removed int, err error) {
	entries, err := fs.ReadDir(d.root.FS(), stagingDir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, d.opError("list", stagingDir, err)
	}
	var errs []error
	for _, e := range entries {
		name := path.Join(stagingDir, e.Name())
		var gone bool
		var err error
		if base, ok := strings.CutSuffix(e.Name(), lockSuffix); ok && isRandomHex(base) {
			gone, err = d.cleanStage(name)
		} else if isTemp(e.Name()) {
			gone, err = true, d.removeTree(d.root, name, name)
		} else if isRandomHex(e.Name()) && e.IsDir() {
			// Its lock file existed before it did, so without one it is over.
			if _, serr := d.root.Lstat(name + lockSuffix); errors.Is(serr, fs.ErrNotExist) {
				gone, err = true, d.removeTree(d.root, name, name)
			}
		}
		if err != nil {
			errs = append(errs, err)
		} else if gone {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

// cleanStage removes the stage of a lock file, unless its owner lives.
func (d *Dir) cleanStage(lock string) (gone bool, err error) {
	unlock, err := d.lockOnce(lock, false)
	if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	tree := strings.TrimSuffix(lock, lockSuffix)
	if err := d.removeTree(d.root, tree, tree); err != nil {
		return false, errors.Join(err, unlock())
	}
	return true, d.removeLock(lock, unlock)
}

// CleanTemp removes the temporary files that killed processes left in one
// directory of a [Dir] from [OpenDir]. The caller holds the lock that guards
// the directory.
func (d *Dir) CleanTemp(dir string) error {
	entries, err := fs.ReadDir(d.root.FS(), dir)
	if err != nil {
		return d.opError("list", dir, err)
	}
	for _, e := range entries {
		if isTemp(e.Name()) && strings.HasPrefix(e.Name(), ".pinion-") {
			if err := d.remove(path.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
