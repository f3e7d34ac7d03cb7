package pinion

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/market"
	"pinion/store"
)

// OutdatedReport is the JSON document pinion.outdated/v1.
type OutdatedReport struct {
	Schema    string           `json:"schema"`
	Plugins   []Outdated       `json:"plugins"`
	Refreshed []*market.Report `json:"refreshed"`
	Failed    []RefreshFailure `json:"failed"`
}

// Outdated is one active plugin that is not the newest.
type Outdated struct {
	ID          string        `json:"id"`
	Marketplace string        `json:"marketplace"`
	Active      string        `json:"active"`
	Newest      string        `json:"newest"`
	Digest      hashes.Digest `json:"digest"` // of the newest
	Kind        manifest.Kind `json:"kind"`
	Scope       string        `json:"scope"`
	// Passed says why a bare upgrade leaves the plugin alone: "held",
	// "rolled back", "skipped", "rewritten", "disabled", "unavailable: RULE",
	// "unknown: WHY" when the catalog or the receipt cannot be read; "" when it
	// would be upgraded.
	Passed string `json:"passed"`

	pointer store.Pointer
	plugin  market.Plugin
	market  *market.Market
	err     error // why it is not known whether there is a newer one
}

// Outdated compares what is active with the catalogs, which are refreshed
// first unless the client is offline. A marketplace that cannot be refreshed is
// reported and compared as it is.
func (c *Client) Outdated(ctx context.Context, project bool) (*OutdatedReport, error) {
	return c.outdated(ctx, project, !c.o.Offline)
}

func (c *Client) outdated(ctx context.Context, project, refresh bool) (*OutdatedReport, error) {
	r := &OutdatedReport{Schema: "pinion.outdated/v1", Plugins: []Outdated{}, Refreshed: []*market.Report{}, Failed: []RefreshFailure{}}
	st, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	if refresh {
		got, err := c.MarketplaceRefresh(ctx, nil, market.RefreshOptions{})
		if got != nil {
			r.Refreshed, r.Failed = got.Marketplaces, got.Failed
		}
		if err != nil && (got == nil || len(got.Failed) == 0) {
			return r, err
		}
		if st, ms, _, err = c.state(false); err != nil {
			return r, err
		}
	}
	sc, err := c.scope(project)
	if err != nil {
		return r, err
	}
	pointers, _, err := st.Actives(ctx, sc)
	if err != nil {
		return r, err
	}
	for _, p := range pointers {
		o, ok, err := c.compareActive(ctx, ms, st, p, refresh)
		if err != nil {
			return r, err
		}
		if ok {
			r.Plugins = append(r.Plugins, o)
		}
	}
	return r, nil
}

// compareActive holds one active plugin against its marketplace. With ask, one
// that lives elsewhere without a pin is asked for there: the catalog does not say
// what is new of it.
func (c *Client) compareActive(ctx context.Context, ms *market.Markets, st *store.Store, p store.Pointer, ask bool) (Outdated, bool, error) {
	if p.Current == nil || p.Current.Key == localKey {
		return Outdated{}, false, nil
	}
	m, err := ms.ByKey(p.Current.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return Outdated{}, false, nil // the marketplace was removed
	}
	var in store.Receipt
	if err == nil {
		in, err = st.Receipt(*p.Current)
	}
	if err != nil {
		// The others go on, but nobody may be told that this one is the newest.
		return Outdated{
			ID: p.ID, Active: p.Current.Version, Kind: in.Kind, Scope: p.Scope().String(),
			Passed: "unknown: " + err.Error(), err: err, pointer: p,
		}, true, nil
	}
	to, ok := newestOf(m, renamed(m, p.ID))
	if !ok {
		return Outdated{}, false, nil
	}
	if ask && to.Asks() {
		if to, ok, err = ms.News(ctx, m, to, in.Origin.Commit); err != nil {
			return Outdated{
				ID: p.ID, Marketplace: m.Name, Active: in.Version, Kind: in.Kind, Scope: p.Scope().String(),
				Passed: "unknown: " + err.Error(), err: err, pointer: p,
			}, true, ctx.Err()
		}
		if !ok {
			return Outdated{}, false, nil
		}
	}
	rewritten := to.Version == in.Version && !to.Digest.IsZero() && to.Digest != in.Digest
	if !rewritten && !newer(to, in) {
		return Outdated{}, false, nil
	}
	o := Outdated{
		ID: p.ID, Marketplace: m.Name, Active: in.Version, Newest: to.Version, Digest: to.Digest, Kind: to.Kind,
		Scope: p.Scope().String(), pointer: p, plugin: to, market: m,
	}
	next := store.Build{Key: m.Key, ID: to.ID, Version: to.Version, Digest: to.Digest}
	switch {
	case to.Status == market.Unavailable:
		o.Passed = "unavailable: " + to.Rule
	case p.Held:
		o.Passed = "held"
	case p.HasPassed(next):
		o.Passed = "rolled back"
	case p.HasSkipped(next):
		o.Passed = "skipped"
	case (rewritten || to.Rewritten) && !accepted(st, next):
		o.Passed = "rewritten"
	case !p.Enabled:
		o.Passed = "disabled"
	}
	return o, true, nil
}

