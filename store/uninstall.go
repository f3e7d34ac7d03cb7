package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Uninstall removes one build: its directory, its receipt and its steps in every
// history. Without force it refuses, with [ErrActive] or [ErrHeld], what any
// scope has active or holds; with force a scope that has it active has nothing
// active afterwards. When it was the last build of its id the pointers go too.
//
// The digest of b may be zero for a build whose receipt is damaged; then the
// version must be the only build of its name.
func (s *Store) Uninstall(ctx context.Context, b Build, force bool) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	dir, err := s.locate(ctx, b)
	if err != nil {
		return err
	}
	at, err := ParseDir(dir)
	if err != nil {
		return err
	}
	users, err := s.users(ctx, at, force)
	if err != nil {
		return err
	}
	note, err := s.note()
	if err != nil {
		return fmt.Errorf("uninstall %s: %w", b.Ref(), err)
	}
	// First what points at it, for a pointer to nothing would be worse than a
	// plugin that is installed and not active.
	for _, p := range users {
		p.Current = nil
		if err = s.writePointer(p); err != nil {
			break
		}
	}
	if err == nil {
		err = s.remove(dir)
	}
	if err == nil {
		err = s.prune(ctx, b.ID)
	}
	if err == nil && force {
		err = s.dropDamaged(ctx, b.ID)
	}
	s.done(note, err == nil)
	if err != nil {
		return fmt.Errorf("uninstall %s: %w", b.Ref(), err)
	}
	return nil
}

// remove takes the receipt away, which is the moment of the uninstallation, and
// then the tree, which is garbage from there on.
func (s *Store) remove(dir string) error {
	receipt := receiptOf(dir)
	if info, err := s.home.Lstat(receipt); err == nil {
		if info.IsDir() {
			err = s.home.RemoveAll(receipt) // planted: no receipt is one
		} else {
			err = s.home.Remove(receipt)
		}
		if err != nil {
			return err
		}
	}
	err := s.removeTree(dir)
	if err == nil {
		err = s.removeEmpty(path.Dir(receipt), receiptsDir)
	}
	if err != nil {
		return fmt.Errorf("it is no longer installed, what is left will be removed by the next command: %w", err)
	}
	return nil
}

// locate finds the directory of a build that has a tree or a receipt.
func (s *Store) locate(ctx context.Context, b Build) (dir string, err error) {
	var found []string
	for _, top := range []string{receiptsDir, packagesDir} {
		err := s.walk(ctx, top, b.ID, func(name string, _ fs.DirEntry) error {
			at, err := ParseDir(name)
			if err != nil || at.Key != b.Key || at.Version != b.Version || !b.Digest.IsZero() && b.Digest.Hex(shortLen) != at.Short {
				return nil
			}
			dir := path.Join(packagesDir, escape(at.Key), escape(at.ID), escape(at.Version+"+"+at.Short))
			if !slices.Contains(found, dir) {
				found = append(found, dir)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	switch {
	case len(found) == 0:
		return "", notInstalled(b)
	case len(found) > 1:
		return "", fmt.Errorf("uninstall %s: there are %d builds of this version, name one by its digest", b.Ref(), len(found))
	}
	if !b.Digest.IsZero() {
		// The same first digits are not the same build.
		if r, damage, err := s.readReceipt(receiptOf(found[0])); err == nil && damage == nil && r.Build() != b {
			return "", notInstalled(b)
		}
	}
	return found[0], nil
}

// users returns the pointers at a location, or refuses without force.
func (s *Store) users(ctx context.Context, at Location, force bool) ([]Pointer, error) {
	all, damaged, err := s.pointers(ctx, at.ID)
	if err != nil {
		return nil, err
	}
	if len(damaged) > 0 && !force {
		return nil, &DamageError{damaged[0]} // it may point at the build
	}
	var users []Pointer
	var names []string
	for _, p := range all {
		if c := p.Current; c != nil && c.Key == at.Key && c.Version == at.Version && c.Digest.Hex(shortLen) == at.Short {
			users = append(users, p)
			names = append(names, p.Scope().String())
		}
		if p.Held && !force {
			return nil, &Refusal{
				Reason:  ErrHeld,
				Message: fmt.Sprintf("%s is held (%s)", at.ID, p.Scope()),
				Hint:    fmt.Sprintf("run: pinion unhold %s, or add --force", at.ID),
			}
		}
	}
	if len(users) > 0 && !force {
		return nil, &Refusal{
			Reason:  ErrActive,
			Message: fmt.Sprintf("%s %s is active (%s)", at.ID, at.Version, strings.Join(names, ", ")),
			Hint:    "activate another version first, or add --force",
		}
	}
	return users, nil
}

// prune takes the steps of builds that are no longer installed out of the
// histories of an id, or of all with "", and removes the pointers of plugins of
// which nothing is left. What an upgrade passes over stays remembered until then.
func (s *Store) prune(ctx context.Context, id string) error {
	all, _, err := s.pointers(ctx, id)
	if err != nil {
		return err
	}
	for _, p := range all {
		gone, err := s.goneSteps(p)
		if err != nil {
			return err
		}
		there := p.Current != nil
		if !there {
			if there, err = s.installed(ctx, p.ID); err != nil {
				return err
			}
		}
		switch {
		case !there:
			err = s.removePointer(p)
		case len(gone) > 0:
			p.History = slices.DeleteFunc(p.History, func(st Step) bool { return gone[st.Build] })
			err = s.writePointer(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// goneSteps returns the builds of a history that have no receipt. The current
// one is not among them: it is damaged and not gone.
func (s *Store) goneSteps(p Pointer) (map[Build]bool, error) {
	gone := map[Build]bool{}
	for _, st := range p.History {
		if p.Current != nil && st.Build == *p.Current {
			continue
		}
		_, err := s.home.Lstat(st.Build.ReceiptPath())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			gone[st.Build] = true
		case err != nil:
			return nil, err
		}
	}
	return gone, nil
}

// dropDamaged removes pointers that cannot be read once nothing of the id is
// installed: the user has forced it, and they can point at nothing.
func (s *Store) dropDamaged(ctx context.Context, id string) error {
	there, err := s.installed(ctx, id)
	if err != nil || there {
		return err
	}
	_, damaged, err := s.pointers(ctx, id)
	if err != nil {
		return err
	}
	for _, d := range damaged {
		if d.Newer {
			continue
		}
		if err := s.home.RemoveAll(d.name); err != nil {
			return err
		}
	}
	return nil
}
