package market

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"golang.org/x/sync/errgroup"

	"pinion/pkgfmt"
	"pinion/source"
	"pinion/tree"
)

// Fetch reads the files of a plugin at its recorded commit and calls fn with
// the tree and how to load it. base is the spec of the marketplace's own
// repository, for an origin that names no other. The tree is valid only during
// the call. A commit that is not in the cache any more is fetched again by its
// id.
func (ms *Markets) Fetch(ctx context.Context, base string, o Origin, fn func(t *tree.Tree, at pkgfmt.Place) error) error {
	at := pkgfmt.Place{Name: path.Base(o.Path), Entry: o.Entry, Select: o.Select}
	return ms.readOne(ctx, base, "", o, at, func(_ source.Pin, t *tree.Tree, err error) error {
		if err != nil {
			return fmt.Errorf("%s at %s: %w", o.Path, short(o.Commit), err)
		}
		return fn(t, at)
	})
}

// Look reads the one directory of an origin, at its commit or, without one, at
// what its source names now. id is equal when the directory's content is, "" where
// the source has none. A directory that is not there is fs.ErrNotExist. The tree is
// valid only during the call.
func (ms *Markets) Look(ctx context.Context, base string, o Origin, at pkgfmt.Place, fn func(pin source.Pin, id string, t *tree.Tree) error) error {
	return ms.opened(ctx, base, "", o, func(snap source.Snapshot) error {
		id := ""
		if o.Path != "." {
			ids, err := snap.TreeIDs(ctx, path.Dir(o.Path))
			if err != nil {
				return err
			}
			id = ids[path.Base(o.Path)]
		}
		req := source.Request{Dir: o.Path, Options: ms.o.Loader.Options(at)}
		return snap.Trees(ctx, []source.Request{req}, func(_ int, t *tree.Tree, err error) error {
			if err != nil {
				return err
			}
			return fn(snap.Pin(), id, t)
		})
	})
}

// readOne opens the repository of an origin and reads its one directory.
func (ms *Markets) readOne(ctx context.Context, base, held string, o Origin, at pkgfmt.Place, fn func(source.Pin, *tree.Tree, error) error) error {
	return ms.opened(ctx, base, held, o, func(snap source.Snapshot) error {
		req := source.Request{Dir: o.Path, Options: ms.o.Loader.Options(at)}
		return snap.Trees(ctx, []source.Request{req}, func(_ int, t *tree.Tree, err error) error {
			return fn(snap.Pin(), t, err)
		})
	})
}

// opened opens the source of an origin. held is the key of the source whose lock
// the caller has, "" for none: an entry may point to the repository that its
// catalog is in.
func (ms *Markets) opened(ctx context.Context, base, held string, o Origin, fn func(source.Snapshot) error) error {
	spec, err := source.Parse(cmp.Or(o.Spec, base), ms.o.Cwd)
	if err != nil {
		return err
	}
	key := spec.Key()
	if key != held {
		unlock, err := ms.lock(ctx, key)
		if err != nil {
			return err
		}
		defer unlock()
	}
	src, err := ms.o.Open(spec, ms.strange(base, o))
	if err != nil {
		return err
	}
	pin := source.Pin{Commit: o.Commit}
	if o.Commit == "" {
		if pin, err = src.Resolve(ctx, source.Pin{}); err != nil {
			return err
		}
	}
	snap, err := src.Open(ctx, pin, ms.cache(key))
	if err != nil {
		return err
	}
	defer snap.Close()
	return fn(snap)
}

// strange reports whether an address was chosen by a catalog and leads to
// another host than the catalog's own: it must then be a public one, or a
// catalog could make this machine ask its neighbours (security 3.3 row 55).
func (ms *Markets) strange(base string, o Origin) bool {
	if o.Spec == "" {
		return false
	}
	b, err := source.Parse(base, ms.o.Cwd)
	if err != nil {
		return true
	}
	s, err := source.Parse(o.Spec, ms.o.Cwd)
	switch {
	case err != nil:
		return true
	case s.Kind == source.NPM && s.Registry == "":
		return false // the user's own registry
	case b.Local() && s.Loopback():
		return false // both are on this machine
	}
	return s.Host() != b.Host()
}

