package pinion

import (
	"context"
	"errors"
	"slices"
	"time"

	"pinion/market"
	"pinion/store"
)

// StatusReport is the JSON document pinion.status/v1: the layers a plugin goes
// through, side by side.
type StatusReport struct {
	Schema       string         `json:"schema"`
	Marketplaces []MarketStatus `json:"marketplaces"`
	Plugins      []PluginStatus `json:"plugins"`
	Damaged      []string       `json:"damaged"`
}

// MarketStatus is one marketplace: what is there now, and what is in use.
type MarketStatus struct {
	Name     string    `json:"name"`
	Source   string    `json:"source"`
	Upstream string    `json:"upstream"` // commit, "" when it was not asked
	Asked    string    `json:"asked"`    // why it was not asked, "" when it was
	Commit   string    `json:"commit"`   // of the catalog in use
	Checked  time.Time `json:"checked"`
	Next     string    `json:"next"` // the command for the difference, "" for none
}

// PluginStatus is one plugin through the layers.
type PluginStatus struct {
	ID          string   `json:"id"`
	Marketplace string   `json:"marketplace"`
	Catalog     string   `json:"catalog"` // newest version listed
	Stored      []string `json:"stored"`  // installed versions, newest first
	Active      string   `json:"active"`  // in the user's scope
	Project     string   `json:"project"` // in the project's scope
	State       State    `json:"state"`
	Differs     string   `json:"differs"` // in words, "" when nothing does
	Next        string   `json:"next"`    // the command for it
	// Hosts are what the hosts on this machine see of it.
	Hosts []HostView `json:"hosts,omitempty"`
}

// Status puts the layers side by side: upstream, catalog, store, active, hosts. Each
// marketplace is asked for its commit with one small request unless the client
// is offline; nothing is fetched or changed.
func (c *Client) Status(ctx context.Context, ref Ref) (*StatusReport, error) {
	r := &StatusReport{Schema: "pinion.status/v1", Marketplaces: []MarketStatus{}, Plugins: []PluginStatus{}, Damaged: []string{}}
	st, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	markets, damaged, err := ms.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range damaged {
		r.Damaged = append(r.Damaged, d.Err.Error())
	}
	receipts, bad, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	_, more, err := c.pointers(ctx, st)
	if err != nil {
		return nil, err
	}
	for _, d := range append(bad, more...) {
		r.Damaged = append(r.Damaged, d.Path+" "+d.Reason)
	}
	if ref.ID != "" {
		receipts = slices.DeleteFunc(receipts, func(in store.Receipt) bool { return in.ID != ref.ID })
		if len(receipts) == 0 {
			return nil, c.notInstalled(ctx, ms, ref, nil)
		}
	}
	used := map[string]bool{}
	for _, in := range receipts {
		used[in.Key] = true
	}
	for _, m := range markets {
		if ref.ID == "" || used[m.Key] {
			r.Marketplaces = append(r.Marketplaces, c.marketStatus(ctx, ms, m))
		}
	}
	if r.Plugins, err = c.pluginStatus(ctx, st, markets, receipts); err != nil {
		return nil, err
	}
	if err := c.addHosts(ctx, r.Plugins); err != nil {
		return nil, err
	}
	return r, ctx.Err()
}

func (c *Client) marketStatus(ctx context.Context, ms *market.Markets, m *market.Market) MarketStatus {
	s := MarketStatus{Name: m.Name, Source: m.Source, Commit: m.State.Pin.Commit, Checked: m.Checked}
	if m.Draft() {
		s.Asked = "a directory has no commit"
		return s
	}
	pin, err := ms.Upstream(ctx, m)
	switch {
	case c.o.Offline:
		s.Asked = "offline"
	case err != nil:
		s.Asked = err.Error()
	default:
		s.Upstream = pin.Commit
		if pin.Commit != s.Commit {
			s.Next = "pinion marketplace refresh " + m.Name
		}
	}
	return s
}

func (c *Client) pluginStatus(ctx context.Context, st *store.Store, markets []*market.Market, receipts []store.Receipt) ([]PluginStatus, error) {
	out := []PluginStatus{}
	at := map[string]int{}
	pointers, _, err := c.pointers(ctx, st)
	if err != nil {
		return nil, err
	}
	for _, in := range receipts {
		i, ok := at[in.ID]
		if !ok {
			i = len(out)
			at[in.ID] = i
			out = append(out, PluginStatus{ID: in.ID, Marketplace: in.Origin.Marketplace, State: StateInstalled, Stored: []string{}})
		}
		if !slices.Contains(out[i].Stored, in.Version) {
			out[i].Stored = append(out[i].Stored, in.Version)
		}
	}
	for i := range out {
		if err := c.layers(st, markets, pointers, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// layers fills in what is active and what differs, the first difference a user
// would act on.
func (c *Client) layers(st *store.Store, markets []*market.Market, pointers []store.Pointer, s *PluginStatus) error {
	var current *store.Receipt
	var chosen store.Pointer
	for _, p := range pointers {
		if p.ID != s.ID || p.Current == nil {
			continue
		}
		if p.Scope().Project == "" {
			s.Active = p.Current.Version
		} else {
			s.Project = p.Current.Version
		}
		s.State = stateOf(p.Enabled)
		in, err := st.Receipt(*p.Current)
		if err != nil && !errors.Is(err, store.ErrNotInstalled) && !errors.Is(err, store.ErrDamaged) {
			return err
		}
		if err == nil {
			current, chosen = &in, p
			s.Marketplace = in.Origin.Marketplace
		}
	}
	var m *market.Market
	for _, k := range markets {
		if current != nil && k.Key == current.Key || current == nil && k.Name == s.Marketplace {
			m = k
			s.Marketplace = k.Name
		}
	}
	if m != nil {
		if p, ok := newestOf(m, renamed(m, s.ID)); ok {
			s.Catalog = p.Version
		}
	}
	switch {
	case current == nil:
		s.Differs, s.Next = "installed, not active", "pinion activate "+s.ID
	case s.State == StateDisabled:
		s.Differs, s.Next = "disabled", "pinion enable "+s.ID
	default:
		for _, n := range wanted(chosen, m, news(*current, m)) {
			s.Differs, s.Next = n, "pinion upgrade "+s.ID
		}
	}
	return nil
}
