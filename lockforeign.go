package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"pinion/locks"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/source"
	"pinion/tree"
)

// LockMismatchError is a lock file of another tool whose digests are not those of
// the bytes that it leads to.
type LockMismatchError struct {
	File    string
	Refused []LockMismatch
}

// LockMismatch is one entry of it.
type LockMismatch struct {
	Name, Source, Commit string
	Want, Got            string // the digests
	Resolved             bool   // the file names no commit, and this is the one of now
}

// Error names the first.
func (e *LockMismatchError) Error() string {
	m := e.Refused[0]
	s := fmt.Sprintf("%s: %s: the lock states the digest %s, the files of %s at %s have %s",
		filepath.Base(e.File), m.Name, m.Want, m.Source, source.Short(m.Commit), m.Got)
	if n := len(e.Refused) - 1; n > 0 {
		s += fmt.Sprintf(", and %d more", n)
	}
	return s
}

// Hint tells the ways out.
func (e *LockMismatchError) Hint() string {
	if slices.ContainsFunc(e.Refused, func(m LockMismatch) bool { return m.Resolved }) {
		return "the lock names no commit, and the files may have changed since: update it with its own tool, or take the rest with --skip-refused"
	}
	return "find out which of the two is right; --skip-refused takes the rest"
}

// ExitCode is 4, verification refused.
func (e *LockMismatchError) ExitCode() int { return 4 }

// taken is one entry of another tool's lock file, fetched.
type taken struct {
	locked Locked
	report Imported
}

// takeAll fetches what another tool's lock file pins. What cannot be taken over is
// noted in the report.
func (c *Client) takeAll(ctx context.Context, file string, data []byte, o ImportLockOptions, r *LockReport) ([]taken, error) {
	r.Imported, r.Left = []Imported{}, []NotTaken{}
	list, err := readForeign(file, data)
	if err != nil {
		return nil, err
	}
	for _, l := range list.Left {
		r.Left = append(r.Left, NotTaken(l))
	}
	_, ms, _, err := c.state(true)
	if err != nil {
		return nil, err
	}
	var all []taken
	refused := &LockMismatchError{File: file}
	for i, e := range list.Entries {
		c.o.Progress(e.Name, i, len(list.Entries))
		t, err := c.takeOver(ctx, ms, e)
		other, mismatch := errors.AsType[*lockOther](err)
		switch {
		case err == nil:
			all = append(all, t)
			continue
		case ctx.Err() != nil:
			return nil, err
		case mismatch:
			refused.Refused = append(refused.Refused, other.LockMismatch)
			err = errors.New("its files are not those that the lock states")
		}
		r.Left = append(r.Left, NotTaken{e.Name, err.Error()})
	}
	if len(refused.Refused) > 0 && !o.SkipRefused {
		return nil, refused
	}
	return all, nil
}

// readForeign reads a lock file of another tool. apm.yml states what is wanted, and
// the lock beside it, where there is one, what it was found to be.
func readForeign(file string, data []byte) (locks.List, error) {
	if base := filepath.Base(file); base != "apm.yml" && base != "apm.yaml" {
		return locks.Read(filepath.ToSlash(file), data)
	}
	beside := filepath.Join(filepath.Dir(file), "apm.lock.yaml")
	locked, err := readNear(beside, locks.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return locks.Read(filepath.ToSlash(file), data)
	}
	if err != nil {
		return locks.List{}, err
	}
	return locks.Read(filepath.ToSlash(beside), locked)
}

// lockOther is an entry with other bytes than its lock states.
type lockOther struct{ LockMismatch }

// Error is not shown.
func (e *lockOther) Error() string { return e.Name + " has other bytes" }

// takeOver fetches what an entry names and makes a lock entry of it.
func (c *Client) takeOver(ctx context.Context, ms *market.Markets, e locks.Entry) (taken, error) {
	base, name := e.Source.String(), path.Base(e.Dir)
	if e.Dir == "." {
		name = e.Source.DefaultName()
	}
	at := pkgfmt.Place{Path: e.Dir, Name: name}
	p := Locked{Active: true, Enabled: true, Source: e.Source.Canonical(), Market: e.Source.DefaultName(), Path: e.Dir, Portable: true}
	in := Imported{Name: e.Name, Source: p.Source, Path: e.Dir, Resolved: e.Commit == "" && !source.IsCommit(e.Source.Ref)}
	err := ms.Look(ctx, base, market.Origin{Commit: e.Commit, Path: e.Dir}, at, func(pin source.Pin, id string, t *tree.Tree) error {
		p.Commit = pin.Commit
		v, got, why := e.Sum.Check(t, id)
		switch v {
		case locks.Other:
			return &lockOther{LockMismatch{Name: e.Name, Source: p.Source, Commit: pin.Commit, Want: e.Sum.String(), Got: got, Resolved: in.Resolved}}
		case locks.Same:
			in.Hash = "same"
		default:
			in.HashWhy = why
		}
		pkg := c.loader.Load(t, at)
		if bad, ok := pkg.Problems.ForUse().First(); ok {
			return errors.New(bad.Message + " (" + bad.Rule + ")")
		}
		p.ID, p.Version, p.Digest = pkg.ID(), pkg.Version(), pkg.Digest
		if !isID(p.ID) {
			return fmt.Errorf("its name %q cannot be a plugin id", p.ID)
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s has no directory %q at %s", p.Source, e.Dir, cmp.Or(source.Short(e.Commit), e.Source.Ref, "its default branch"))
	case errors.Is(err, errOffline):
		err = forbidden(e.Name, err)
	}
	in.ID, in.Version, in.Commit, in.Digest = p.ID, p.Version, p.Commit, p.Digest
	return taken{p, in}, err
}
