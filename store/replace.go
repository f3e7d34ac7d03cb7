package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Replace puts a verified copy in the place of a damaged build: the directory is
// exchanged in one step, and a damaged or missing receipt is written again. The
// build must have the digest that its receipt, where it can be read, has.
func (s *Store) Replace(ctx context.Context, p Placement) (Receipt, error) {
	it, err := s.item(p)
	if err != nil {
		return Receipt{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Receipt{}, err
	}
	defer unlock()
	old, damage, err := s.readReceipt(it.build.ReceiptPath())
	good := err == nil && damage == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Receipt{}, err
	case damage != nil && damage.Newer:
		return Receipt{}, &DamageError{*damage}
	case good && old.Build() != it.build:
		return Receipt{}, occupied(s, it.build)
	}
	it.tree, it.fix = true, err == nil
	if _, err := s.home.Lstat(it.build.Dir()); errors.Is(err, fs.ErrNotExist) {
		if err := s.place([]*item{it}); err != nil {
			return Receipt{}, err
		}
		return it.receipt, nil
	}
	note, err := s.note()
	if err != nil {
		return Receipt{}, fmt.Errorf("repair %s: %w", it.build.Ref(), err)
	}
	err = s.prepare(note, []*item{it})
	if err == nil {
		err = s.home.ReplaceTree(it.Stage.fsx.Name, it.build.Dir())
	}
	if err == nil && !good {
		err = s.home.WriteFile(it.build.ReceiptPath(), it.data, 0o600)
	}
	s.done(note, err == nil)
	if err != nil {
		return Receipt{}, fmt.Errorf("repair %s: %w", it.build.Ref(), err)
	}
	it.Stage.Discard()
	if good {
		return old, nil
	}
	return it.receipt, nil
}
