package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"pinion/internal/fsx"
)

// A change of the store that takes more than one step first makes an empty
// stage, its note, and removes it at the end. A note whose process is gone is
// the sign that trees without receipts may be there, so that the store is
// searched for them only then and an ordinary activation costs the same however
// many versions there are.

// note begins a change of several steps.
func (s *Store) note() (*fsx.Stage, error) {
	st, err := s.home.Stage()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live[path.Base(st.Name)] = true
	return st, nil
}

// done ends a change. When its clean-up did not work the note stays.
func (s *Store) done(note *fsx.Stage, clean bool) {
	if !clean {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stuck = append(s.stuck, note)
		return
	}
	s.release(note)
}

// release gives a stage back. What cannot be removed is a leftover like any
// other, and removed by a later write.
func (s *Store) release(st *fsx.Stage) {
	_ = st.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, path.Base(st.Name))
}

// leftovers reports whether staging holds anything that is not in use by s.
func (s *Store) leftovers() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.stuck) > 0 {
		return true
	}
	entries, err := s.readDir(stagingDir)
	if err != nil {
		return false // whoever writes there next meets the reason
	}
	for _, e := range entries {
		if !s.live[strings.TrimSuffix(e.Name(), ".lock")] {
			return true
		}
	}
	return false
}

// heal removes what killed processes left behind, if anything. The caller holds
// the lock. What cannot be removed stays for later and for [Store.GC], which
// reports it: it is in nobody's way.
func (s *Store) heal() {
	if !s.leftovers() {
		return
	}
	// The context of the caller does not count: this is not the caller's work.
	ctx := context.Background()
	if err := s.sweep(ctx); err != nil {
		return // the notes stay
	}
	s.mu.Lock()
	stuck := s.stuck
	s.stuck = nil
	s.mu.Unlock()
	for _, st := range stuck {
		s.release(st)
	}
	// Nothing depends on it: see above.
	_, _ = s.home.CleanStaging()
}

// sweep removes trees without receipts, finishes cut-off replacements, and takes
// out of the histories what is no longer installed.
func (s *Store) sweep(ctx context.Context) error {
	garbage, err := s.garbage(ctx)
	if err != nil {
		return err
	}
	for _, g := range garbage {
		if err := s.removeTree(g); err != nil {
			return err
		}
	}
	if err := s.prune(ctx, ""); err != nil {
		return err
	}
	return s.tidy()
}

// tidy removes the directories of keys, ids and projects that hold nothing.
func (s *Store) tidy() error {
	for _, top := range []string{packagesDir, receiptsDir, projectsDir} {
		keys, err := s.readDir(top)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if !key.IsDir() {
				continue
			}
			dir := path.Join(top, key.Name())
			ids, err := s.readDir(dir)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if id.IsDir() {
					err = errors.Join(err, s.removeEmpty(path.Join(dir, id.Name()), top))
				}
			}
			if len(ids) == 0 {
				err = s.removeEmpty(dir, top)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// garbage returns the directories of packages that have no receipt and are not
// in use. On the way it finishes replacements that were cut off.
func (s *Store) garbage(ctx context.Context) ([]string, error) {
	var trees []string
	err := s.walk(ctx, packagesDir, "", func(name string, e fs.DirEntry) error {
		if base, ok := strings.CutSuffix(name, asideSuffix); ok && e.IsDir() {
			if _, err := ParseDir(base); err != nil {
				return nil
			}
			return s.home.RecoverSwap(base)
		}
		at, err := ParseDir(name)
		if err != nil || !e.IsDir() {
			return nil // not ours: GC and Verify say so
		}
		if _, err := s.home.Lstat(receiptOf(name)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, s.home.Seal(name))
		}
		used, err := s.inUse(ctx, at)
		if !used && err == nil {
			trees = append(trees, name)
		}
		return err
	})
	return trees, err
}

// asideSuffix is what fsx adds to a directory that is being replaced, where two
// directories cannot be exchanged in one step.
const asideSuffix = ".old"

// receiptOf returns the receipt of the build in a directory.
func receiptOf(dir string) string {
	return receiptsDir + strings.TrimPrefix(dir, packagesDir) + ".json"
}

// inUse reports whether a pointer names a build at this location. A pointer of
// the id that cannot be read might, so it counts.
func (s *Store) inUse(ctx context.Context, at Location) (bool, error) {
	all, damaged, err := s.pointers(ctx, at.ID)
	if err != nil {
		return true, err
	}
	for _, p := range all {
		if c := p.Current; c != nil && c.Key == at.Key && c.Version == at.Version && c.Digest.Hex(shortLen) == at.Short {
			return true, nil
		}
	}
	return len(damaged) > 0, nil
}

// removeTree removes a directory of packages and its parents when it was the
// last in them.
func (s *Store) removeTree(dir string) error {
	if err := s.home.RemoveAll(dir); err != nil {
		return err
	}
	return s.removeEmpty(path.Dir(dir), packagesDir)
}

// removeEmpty removes dir and its parents up to top, which stays, as far as
// they are empty.
func (s *Store) removeEmpty(dir, top string) error {
	for ; dir != top; dir = path.Dir(dir) {
		entries, err := s.readDir(dir)
		if err != nil || len(entries) > 0 {
			return err
		}
		if err := s.home.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
