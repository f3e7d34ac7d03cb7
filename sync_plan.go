package pinion

import (
	"context"
	"errors"
	"slices"

	"pinion/store"
)

// planSync says what a sync would do, from what is on disk. What the lock may
// not bring is refused as a sync would.
func (c *Client) planSync(ctx context.Context, root string, l Lock, o SyncOptions, r *SyncReport) error {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return err
	}
	var pointers []store.Pointer
	if ok {
		if pointers, _, err = st.Actives(ctx, store.Scope{Project: root}); err != nil {
			return err
		}
	}
	guard := lockGuard{c: c, ms: ms, allow: o.Allow}
	for _, p := range l.Plugins {
		b, err := p.build(c.o.Cwd)
		if err != nil {
			return err
		}
		there := false
		if ok {
			if err := guard.published(b, p); err != nil {
				return err
			}
			_, err := st.Receipt(b)
			if there = err == nil; !there && !errors.Is(err, store.ErrNotInstalled) {
				return err
			}
		}
		if !there {
			r.Installed = append(r.Installed, Installed{ID: p.ID, Version: p.Version, Marketplace: p.Market, Digest: p.Digest, Pinned: true})
		}
		step := SyncStep{ID: p.ID, To: p.Version}
		i := slices.IndexFunc(pointers, func(q store.Pointer) bool { return q.ID == p.ID && q.Current != nil })
		if i >= 0 {
			step.From = pointers[i].Current.Version
		}
		switch {
		case !p.Active:
		case i < 0 || *pointers[i].Current != b || p.Enabled && !pointers[i].Enabled:
			r.Activated = append(r.Activated, step)
		case pointers[i].Enabled && !p.Enabled:
			r.Deactivated = append(r.Deactivated, SyncStep{ID: p.ID, From: p.Version})
		}
	}
	for _, p := range pointers {
		if p.Current != nil && !l.active(p.ID) {
			r.Deactivated = append(r.Deactivated, SyncStep{ID: p.ID, From: p.Current.Version})
		}
	}
	return nil
}
