package pinion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"pinion/market"
	"pinion/pkgfmt"
	"pinion/source"
	"pinion/store"
	"pinion/tree"
)

// SyncOptions are the choices of a sync.
type SyncOptions struct {
	Check  bool // change nothing and report the differences
	DryRun bool // change nothing and report the steps
	Allow  []Grant
}

// SyncReport is the JSON document pinion.sync/v1.
type SyncReport struct {
	Schema      string      `json:"schema"`
	Project     string      `json:"project"`
	Installed   []Installed `json:"installed"`
	Activated   []SyncStep  `json:"activated"`
	Deactivated []SyncStep  `json:"deactivated"`
	Differences []string    `json:"differences"` // with Check
	DryRun      bool        `json:"dryRun"`
	// Hosts are the linked hosts, with what the change did in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// SyncStep is one plugin whose active version changed.
type SyncStep struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Sync brings the project to its lock file: it fetches what is not in the store
// by commit and digest, without any marketplace added, and activates it for
// this project after one consent to all of it. What is active for the project
// and not locked is taken out. The lock file is never written.
func (c *Client) Sync(ctx context.Context, o SyncOptions) (*SyncReport, error) {
	root, err := c.projectRoot()
	if err != nil {
		return nil, err
	}
	l, err := readLock(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("pinion install PLUGIN --activate --project writes it", "there is no %s in %s", LockFile, root)
	}
	if err != nil {
		return nil, err
	}
	r := &SyncReport{
		Schema: "pinion.sync/v1", Project: root, DryRun: o.DryRun, Installed: []Installed{}, Activated: []SyncStep{}, Deactivated: []SyncStep{}, Differences: []string{},
	}
	have, err := c.projectLock(ctx, root, l)
	if err != nil {
		return nil, err
	}
	if o.Check {
		r.Differences = append(r.Differences, lockDifferences(l, have)...)
		return r, nil
	}
	if o.DryRun {
		return r, c.planSync(ctx, root, l, o, r)
	}
	st, ms, _, err := c.state(true)
	if err != nil {
		return nil, err
	}
	if err := st.Prepare(ctx); err != nil {
		return nil, err
	}
	receipts, err := c.syncStore(ctx, st, ms, root, l, o, r)
	if err != nil {
		return nil, err
	}
	err = c.syncPointers(ctx, st, root, l, receipts, o, r)
	if len(r.Activated)+len(r.Deactivated) > 0 {
		r.Hosts = c.updateHosts(ctx, false, false)
	}
	return r, err
}

// syncStore makes sure that every locked build is in the store.
func (c *Client) syncStore(ctx context.Context, st *store.Store, ms *market.Markets, root string, l Lock, o SyncOptions, r *SyncReport) ([]store.Receipt, error) {
	receipts := make([]store.Receipt, len(l.Plugins))
	var batch []store.Placement
	var which []int
	defer func() {
		for _, p := range batch {
			p.Stage.Discard()
		}
	}()
	held := lockGuard{c: c, ms: ms, allow: o.Allow}
	for i, p := range l.Plugins {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := p.build(c.o.Cwd)
		if err != nil {
			return nil, err
		}
		if err := held.published(b, p); err != nil {
			return nil, err
		}
		if receipts[i], err = st.Receipt(b); err == nil {
			continue
		}
		if !errors.Is(err, store.ErrNotInstalled) {
			return nil, err
		}
		if err := held.recorded(b, p); err != nil {
			return nil, err
		}
		placement, err := c.stageLocked(ctx, st, ms, root, p)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", p.ID, p.Version, err)
		}
		batch = append(batch, placement)
		if id, v := placement.Verified.Manifest().ID, placement.Verified.Version(); id != p.ID || v != p.Version {
			return nil, blocked("whoever wrote the lock file runs: pinion lock", "%s calls these bytes %s %s, they are %s %s", LockFile, p.ID, p.Version, id, v)
		}
		which = append(which, i)
	}
	if len(batch) == 0 {
		return receipts, nil
	}
	placed, err := st.Commit(ctx, batch)
	for n, p := range placed {
		receipts[which[n]] = p.Receipt
		r.Installed = append(r.Installed, installed(p.Receipt))
	}
	return receipts, err
}

// build is the identity that a locked plugin has in the store.
func (p Locked) build(cwd string) (store.Build, error) {
	b := store.Build{Key: localKey, ID: p.ID, Version: p.Version, Digest: p.Digest}
	if p.Commit == "" {
		return b, nil
	}
	spec, err := source.Parse(p.Source, cwd)
	b.Key = spec.Key()
	return b, err
}

