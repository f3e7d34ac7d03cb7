package pinion

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/market"
	"pinion/store"
)

// State is what an installed version is.
type State string

// The states.
const (
	StateActive    State = "active"
	StateInstalled State = "installed"
	StateDisabled  State = "disabled"
)

// ListReport is the JSON document pinion.list/v1.
type ListReport struct {
	Schema  string   `json:"schema"`
	Plugins []Listed `json:"plugins"`
	Damaged []string `json:"damaged"`
	// Checked is when the marketplace asked longest ago was asked; zero when
	// there is none.
	Checked time.Time `json:"checked,omitzero"`
	// Hosts are the linked hosts, which see what is active.
	Hosts []string `json:"hosts,omitempty"`
}

// Listed is one installed version.
type Listed struct {
	ID          string        `json:"id"`
	Version     string        `json:"version"`
	Marketplace string        `json:"marketplace"`
	Source      string        `json:"source"`
	Kind        manifest.Kind `json:"kind"`
	State       State         `json:"state"`
	Digest      hashes.Digest `json:"digest"`
	Scope       string        `json:"scope"` // "user", the project's root, or "" when it is active nowhere
	Notes       []string      `json:"notes"`
}

// List returns every installed version, active ones once for each scope. It
// works offline and on a home that cannot be written.
func (c *Client) List(ctx context.Context) (*ListReport, error) {
	r := &ListReport{Schema: "pinion.list/v1", Plugins: []Listed{}, Damaged: []string{}}
	st, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	receipts, damage, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	pointers, more, err := c.pointers(ctx, st)
	if err != nil {
		return nil, err
	}
	for _, d := range append(damage, more...) {
		r.Damaged = append(r.Damaged, d.Path+" "+d.Reason)
	}
	markets, _, err := ms.List(ctx)
	if err != nil {
		return nil, err
	}
	if r.Hosts, err = c.linkedNames(); err != nil {
		return nil, err
	}
	names := namesOf(markets)
	byKey := map[string]*market.Market{}
	for _, m := range markets {
		byKey[m.Key] = m
		if r.Checked.IsZero() || m.Checked.Before(r.Checked) {
			r.Checked = m.Checked
		}
	}
	for _, in := range receipts {
		in.Origin.Marketplace = names.ofReceipt(in)
		r.Plugins = append(r.Plugins, listed(in, pointers, byKey[in.Key])...)
	}
	slices.SortStableFunc(r.Plugins, func(a, b Listed) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), -manifest.CompareVersions(a.Version, b.Version), strings.Compare(a.Marketplace, b.Marketplace))
	})
	return r, nil
}

// pointers returns those of the user and, inside a project, of the project.
func (c *Client) pointers(ctx context.Context, st *store.Store) ([]store.Pointer, []store.Damage, error) {
	list, damage, err := st.Actives(ctx, store.Scope{})
	if err != nil {
		return nil, nil, err
	}
	if root := c.projectOrNone(); root != "" {
		more, bad, err := st.Actives(ctx, store.Scope{Project: root})
		if err != nil {
			return nil, nil, err
		}
		list, damage = append(list, more...), append(damage, bad...)
	}
	return list, damage, nil
}

// listed gives the rows of one installed version: one for each scope in which
// it is active, else one.
func listed(in store.Receipt, pointers []store.Pointer, m *market.Market) []Listed {
	base := Listed{
		ID: in.ID, Version: in.Version, Marketplace: in.Origin.Marketplace, Source: in.Origin.Source, Kind: in.Kind,
		State: StateInstalled, Digest: in.Digest, Notes: []string{},
	}
	if in.Origin.Draft {
		base.Notes = append(base.Notes, "draft")
	}
	var rows []Listed
	held := false
	for _, p := range pointers {
		if p.ID != in.ID {
			continue
		}
		held = held || p.Held
		switch {
		case p.Current != nil && *p.Current == in.Build():
			row := base
			row.Notes = slices.Clone(base.Notes)
			row.State, row.Scope = stateOf(p.Enabled), p.Scope().String()
			if p.Held {
				row.Notes = append(row.Notes, "held")
			}
			row.Notes = append(row.Notes, wanted(p, m, news(in, m))...)
			rows = append(rows, row)
		case p.HasPassed(in.Build()):
			base.Notes = append(base.Notes, "rolled back")
		case p.HasSkipped(in.Build()):
			base.Notes = append(base.Notes, "skipped")
		}
	}
	if len(rows) > 0 {
		return rows
	}
	return []Listed{base}
}

