package fsx

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// tempSuffix marks a file that was never finished, unless a process is just
// writing it.
const tempSuffix = ".tmp"

// tempAttempts bounds how often WriteFile starts again because a cleaning
// process took its temporary file away.
const tempAttempts = 4

// WriteFile replaces name, or creates it, so that a reader sees the old or the
// new content and the new one survives a power cut (security 3.6 rows 89-93):
// temporary file, write, fsync, rename, fsync of the directory. The directory
// must exist. perm is cut by the umask; 0600 is the same under every umask
// (3.2 row 31). A link at name is replaced, not followed.
//
// On an error the old file is untouched and the temporary one is gone, except
// that [ErrNotDurable] means the new content is already visible.
func (d *Dir) WriteFile(name string, data []byte, perm fs.FileMode) error {
	return d.WriteFrom(name, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFrom is [Dir.WriteFile] for content that is written piece by piece. fill
// may be called again when the file had to be started anew.
func (d *Dir) WriteFrom(name string, perm fs.FileMode, fill func(w io.Writer) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		temp, err := d.writeTemp(name, fill, perm)
		if err != nil {
			return fmt.Errorf("replace %s: %w", d.full(name), err)
		}
		err = d.rename(temp, name)
		if err == nil {
			return d.syncParent(name)
		}
		// The error of the rename is the one to report; what cannot be removed
		// here is removed by the next CleanStaging.
		_ = d.remove(temp)
		// Another process that cleans up cannot tell our temporary file from a
		// dead one. Losing it harms nothing, so write it again.
		if !errors.Is(err, fs.ErrNotExist) || attempt == tempAttempts {
			return err
		}
		if _, perr := d.root.Lstat(path.Dir(name)); perr != nil {
			return err // it was the directory that is missing
		}
	}
}

// writeTemp writes and syncs the temporary file for name.
func (d *Dir) writeTemp(name string, fill func(io.Writer) error, perm fs.FileMode) (temp string, err error) {
	temp = d.tempName(name)
	f, err := d.create(temp, perm)
	if d.home && errors.Is(err, fs.ErrNotExist) {
		if err := d.mkdirStaging(); err != nil {
			return "", err
		}
		f, err = d.create(temp, perm)
	}
	if err != nil {
		return "", err
	}
	if err = fill(pieces{d, f, temp}); err == nil {
		err = d.sync(f, temp)
	}
	// A network file system reports a failed write when the file is closed.
	if cerr := f.Close(); err == nil && cerr != nil {
		err = d.opError(OpWrite, temp, cerr)
	}
	if err != nil {
		_ = d.remove(temp)
		return "", err
	}
	return temp, nil
}

// pieces writes to a temporary file, each piece past the hook.
type pieces struct {
	dir  *Dir
	file *os.File
	name string
}

// Write writes all of b or returns an error.
func (p pieces) Write(b []byte) (int, error) {
	if err := p.dir.write(p.file, p.name, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (d *Dir) tempName(name string) string {
	if d.home {
		// One place to clean, and no reader of a state directory meets a
		// temporary file there.
		return path.Join(stagingDir, randomHex()+tempSuffix)
	}
	return path.Join(path.Dir(name), ".pinion-"+randomHex()+tempSuffix)
}

func isTemp(base string) bool {
	rest, ok := strings.CutSuffix(base, tempSuffix)
	return ok && isRandomHex(strings.TrimPrefix(rest, ".pinion-"))
}

// WriteNew writes a file that must not exist yet, without any sync: it is for
// the many files of a staging tree, which [Dir.SyncTree] makes durable in one
// call. A file that could not be written in full is removed.
func (d *Dir) WriteNew(name string, data []byte, perm fs.FileMode) error {
	if err := checkName(name); err != nil {
		return err
	}
	f, err := d.create(name, perm)
	if err != nil {
		return err
	}
	err = d.write(f, name, data)
	if cerr := f.Close(); err == nil && cerr != nil {
		err = d.opError(OpWrite, name, cerr)
	}
	if err != nil {
		_ = d.remove(name)
	}
	return err
}

// MkdirAll makes a directory and its missing parents, 0700 each. On Linux the
// new entries are durable only after the next [Dir.SyncTree]; elsewhere each is
// synced at once. Use [Dir.MkdirAllSynced] where no SyncTree follows.
func (d *Dir) MkdirAll(name string) error { return d.mkdirAll(name, !hasSyncFS) }

// MkdirAllSynced is [Dir.MkdirAll] with one fsync for each directory that had
// to be made, and none when name exists.
func (d *Dir) MkdirAllSynced(name string) error { return d.mkdirAll(name, true) }

func (d *Dir) mkdirAll(name string, sync bool) error {
	if name == "." {
		return nil
	}
	if err := checkName(name); err != nil {
		return err
	}
	info, err := d.root.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return d.opError(OpMkdir, name, ErrNotDir)
	case !errors.Is(err, fs.ErrNotExist):
		return d.opError(OpMkdir, name, err)
	}
	if err := d.mkdirAll(path.Dir(name), sync); err != nil {
		return err
	}
	if err := d.mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if !sync {
		return nil
	}
	return d.syncParent(name)
}

// mkdirStaging makes the staging directory. It needs no sync: nothing in it is
// worth keeping.
func (d *Dir) mkdirStaging() error {
	err := d.mkdir(stagingDir, 0o700)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := d.root.Lstat(stagingDir)
	if err == nil && !info.IsDir() {
		err = ErrNotDir
	}
	if err != nil {
		return d.opError(OpMkdir, stagingDir, err)
	}
	return nil
}

// Remove removes one file or empty directory durably. A missing one is
// [fs.ErrNotExist].
func (d *Dir) Remove(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := d.remove(name); err != nil {
		return err
	}
	return d.syncParent(name)
}

// randomHex returns 16 hex digits that no other process uses.
func randomHex() string {
	var b [8]byte
	rand.Read(b[:]) // documented never to return an error
	return hex.EncodeToString(b[:])
}

func isRandomHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 16
}
