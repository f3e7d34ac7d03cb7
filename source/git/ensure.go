package git

import (
	"context"
	"errors"
	"fmt"

	"pinion/source"
)

// ensure looks up the sizes of the items and fetches those that are not here.
func (s *snapshot) ensure(ctx context.Context, items []*item) error {
	missing, err := s.measure(ctx, items)
	if err != nil || len(missing) == 0 {
		return err
	}
	if s.remote == nil {
		return fmt.Errorf("%w: object %s is missing", errCorrupt, missing[0].id)
	}
	ids := distinct(missing)
	whole, err := s.wantsWhole(ctx, len(ids))
	if err != nil {
		return err
	}
	switch {
	case whole && len(ids) <= fewFiles:
		err = s.remote.fetchAll(ctx, wholeCount, min(s.limits.Pack, wholeBytes))
	case whole:
		err = s.remote.fetchWhole(ctx)
	}
	if !whole || errors.Is(err, source.ErrTooLarge) {
		err = s.remote.fetchBlobs(ctx, ids)
	}
	if err != nil {
		return err
	}
	if missing, err = s.measure(ctx, missing); err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w: object %s of %q was not sent", errCorrupt, missing[0].id, missing[0].path)
	}
	return err
}

// wantsWhole reports whether all blobs of the commit are fetched when n of them
// are missing: of a small repository, so that it is one request; and when it is
// most of them, because a server finds a whole commit faster, and what follows
// it can then be sent as differences.
func (s *snapshot) wantsWhole(ctx context.Context, n int) (bool, error) {
	switch {
	case s.remote.r.wire == nil:
		return false, nil
	case n > manyWants:
		return true, nil
	case s.remote.isPartial():
		return false, nil
	case n <= fewFiles:
		if !s.remote.fresh || s.remote.here == nil || s.remote.large {
			return false, nil
		}
		_, err := s.walk(ctx, s.root, fewFiles)
		if errors.Is(err, source.ErrTooLarge) {
			return false, nil
		}
		return err == nil, err
	}
	all, err := s.everything(ctx)
	if errors.Is(err, source.ErrTooLarge) {
		return false, nil
	}
	return 2*n > len(all), err
}

// manySizes is from how many questions for sizes the start of a git pays.
const manySizes = 2_000

// measure sets the sizes and returns the items that are not here.
func (s *snapshot) measure(ctx context.Context, items []*item) (missing []*item, err error) {
	var ask []*item
	for _, it := range items {
		if s.remote != nil && s.remote.here != nil && !s.remote.here[it.id] {
			missing = append(missing, it)
		} else {
			ask = append(ask, it)
		}
	}
	if len(ask) == 0 {
		return missing, nil
	}
	r, err := s.reading()
	if len(ask) >= manySizes {
		r, err = s.bulkReading() // much is going to be read
	}
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(ask))
	for i, it := range ask {
		ids[i] = it.id
	}
	sizes, err := r.sizes(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, it := range ask {
		if it.size = sizes[i]; it.size < 0 {
			missing = append(missing, it)
		}
	}
	return missing, nil
}

func distinct(items []*item) []string {
	seen := make(map[string]bool, len(items))
	var ids []string
	for _, it := range items {
		if !seen[it.id] {
			seen[it.id] = true
			ids = append(ids, it.id)
		}
	}
	return ids
}
