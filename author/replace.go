package author

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
)

// replacement replaces, makes and removes several files or none. All new contents, and copies of
// all old ones, are on the disk before the first file changes, so that a full
// disk is seen in time and undoing needs no room.
type replacement struct {
	root *os.Root
	// hook is called before each step with its name and the path; its error
	// takes the step's place. For tests.
	hook func(step, name string) error

	staged []staged
}

// staged is one file on its way.
type staged struct {
	name     string
	next     string // temporary file with the new content, "" when moved
	previous string // temporary file with the old content, "" when there is none
	remove   bool
	created  bool
	done     bool
}

func (r *replacement) run(edits []edit) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, r.restore())
		}
		err = errors.Join(err, r.clean())
	}()
	for _, e := range edits {
		if err := r.stage(e); err != nil {
			return err
		}
	}
	for i := range r.staged {
		s := &r.staged[i]
		if s.remove {
			if err := r.remove(s.name); err != nil {
				return err
			}
		} else if err := r.rename(s.next, s.name); err != nil {
			return err
		}
		s.next, s.done = "", true
	}
	return nil
}

// stage writes the new and the old content of one file next to it.
func (r *replacement) stage(e edit) error {
	perm, err := r.unchanged(e)
	if err != nil {
		return err
	}
	if e.exec {
		perm |= 0o111
	}
	r.staged = append(r.staged, staged{name: e.path, remove: e.remove, created: e.create})
	s := &r.staged[len(r.staged)-1]
	for _, f := range []struct {
		at   *string
		data []byte
		none bool
	}{{&s.next, e.new, e.remove}, {&s.previous, e.old, e.create}} {
		if f.none {
			continue
		}
		name := tempName(e.path)
		if err := r.write(name, f.data, perm, f.at); err != nil {
			return fmt.Errorf("replace %s: %w", e.path, err)
		}
	}
	return nil
}

// write makes a temporary file and notes it in at as soon as it is there.
func (r *replacement) write(name string, data []byte, perm os.FileMode, at *string) error {
	if err := r.before("write", name); err != nil {
		return err
	}
	f, err := r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	*at = name
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm) // what the umask took off
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func (r *replacement) rename(from, to string) error {
	if err := r.before("rename", to); err != nil {
		return err
	}
	return r.root.Rename(from, to)
}

func (r *replacement) remove(name string) error {
	if err := r.before("remove", name); err != nil {
		return err
	}
	return r.root.Remove(name)
}

// restore puts the old contents back.
func (r *replacement) restore() error {
	var errs []error
	for i := range r.staged {
		s := &r.staged[i]
		if !s.done {
			continue
		}
		if s.created {
			errs = append(errs, r.root.Remove(s.name))
			continue
		}
		if err := r.root.Rename(s.previous, s.name); err != nil {
			errs = append(errs, fmt.Errorf("put %s back from %s: %w", s.name, s.previous, err))
		}
		// When it failed, the copy is all that is left of the old content.
		s.previous = ""
	}
	return errors.Join(errs...)
}

// clean removes the temporary files.
func (r *replacement) clean() error {
	var errs []error
	for _, s := range r.staged {
		for _, name := range []string{s.next, s.previous} {
			if name == "" {
				continue
			}
			if err := r.root.Remove(name); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

func (r *replacement) before(step, name string) error {
	if r.hook == nil {
		return nil
	}
	return r.hook(step, name)
}

func tempName(name string) string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails; it ends the process when it cannot read
	return path.Join(path.Dir(name), "."+path.Base(name)+"."+hex.EncodeToString(b[:])+".tmp")
}
