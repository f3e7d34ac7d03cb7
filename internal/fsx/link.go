package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Readlink returns what the symbolic link at name points to, as it is written.
// Anything but a link is an error.
func (d *Dir) Readlink(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	to, err := d.root.Readlink(name)
	if err != nil {
		return "", d.opError("read link", name, err)
	}
	return to, nil
}

// Symlink makes name a symbolic link to target, which may be anywhere; one that
// is there is replaced in one step, and anything else stays and is
// [fs.ErrExist]. The directory must exist. It does not sync.
func (d *Dir) Symlink(target, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return d.step(OpLink, name, func() error { return d.root.Symlink(target, name) })
	}
	if err != nil {
		return d.opError("stat", name, err)
	}
	if info.Mode().Type() != fs.ModeSymlink {
		return d.opError(OpLink, name, fmt.Errorf("%w: it is %s", fs.ErrExist, kind(info.Mode())))
	}
	temp := path.Join(path.Dir(name), ".pinion-"+randomHex()+tempSuffix)
	if err := d.step(OpLink, temp, func() error { return d.root.Symlink(target, temp) }); err != nil {
		return err
	}
	if err := d.rename(temp, name); err != nil {
		_ = d.remove(temp) // the error of the rename is the one to report
		return err
	}
	return nil
}

// ReplaceFile is [Dir.WriteFile] for a file of somebody else: its mode stays,
// whatever the umask is, and a name that is there must be a regular file. A new
// file gets perm.
func (d *Dir) ReplaceFile(name string, data []byte, perm fs.FileMode) error {
	info, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.WriteFile(name, data, perm)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return d.opError("replace", name, fmt.Errorf("%w: it is %s", ErrNotRegular, kind(info.Mode())))
	}
	return d.writeAs(name, data, info.Mode().Perm())
}

// writeAs writes through a temporary file that has the mode before it has the
// name.
func (d *Dir) writeAs(name string, data []byte, mode fs.FileMode) error {
	temp, err := d.writeTemp(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}, 0o600)
	if err != nil {
		return fmt.Errorf("replace %s: %w", d.full(name), err)
	}
	if mode != 0o600 {
		if err := d.chmod(d.root, temp, temp, mode); err != nil {
			_ = d.remove(temp)
			return err
		}
	}
	if err := d.rename(temp, name); err != nil {
		_ = d.remove(temp)
		return err
	}
	return d.syncParent(name)
}

// Rename moves name within the directory; a file at to is replaced, a directory
// is [fs.ErrExist]. It does not sync.
func (d *Dir) Rename(from, to string) error {
	if err := checkNames(from, to); err != nil {
		return err
	}
	return d.rename(from, to)
}

// Mkdir makes one directory (0700) that must not exist yet.
func (d *Dir) Mkdir(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return d.mkdir(name, 0o700)
}

// RemoveOne removes one file, link or empty directory, without a sync.
func (d *Dir) RemoveOne(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return d.remove(name)
}