// Settle makes sure of a plugin that was not read yet: it is fetched at its
// pinned commit, or at what its ref names now, judged, and entered in the
// ledger. A plugin that is already verified is returned as it is. Bytes that
// are not the published ones are a [*RefusedError].
func (ms *Markets) Settle(ctx context.Context, m *Market, p Plugin) (Plugin, error) {
	if p.Status != Elsewhere && p.Status != Listed {
		return p, nil
	}
	stated := p
	if err := ms.settle(ctx, m.Spec, "", &p); err != nil {
		return p, err
	}
	if stated.Published && p.Status == Ready {
		if err := published(m, stated, &p); err != nil {
			return p, err
		}
	}
	unlock, err := ms.lock(ctx, m.Key)
	if err != nil {
		return p, err
	}
	defer unlock()
	ledger, err := ms.ledger(m.Key, m.Ledger)
	if err != nil {
		return p, err
	}
	j := &judge{ms: ms, ledger: ledger, title: m.Source}
	j.remember(&p)
	return p, ms.record(m.Key, ledger, j.facts)
}

// Asks reports whether the catalog does not say what there is of a plugin.
func (p *Plugin) Asks() bool { return p.Status == Elsewhere || p.Status == Ready && p.Floating }

// News is [Markets.Settle] for a plugin that asks and of which the commit is in
// use already: ok is false when that is still what there is, which mostly takes
// one small request.
func (ms *Markets) News(ctx context.Context, m *Market, p Plugin, commit string) (now Plugin, ok bool, err error) {
	if p.Floating { // it may have been read before
		p.Status, p.Origin.Commit = Elsewhere, ""
		spec, err := source.Parse(p.Origin.Spec, ms.o.Cwd)
		if err != nil {
			return p, false, err
		}
		src, err := ms.o.Open(spec, ms.strange(m.Spec, p.Origin))
		if err != nil {
			return p, false, err
		}
		pin, err := src.Resolve(ctx, source.Pin{Commit: commit})
		if err != nil || pin.Commit == commit && commit != "" {
			return p, false, err
		}
	} else if p.Origin.Commit == commit {
		return p, false, nil
	}
	now, err = ms.Settle(ctx, m, p)
	return now, err == nil && now.Origin.Commit != commit, err
}

// published compares what was read with what the catalog states.
func published(m *Market, stated Plugin, p *Plugin) error {
	if p.Version != stated.Version {
		p.unavailable(ruleDisagrees.Report("the catalog says %s %s, the package says %s", stated.ID, stated.Version, p.Version))
		return nil
	}
	if p.Digest == stated.Digest {
		return nil
	}
	return &RefusedError{Market: m.Name, Source: m.Source, Previous: m.State.Pin.Commit, Offered: p.Origin.Commit, Refused: []Refusal{{
		ID: p.ID, Version: p.Version, Rule: ruleMismatch.ID, Recorded: stated.Digest, RecordedCommit: p.Origin.Commit,
		Offered: p.Digest, OfferedCommit: p.Origin.Commit,
	}}}
}

// settle fetches and judges one plugin of another repository. Content problems
// make it unavailable; an error means that the repository could not be read.
func (ms *Markets) settle(ctx context.Context, base, held string, p *Plugin) error {
	at := pkgfmt.Place{Path: p.Origin.Path, Name: p.ID, Entry: p.Origin.Entry, Select: p.Origin.Select}
	return ms.readOne(ctx, base, held, p.Origin, at, func(pin source.Pin, t *tree.Tree, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, tree.ErrNotDirectory) {
			p.unavailable(ruleNoDirectory.Report("%s has no directory %q at %s", p.Origin.Spec, p.Origin.Path, short(pin.Commit)))
			return nil
		}
		if err != nil {
			return err
		}
		p.Status, p.Origin.Commit = Ready, pin.Commit
		p.read(ms.o.Loader.Load(t, at))
		return nil
	})
}

// deep settles every plugin that lives elsewhere, a few repositories at a time.
// One that cannot be read is unavailable and the others go on. The caller holds
// the lock of the source with the key.
func (ms *Markets) deep(ctx context.Context, base, key string, j *judge, plugins []Plugin) error {
	var todo []*Plugin
	for i := range plugins {
		if plugins[i].Status == Elsewhere {
			todo = append(todo, &plugins[i])
		}
	}
	const atOnce = 4 // repositories; each is one or two short transfers
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	var own sync.Mutex // the cache of the marketplace's own repository has one user at a time
	for n, p := range todo {
		g.Go(func() error {
			if spec, err := source.Parse(p.Origin.Spec, ms.o.Cwd); err == nil && spec.Key() == key {
				own.Lock()
				defer own.Unlock()
			}
			err := ms.settle(gctx, base, key, p)
			ms.o.Progress(p.Origin.Spec, n+1, len(todo))
			if err != nil && gctx.Err() == nil {
				rule := ruleUnreachable
				if _, other := errors.AsType[*source.IntegrityError](err); other {
					rule = ruleIntegrity
				}
				p.unavailable(rule.Report("%v", err))
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, p := range todo {
		j.remember(p)
	}
	return nil
}