func (c *Client) stageLocked(ctx context.Context, st *store.Store, ms *market.Markets, root string, p Locked) (store.Placement, error) {
	if p.Commit == "" {
		dir := p.Path
		if p.Portable {
			dir = filepath.Join(root, filepath.FromSlash(p.Path))
		}
		placement, err := c.stagePath(ctx, st, dir)
		if err == nil && placement.Verified.Digest() != p.Digest {
			placement.Stage.Discard()
			return placement, blocked("pinion install "+p.Path+" --activate --project locks what is there now",
				"%s has other bytes than the lock file says", p.Path)
		}
		return placement, err
	}
	entry, err := rawEntry(p.Entry)
	if err != nil {
		return store.Placement{}, err
	}
	base, o := p.origin()
	var placement store.Placement
	err = ms.Fetch(ctx, base, o, func(t *tree.Tree, at pkgfmt.Place) error {
		var err error
		at.Name = p.ID
		placement, err = c.stageTree(ctx, st, t, at, p.Digest)
		return err
	})
	if err != nil {
		return placement, err
	}
	b, err := p.build(c.o.Cwd)
	if err != nil {
		return placement, err
	}
	names, err := c.sourceNames(ctx, ms)
	placement.Key = b.Key
	placement.Origin = store.Origin{
		Source: p.Source, Marketplace: names.of(b.Key, p.Market), Repository: p.Remote, Commit: p.Commit, Path: o.Path,
		Select: p.Select, Entry: entry, Pinned: true,
	}
	return placement, err
}

// syncPointers makes the project's pointers those of the lock, after one
// question about everything that would newly run.
func (c *Client) syncPointers(ctx context.Context, st *store.Store, root string, l Lock, receipts []store.Receipt, o SyncOptions, r *SyncReport) error {
	sc := store.Scope{Project: root}
	if err := c.syncConsent(ctx, st, sc, l, receipts, o.Allow); err != nil {
		return err
	}
	for i, p := range l.Plugins {
		if !p.Active {
			continue
		}
		a, err := c.activate(ctx, st, receipts[i].Build(), ActivateOptions{
			Project: true, Allow: []Grant{GrantExtension, GrantComputer, GrantNewCapability}, why: "sync",
		})
		if err != nil {
			return err
		}
		turned, err := matchEnabled(ctx, st, sc, p)
		if err != nil {
			return err
		}
		if a.Changed || turned && p.Enabled {
			r.Activated = append(r.Activated, SyncStep{ID: p.ID, From: a.Previous, To: p.Version})
		} else if turned {
			r.Deactivated = append(r.Deactivated, SyncStep{ID: p.ID, From: p.Version})
		}
	}
	pointers, _, err := st.Actives(ctx, sc)
	if err != nil {
		return err
	}
	for _, p := range pointers {
		if p.Current == nil || l.active(p.ID) {
			continue
		}
		if _, err := st.Clear(ctx, sc, p.ID); err != nil {
			return err
		}
		r.Deactivated = append(r.Deactivated, SyncStep{ID: p.ID, From: p.Current.Version})
	}
	return nil
}

func (l Lock) has(id string) bool {
	for _, p := range l.Plugins {
		if p.ID == id {
			return true
		}
	}
	return false
}

// active reports whether the lock wants a version of the plugin active.
func (l Lock) active(id string) bool {
	for _, p := range l.Plugins {
		if p.ID == id {
			return p.Active
		}
	}
	return false
}

// matchEnabled switches a plugin on or off as the lock says, and reports whether
// that changed anything.
func matchEnabled(ctx context.Context, st *store.Store, sc store.Scope, p Locked) (bool, error) {
	turn := st.Disable
	if p.Enabled {
		turn = st.Enable
	}
	c, err := turn(ctx, sc, p.ID)
	return c.Changed, err
}

// syncConsent asks once about all plugins that were not agreed to here.
func (c *Client) syncConsent(ctx context.Context, st *store.Store, sc store.Scope, l Lock, receipts []store.Receipt, allow []Grant) error {
	q := Question{Needs: []Grant{GrantExtension, GrantComputer}}
	open := 0
	var steps []step
	for i, rec := range receipts {
		if !l.Plugins[i].Active {
			continue
		}
		// Every plugin passes the gate before the first is activated.
		j, err := c.gate(ctx, st, rec, sc)
		if err != nil {
			return err
		}
		if !rec.Kind.Executable() {
			continue
		}
		p, err := st.Active(ctx, sc, rec.ID)
		if err != nil {
			return err
		}
		if _, ok := p.Consent(rec.Build()); ok {
			continue
		}
		open++
		s := step{to: rec}
		if p.Current != nil {
			if now, err := st.Receipt(*p.Current); err == nil {
				s.from = now
			}
		}
		steps = append(steps, s)
		lines, _ := summary(j.capabilities, nil)
		lines = append(lines, Line{What: "scan", Text: j.report.Summary()})
		for _, line := range lines {
			line.What = rec.ID + " " + rec.Version + ": " + line.What
			q.Lines = append(q.Lines, line)
		}
	}
	if open == 0 || granted(allow, q.Needs...) {
		return nil
	}
	q.Needs = missing(allow, q.Needs)
	q.Show = c.show(st, steps...)
	q.Title = "activating " + plural(open, "plugin") + " of this project"
	return c.ask(q)
}

// fetchReceipt reads the bytes that a receipt records from where they came.
func (c *Client) fetchReceipt(ctx context.Context, r store.Receipt, fn func(t *tree.Tree, at pkgfmt.Place) error) error {
	_, ms, _, err := c.state(true)
	if err != nil {
		return err
	}
	l, err := locked("", r)
	if err != nil {
		return err
	}
	base, o := l.origin()
	return ms.Fetch(ctx, base, o, fn)
}