// accepted reports whether the user has exactly this build already, from its
// marketplace: that these bytes are not the first under their version was asked
// then. What a lock file brought was not chosen by the user.
func accepted(st *store.Store, b store.Build) bool {
	if b.Digest.IsZero() {
		return false
	}
	r, err := st.Receipt(b)
	return err == nil && !onlyLocked(r)
}

// UpgradeOptions are the choices of an upgrade.
type UpgradeOptions struct {
	Project bool
	Allow   []Grant
	DryRun  bool
}

// UpgradeReport is the JSON document pinion.upgrade/v1.
type UpgradeReport struct {
	Schema   string           `json:"schema"`
	Upgraded []Upgraded       `json:"upgraded"`
	Passed   []Outdated       `json:"passed"`
	Stopped  []UpgradeStop    `json:"stopped"`
	Failed   []RefreshFailure `json:"failed"` // marketplaces that could not be refreshed
	DryRun   bool             `json:"dryRun"`
	// Hosts are the linked hosts, with what the change did in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// Upgraded is one plugin that has a newer version active.
type Upgraded struct {
	ID          string        `json:"id"`
	Marketplace string        `json:"marketplace"`
	From        string        `json:"from"`
	To          string        `json:"to"`
	Digest      hashes.Digest `json:"digest"`
}

// UpgradeStop is one plugin that stayed as it was, with the reason.
type UpgradeStop struct {
	ID    string `json:"id"`
	To    string `json:"to"`
	Error string `json:"error"`
	Err   error  `json:"-"`
}

// Upgrade installs and activates the newest version of the named plugins, or of
// every active one. Only a new capability or rewritten bytes are asked about,
// one plugin at a time; to either the user may answer [Skip]. Held plugins, and
// versions that were rolled back from or skipped, are passed over unless named. One plugin that stops does not stop the others;
// the first such error is returned with the report.
func (c *Client) Upgrade(ctx context.Context, refs []Ref, o UpgradeOptions) (*UpgradeReport, error) {
	r := &UpgradeReport{
		Schema: "pinion.upgrade/v1", Upgraded: []Upgraded{}, Passed: []Outdated{}, Stopped: []UpgradeStop{}, Failed: []RefreshFailure{}, DryRun: o.DryRun,
	}
	if err := c.active(ctx, refs, o.Project); err != nil {
		return nil, err
	}
	// A dry run writes nothing, so it compares with the catalogs as they are.
	out, err := c.outdated(ctx, o.Project, !c.o.Offline && !o.DryRun)
	if out != nil {
		r.Failed = out.Failed
	}
	if err != nil {
		return r, err
	}
	var first error
	for _, p := range out.Plugins {
		i := slices.IndexFunc(refs, func(ref Ref) bool { return ref.ID == p.ID })
		named := i >= 0
		if len(refs) > 0 && !named {
			continue
		}
		if p.err != nil {
			r.Stopped = append(r.Stopped, UpgradeStop{ID: p.ID, Error: p.err.Error(), Err: p.err})
			first = cmp.Or(first, p.err)
			continue
		}
		if passOver(p, named, o.Allow) {
			r.Passed = append(r.Passed, p)
			continue
		}
		if o.DryRun {
			r.Upgraded = append(r.Upgraded, Upgraded{ID: p.ID, Marketplace: p.Marketplace, From: p.Active, To: p.Newest, Digest: p.Digest})
			continue
		}
		up, err := c.upgradeOne(ctx, p, o)
		if errors.Is(err, errSkipped) {
			if err = c.skip(ctx, p); err == nil {
				p.Passed = "skipped"
				r.Passed = append(r.Passed, p)
				continue
			}
		}
		if only := new(GateError); !named && errors.As(err, &only) && only.young() {
			p.Passed = "young" // it waits; nothing is wrong with it
			r.Passed = append(r.Passed, p)
			continue
		}
		if err != nil {
			if ctx.Err() != nil {
				return r, err
			}
			r.Stopped = append(r.Stopped, UpgradeStop{ID: p.ID, To: p.Newest, Error: err.Error(), Err: err})
			if first == nil {
				first = err
			}
			continue
		}
		r.Upgraded = append(r.Upgraded, up)
	}
	if len(r.Upgraded) > 0 {
		r.Hosts = c.updateHosts(ctx, o.DryRun, false)
	}
	return r, errors.Join(first, c.relockUnless(ctx, o.Project, o.DryRun))
}

// passOver reports whether an upgrade leaves a plugin alone. A plugin that was
// named is only left alone where there is nothing to take.
func passOver(p Outdated, named bool, allow []Grant) bool {
	switch p.Passed {
	case "":
		return false
	case "held", "rolled back", "skipped", "disabled":
		return !named
	case "rewritten":
		return !named && !granted(allow, GrantRewritten)
	}
	return true // unavailable
}

// active checks that the named plugins are active.
func (c *Client) active(ctx context.Context, refs []Ref, project bool) error {
	if len(refs) == 0 {
		return nil
	}
	st, ms, ok, err := c.state(false)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if !ok {
			return notFound("pinion install "+ref.String(), "%s is not installed", ref.ID)
		}
		if ref.Version != "" {
			return usage("pinion install "+ref.String()+" --activate takes exactly this version", "upgrade goes to the newest version; %q names one", ref)
		}
		_, p, err := c.pointer(ctx, st, ms, ref, project)
		if err != nil {
			return err
		}
		if p.Current == nil {
			return notFound("pinion activate "+ref.ID, "%s is installed but not active", ref.ID)
		}
	}
	return nil
}

