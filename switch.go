package pinion

import (
	"context"
	"errors"

	"pinion/market"
	"pinion/store"
)

// SwitchReport says what a disable, enable, hold or unhold made of a plugin. It
// is the JSON document pinion.switch/v1.
type SwitchReport struct {
	Schema  string `json:"schema"`
	ID      string `json:"id"`
	Version string `json:"version"` // active, "" for none
	Scope   string `json:"scope"`
	State   State  `json:"state"`
	Held    bool   `json:"held"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dryRun"`
	// Hosts are the linked hosts, with what the change did in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// SwitchOptions are the choices of a switch.
type SwitchOptions struct {
	Project bool
	DryRun  bool
}

// Disable blocks a plugin, whatever version is active, also for conversations
// that began before (SB-072).
func (c *Client) Disable(ctx context.Context, ref Ref, o SwitchOptions) (*SwitchReport, error) {
	r, err := c.flip(ctx, ref, o, (*store.Store).Disable, func(r *SwitchReport) { r.Changed, r.State = r.State == StateActive, StateDisabled })
	if err == nil {
		r.Hosts = c.updateHosts(ctx, o.DryRun, false)
	}
	return r, err
}

// Enable takes a disable back. Without an active version it is an error that
// names activate. What became forbidden while it was disabled stays so.
func (c *Client) Enable(ctx context.Context, ref Ref, o SwitchOptions) (*SwitchReport, error) {
	enable := func(st *store.Store, ctx context.Context, sc store.Scope, id string) (store.Change, error) {
		if err := c.gateCurrent(ctx, st, sc, id); err != nil {
			return store.Change{}, err
		}
		return st.Enable(ctx, sc, id)
	}
	r, err := c.flip(ctx, ref, o, enable, func(r *SwitchReport) { r.Changed, r.State = r.State == StateDisabled, StateActive })
	if err == nil {
		r.Hosts = c.updateHosts(ctx, o.DryRun, false)
	}
	return r, err
}

// Hold keeps a plugin at what it is: upgrades pass it over.
func (c *Client) Hold(ctx context.Context, ref Ref, o SwitchOptions) (*SwitchReport, error) {
	return c.flip(ctx, ref, o, (*store.Store).Hold, func(r *SwitchReport) { r.Changed, r.Held = !r.Held, true })
}

// Unhold takes a hold back.
func (c *Client) Unhold(ctx context.Context, ref Ref, o SwitchOptions) (*SwitchReport, error) {
	return c.flip(ctx, ref, o, (*store.Store).Unhold, func(r *SwitchReport) { r.Changed, r.Held = r.Held, false })
}

type flipper func(*store.Store, context.Context, store.Scope, string) (store.Change, error)

// flip carries out one switch of a pointer; dry says what it would make of it.
func (c *Client) flip(ctx context.Context, ref Ref, o SwitchOptions, do flipper, dry func(*SwitchReport)) (*SwitchReport, error) {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, c.notInstalled(ctx, nil, ref, nil)
	}
	sc, p, err := c.pointer(ctx, st, ms, ref, o.Project)
	if err != nil {
		return nil, err
	}
	r := &SwitchReport{Schema: "pinion.switch/v1", ID: ref.ID, Scope: sc.String(), State: pointerState(p), Held: p.Held, DryRun: o.DryRun}
	if p.Current != nil {
		r.Version = p.Current.Version
	}
	if o.DryRun {
		dry(r)
		return r, nil
	}
	ch, err := do(st, ctx, sc, ref.ID)
	if err != nil {
		return nil, err
	}
	r.Changed, r.Held = ch.Changed, ch.Held
	p.Enabled = ch.Enabled
	r.State = pointerState(p)
	return r, nil
}

func pointerState(p store.Pointer) State {
	switch {
	case p.Current == nil:
		return StateInstalled
	case !p.Enabled:
		return StateDisabled
	}
	return StateActive
}

// pointer returns what is active of a plugin in a scope. A REF's marketplace
// must be the active one's, because the switch would otherwise hit another
// plugin than the one that was named.
func (c *Client) pointer(ctx context.Context, st *store.Store, ms *market.Markets, ref Ref, project bool) (store.Scope, store.Pointer, error) {
	sc, err := c.scope(project)
	if err != nil {
		return sc, store.Pointer{}, err
	}
	if ref.Path != "" {
		return sc, store.Pointer{}, usage("", "%s is a path, not an installed plugin", ref.Path)
	}
	p, err := st.Active(ctx, sc, ref.ID)
	if err != nil {
		return sc, p, err
	}
	if p.Current == nil {
		if _, err := c.installedBuild(ctx, st, ms, Ref{ID: ref.ID}); err != nil {
			var u *UsageError // installed several times over is installed
			if !errors.As(err, &u) {
				return sc, p, err
			}
		}
		return sc, p, nil
	}
	if ref.Market != "" || ref.Version != "" {
		r, err := c.installedBuild(ctx, st, ms, ref)
		if err != nil {
			return sc, p, err
		}
		if r.Build() != *p.Current {
			return sc, p, notFound("", "%s is not active; active is %s", ref, p.Current.Ref())
		}
	}
	return sc, p, nil
}

// Rollback goes back to the version that was active before, and again further
// back. Every gate is passed again (SB-073).
func (c *Client) Rollback(ctx context.Context, ref Ref, o ActivateOptions) (*ActivateReport, error) {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, c.notInstalled(ctx, nil, ref, nil)
	}
	sc, p, err := c.pointer(ctx, st, ms, ref, o.Project)
	if err != nil {
		return nil, err
	}
	to, err := st.Previous(ctx, sc, ref.ID)
	if err != nil {
		return nil, err
	}
	r, err := st.Receipt(to)
	if err != nil {
		return nil, err
	}
	j, err := c.gate(ctx, st, r, sc)
	if err != nil {
		return nil, err
	}
	consent, err := c.consent(ctx, st, sc, r, j, o)
	if err != nil {
		return nil, err
	}
	rep := activated(r, sc, j)
	rep.DryRun, rep.Changed, rep.State = o.DryRun, true, stateOf(p.Enabled)
	if p.Current != nil {
		rep.Previous = p.Current.Version
	}
	if o.DryRun {
		rep.Hosts = c.updateHosts(ctx, true, false)
		return rep, nil
	}
	if err := c.keep(j); err != nil {
		return nil, err
	}
	ch, err := st.Rollback(ctx, sc, ref.ID, to, consent)
	if err != nil {
		return nil, err
	}
	rep.Changed, rep.State = ch.Changed, stateOf(ch.Enabled)
	rep.Hosts = c.updateHosts(ctx, false, false)
	return rep, c.relock(ctx, o.Project)
}