// news says what the catalog has that this version is not.
func news(in store.Receipt, m *market.Market) []string {
	if m == nil {
		return nil
	}
	p, ok := newestOf(m, in.ID)
	switch {
	case !ok:
		if to := renamed(m, in.ID); to != in.ID {
			return []string{"renamed to " + to}
		}
		return []string{"no longer in the catalog"}
	case p.Version == in.Version && !p.Digest.IsZero() && p.Digest != in.Digest:
		return []string{"rewritten upstream"}
	case p.Version != "" && newer(p, in):
		return []string{p.Version + " is out"}
	}
	return nil
}

// wanted drops the news of a version that the user decided against: by a hold,
// by going back from it, or by skipping it.
func wanted(p store.Pointer, m *market.Market, notes []string) []string {
	if m == nil {
		return notes
	}
	to, ok := newestOf(m, p.ID)
	next := store.Build{Key: m.Key, ID: to.ID, Version: to.Version, Digest: to.Digest}
	if !ok || !p.Held && !p.HasPassed(next) && !p.HasSkipped(next) {
		return notes
	}
	return slices.DeleteFunc(notes, func(n string) bool { return strings.HasSuffix(n, " is out") })
}

// newestOf returns the version of a plugin that an upgrade would take.
func newestOf(m *market.Market, id string) (market.Plugin, bool) {
	var best *market.Plugin
	for i := range m.State.Plugins {
		p := &m.State.Plugins[i]
		if p.ID == id && (best == nil || better(p, best)) {
			best = p
		}
	}
	if best == nil {
		return market.Plugin{}, false
	}
	return *best, true
}

// newer reports whether a listed plugin comes after an installed version.
// Versions made from content have no order: other content is newer.
func newer(p market.Plugin, in store.Receipt) bool {
	if isContent(p.Version) || isContent(in.Version) {
		return p.Version != in.Version
	}
	return manifest.CompareVersions(p.Version, in.Version) > 0
}

// HistoryReport is the JSON document pinion.history/v1.
type HistoryReport struct {
	Schema string        `json:"schema"`
	ID     string        `json:"id"`
	Scope  string        `json:"scope"`
	Steps  []HistoryStep `json:"steps"` // newest first
}

// HistoryStep is one activation or rollback.
type HistoryStep struct {
	Version string        `json:"version"`
	Digest  hashes.Digest `json:"digest"`
	At      time.Time     `json:"at"`
	Why     string        `json:"why"`
	Current bool          `json:"current"`
	Back    bool          `json:"rollback"`
}

// History returns what was active of a plugin, newest first.
func (c *Client) History(ctx context.Context, ref Ref, project bool) (*HistoryReport, error) {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, notFound("pinion install "+ref.String(), "%s is not installed", ref.ID)
	}
	sc, p, err := c.pointer(ctx, st, ms, Ref{ID: ref.ID, Path: ref.Path}, project)
	if err != nil {
		return nil, err
	}
	r := &HistoryReport{Schema: "pinion.history/v1", ID: ref.ID, Scope: sc.String(), Steps: []HistoryStep{}}
	for i, s := range p.History {
		r.Steps = append(r.Steps, HistoryStep{
			Version: s.Build.Version, Digest: s.Build.Digest, At: s.At, Why: s.Why, Back: s.Back,
			Current: i == 0 && p.Current != nil && *p.Current == s.Build,
		})
	}
	return r, nil
}

// Path returns the directory of the active version, or of the only or given
// one.
func (c *Client) Path(ctx context.Context, ref Ref) (string, error) {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", notFound("pinion install "+ref.String(), "%s is not installed", ref.ID)
	}
	if ref.Version == "" && ref.Market == "" && ref.Path == "" {
		effective, _, err := st.Effective(ctx, c.projectOrNone())
		if err != nil {
			return "", err
		}
		for _, p := range effective {
			if p.ID != ref.ID || p.Current == nil {
				continue
			}
			// Whoever asks for the active version is about to use it.
			in, err := st.Receipt(*p.Current)
			if err != nil {
				return "", err
			}
			if err := c.usable(ctx, st, in); err != nil {
				return "", err
			}
			return st.Path(*p.Current)
		}
	}
	r, err := c.installedBuild(ctx, st, ms, ref)
	if err != nil {
		return "", err
	}
	return st.Path(r.Build())
}