func (c *Client) upgradeOne(ctx context.Context, p Outdated, o UpgradeOptions) (Upgraded, error) {
	ref := Ref{ID: p.plugin.ID, Market: p.market.Name, Version: p.plugin.Version}
	if p.Passed == "rewritten" && p.plugin.Floating && granted(o.Allow, GrantRewritten) {
		// Only the ledger has it: the catalog's own state is older.
		ref.Version += "+" + p.plugin.Digest.Hex(8)
	}
	got, err := c.install(ctx, ref, InstallOptions{Allow: o.Allow, skip: true})
	if err != nil {
		return Upgraded{}, err
	}
	st, _, _, err := c.state(true)
	if err != nil {
		return Upgraded{}, err
	}
	_, err = c.activate(ctx, st, got.build, ActivateOptions{Project: o.Project, Allow: o.Allow, why: "upgrade", skip: true})
	if err != nil {
		return Upgraded{}, err
	}
	return Upgraded{ID: got.ID, Marketplace: p.Marketplace, From: p.Active, To: got.Version, Digest: got.Digest}, nil
}

// skip remembers that the user does not want the version that an upgrade found.
func (c *Client) skip(ctx context.Context, p Outdated) error {
	st, _, _, err := c.state(true)
	if err != nil {
		return err
	}
	_, err = st.Skip(ctx, p.pointer.Scope(), p.ID, store.Build{Key: p.market.Key, ID: p.plugin.ID, Version: p.plugin.Version, Digest: p.plugin.Digest})
	return err
}

// install places one plugin and nothing else.
func (c *Client) install(ctx context.Context, ref Ref, o InstallOptions) (Installed, error) {
	r, err := c.Install(ctx, []Ref{ref}, o)
	if err != nil {
		return Installed{}, err
	}
	return r.Installed[0], nil
}
