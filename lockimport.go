package pinion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/locks"
	"pinion/problem"
	"pinion/tree"
)

// Imported is one plugin that was taken over from another lock file.
type Imported struct {
	Name    string        `json:"name"` // as that file calls it
	ID      string        `json:"id"`
	Version string        `json:"version"`
	Source  string        `json:"source"`
	Commit  string        `json:"commit"`
	Path    string        `json:"path"`
	Digest  hashes.Digest `json:"digest"`
	// Resolved is true when that file names no commit, and the one of now was taken.
	Resolved bool `json:"resolved"`
	// Hash is "same" when the digest in that file is the one of the files, "" when
	// it has none or one that cannot be compared, and then HashWhy says why.
	Hash    string `json:"hash"`
	HashWhy string `json:"hashWhy"`
	Already bool   `json:"already"` // it was locked before
}

// NotTaken is an entry of another lock file that was left out.
type NotTaken struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// ImportLockOptions are the choices of [Client.ImportLock].
type ImportLockOptions struct {
	DryRun bool
	// SkipRefused takes the rest when the bytes of some entries are not those that
	// their lock file states.
	SkipRefused bool
}

// ImportLock adds the plugins of another lock file to the project's own and
// writes it; sync then installs them. The lock file is a pinion.lock, or one of
// another tool that package locks reads: then each package is fetched once, for
// its digest, and what cannot be taken over is in the report. Bytes that are not
// the ones such a file states are a [*LockMismatchError].
func (c *Client) ImportLock(ctx context.Context, file string, o ImportLockOptions) (*LockReport, error) {
	root, err := c.projectRoot()
	if err != nil {
		return nil, err
	}
	file = c.abs(file)
	data, err := readNear(file, lockLimit)
	if err != nil {
		return nil, err
	}
	r := &LockReport{Schema: "pinion.lock-report/v1", Path: filepath.Join(root, LockFile), Problems: problem.List{}}
	var own Lock
	var foreign []taken
	if locks.Knows(file, data) {
		// Before the home is locked: the lock of a source goes before that.
		foreign, err = c.takeAll(ctx, file, data, o, r)
	} else {
		own, err = parseLock(file, data)
	}
	if err != nil {
		return r, err
	}
	if !o.DryRun {
		unlock, err := c.exclude(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	have, err := readLock(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	have.Schema = lockSchema
	have.merge(foreign, r)
	if err := have.join(own, file, r); err != nil {
		return nil, err
	}
	slices.SortFunc(have.Plugins, func(a, b Locked) int { return strings.Compare(a.ID, b.ID) })
	r.Plugins = have.Plugins
	if r.Plugins == nil {
		r.Plugins = []Locked{}
	}
	if o.DryRun || !r.Changed {
		return r, nil
	}
	return r, c.saveLock(root, have)
}

// readNear reads a file that the user named, without following a link at its end.
func readNear(file string, limit int64) ([]byte, error) {
	d, err := tree.OpenDir(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadFile(filepath.Base(file), limit)
}

// join adds the plugins of another project's pinion.lock.
func (l *Lock) join(more Lock, file string, r *LockReport) error {
	for _, p := range more.Plugins {
		i := slices.IndexFunc(l.Plugins, func(q Locked) bool { return q.ID == p.ID })
		switch {
		case p.Commit == "":
			return blocked("lock it from a marketplace", "%s %s lies in a directory of the other project", p.ID, p.Version)
		case i < 0:
			l.Plugins = append(l.Plugins, p)
			r.Changed = true
		case l.Plugins[i].Digest != p.Digest:
			return blocked("remove one of the two entries", "%s is locked at %s here and at %s in %s", p.ID, l.Plugins[i].Version, p.Version, file)
		}
	}
	return nil
}

// merge adds what was taken over from another tool's lock file.
func (l *Lock) merge(all []taken, r *LockReport) {
	for _, t := range all {
		i := slices.IndexFunc(l.Plugins, func(q Locked) bool { return q.ID == t.locked.ID })
		switch {
		case i < 0:
			l.Plugins = append(l.Plugins, t.locked)
			r.Changed = true
		case l.Plugins[i].Digest == t.locked.Digest:
			t.report.Already = true
		default:
			r.Left = append(r.Left, NotTaken{t.report.Name, fmt.Sprintf("%s is locked here already, with other bytes (%s)", t.locked.ID, l.Plugins[i].Version)})
			continue
		}
		r.Imported = append(r.Imported, t.report)
	}
}
