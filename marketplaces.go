package pinion

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"pinion/market"
	"pinion/source"
	"pinion/source/git"
	"pinion/store"
)

// MarketplaceAdd adds a marketplace: owner/repo[@ref], a git URL, or a
// directory. See [market.Markets.Add].
func (c *Client) MarketplaceAdd(ctx context.Context, spec string, o market.AddOptions) (*market.Report, error) {
	if o.DryRun {
		return c.tryMarketplace(ctx, spec, o)
	}
	st, ms, _, err := c.state(true)
	if err != nil {
		return nil, err
	}
	if err := st.Prepare(ctx); err != nil {
		return nil, err
	}
	if len(o.Only) == 0 { // every plugin is going to be read
		ctx = git.WithWhole(ctx)
	}
	r, err := ms.Add(ctx, spec, o)
	return r, forbidden(spec, err)
}

// tryMarketplace adds a marketplace in a home that is thrown away, so that
// nothing of it stays in the user's own.
func (c *Client) tryMarketplace(ctx context.Context, spec string, o market.AddOptions) (*market.Report, error) {
	_, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	former := ""
	if ok {
		parsed, err := source.Parse(spec, c.o.Cwd)
		if err != nil {
			return nil, err
		}
		if m, err := ms.Get(ctx, o.Name); err == nil && m.Key != parsed.Key() {
			return nil, &market.TakenError{Name: o.Name, Source: m.Source}
		}
		if m, err := ms.ByKey(parsed.Key()); err == nil && o.Name != "" && m.Name != o.Name {
			former = m.Name
		}
	}
	home, err := os.MkdirTemp("", "pinion-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	other := c.o
	other.Home = home
	t, err := New(other)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	o.DryRun = false
	r, err := t.MarketplaceAdd(ctx, spec, o)
	if r != nil {
		r.Former = former
	}
	return r, err
}

// RefreshReport is what a refresh of several marketplaces found. It is the JSON
// document pinion.refresh/v1.
type RefreshReport struct {
	Schema       string           `json:"schema"`
	Marketplaces []*market.Report `json:"marketplaces"`
	Failed       []RefreshFailure `json:"failed"`
}

// RefreshFailure is one marketplace that stayed as it was.
type RefreshFailure struct {
	Name  string `json:"name"`
	Error string `json:"error"`
	Err   error  `json:"-"`
}

// MarketplaceRefresh asks the named marketplaces again, all without names. One
// that fails or is refused does not stop the others; the first such error, a
// refusal before any other, is returned with the report.
func (c *Client) MarketplaceRefresh(ctx context.Context, aliases []string, o market.RefreshOptions) (*RefreshReport, error) {
	r := &RefreshReport{Schema: "pinion.refresh/v1", Marketplaces: []*market.Report{}, Failed: []RefreshFailure{}}
	if _, _, ok, err := c.state(false); err != nil {
		return nil, err
	} else if !ok { // nothing to refresh is no reason to make a home
		if len(aliases) > 0 {
			return nil, &market.UnknownError{Name: aliases[0]}
		}
		return r, nil
	}
	_, ms, _, err := c.state(true)
	if err != nil {
		return nil, err
	}
	if aliases, err = c.aliases(ctx, ms, aliases); err != nil {
		return nil, err
	}
	var first error
	for _, name := range aliases {
		got, err := ms.Refresh(ctx, name, o)
		var accept *market.AcceptError
		if errors.As(err, &accept) {
			return nil, err // no marketplace would take that
		}
		if err = forbidden(name, err); err != nil {
			if ctx.Err() != nil {
				return r, err
			}
			r.Failed = append(r.Failed, RefreshFailure{Name: name, Error: err.Error(), Err: err})
			var no *market.RefusedError
			if errors.As(err, &no) {
				r.Marketplaces = append(r.Marketplaces, keptReport(no))
			}
			if first == nil || !refused(first) && refused(err) {
				first = err
			}
			continue
		}
		r.Marketplaces = append(r.Marketplaces, got)
	}
	return r, first
}

// keptReport is the report of a marketplace whose new state was refused as a
// whole: it stays as it was.
func keptReport(e *market.RefusedError) *market.Report {
	return &market.Report{
		Name: e.Market, Source: e.Source, Commit: e.Previous, Previous: e.Previous, Added: []market.Change{}, Updated: []market.Change{},
		Removed: []market.Change{}, Rewritten: []market.Change{}, Unavailable: []market.Change{}, Refused: e.Refused,
	}
}

// aliases checks that every name is known before anything is asked.
func (c *Client) aliases(ctx context.Context, ms *market.Markets, given []string) ([]string, error) {
	if len(given) > 0 {
		for _, name := range given {
			if _, err := ms.Head(ctx, name); err != nil {
				return nil, err
			}
		}
		return given, nil
	}
	list, damaged, err := ms.Heads(ctx)
	if err != nil {
		return nil, err
	}
	if len(damaged) > 0 {
		c.o.Log.Warn("a marketplace cannot be read", "err", damaged[0].Err)
	}
	for _, m := range list {
		given = append(given, m.Name)
	}
	return given, nil
}

// MarketplaceList is the JSON document pinion.marketplaces/v1.
type MarketplaceList struct {
	Schema       string            `json:"schema"`
	Marketplaces []MarketplaceInfo `json:"marketplaces"`
	Damaged      []string          `json:"damaged"`
}

// MarketplaceInfo is one added marketplace.
type MarketplaceInfo struct {
	Name        string          `json:"name"`
	Source      string          `json:"source"`
	Spec        string          `json:"spec"`
	Ref         string          `json:"ref"`
	Commit      string          `json:"commit"`
	Catalog     string          `json:"catalog"`
	Flavour     string          `json:"flavour"`
	Digests     bool            `json:"digests"` // the catalog publishes digests
	Ancestry    string          `json:"ancestry"`
	Owner       string          `json:"owner"`
	Description string          `json:"description"`
	Plugins     int             `json:"plugins"`
	Unavailable int             `json:"unavailable"`
	Elsewhere   int             `json:"elsewhere"`
	Rewritten   int             `json:"rewritten"`
	Checked     time.Time       `json:"checked"`
	Changed     time.Time       `json:"changed"`
	Accepted    []market.Accept `json:"accepted"`
}

func marketInfo(m *market.Market) MarketplaceInfo {
	s := m.State
	in := MarketplaceInfo{
		Name: m.Name, Source: m.Source, Spec: m.Spec, Ref: s.Pin.Ref, Commit: s.Pin.Commit, Catalog: s.CatalogPath,
		Flavour: s.Flavour, Digests: s.Native, Ancestry: s.Ancestry, Owner: s.Owner, Description: s.Description,
		Plugins: len(s.Plugins), Checked: m.Checked, Changed: s.Changed, Accepted: s.Accepted,
	}
	if in.Accepted == nil {
		in.Accepted = []market.Accept{}
	}
	for _, p := range s.Plugins {
		switch p.Status {
		case market.Unavailable, market.Unsupported:
			in.Unavailable++
		case market.Elsewhere:
			in.Elsewhere++
		}
		if p.Rewritten {
			in.Rewritten++
		}
	}
	return in
}

// MarketplaceList returns the added marketplaces. It works offline.
func (c *Client) MarketplaceList(ctx context.Context) (*MarketplaceList, error) {
	r := &MarketplaceList{Schema: "pinion.marketplaces/v1", Marketplaces: []MarketplaceInfo{}, Damaged: []string{}}
	_, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	list, damaged, err := ms.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		r.Marketplaces = append(r.Marketplaces, marketInfo(m))
	}
	for _, d := range damaged {
		r.Damaged = append(r.Damaged, d.Err.Error())
	}
	return r, nil
}

// MarketplaceDetail is the JSON document pinion.marketplace/v1.
type MarketplaceDetail struct {
	Schema string `json:"schema"`
	MarketplaceInfo
	Entries []market.Plugin `json:"entries"`
}

// MarketplaceInfo returns one marketplace with everything it lists. It works
// offline.
func (c *Client) MarketplaceInfo(ctx context.Context, alias string) (*MarketplaceDetail, error) {
	_, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &market.UnknownError{Name: alias}
	}
	m, err := ms.Get(ctx, alias)
	if err != nil {
		return nil, err
	}
	d := &MarketplaceDetail{Schema: "pinion.marketplace/v1", MarketplaceInfo: marketInfo(m), Entries: m.State.Plugins}
	if d.Entries == nil {
		d.Entries = []market.Plugin{}
	}
	return d, nil
}

// RemoveReport is the JSON document pinion.marketplace-remove/v1.
type RemoveReport struct {
	Schema      string   `json:"schema"`
	Name        string   `json:"name"`
	Source      string   `json:"source"`
	Uninstalled []string `json:"uninstalled"`
	DryRun      bool     `json:"dryRun"`
	// Hosts are the linked hosts, with what the change did in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// MarketplaceRemove forgets a marketplace. It refuses while plugins from it are
// installed; with uninstall it takes them along. What was seen of its releases
// is kept for ever.
func (c *Client) MarketplaceRemove(ctx context.Context, alias string, uninstall, dryRun bool) (*RemoveReport, error) {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &market.UnknownError{Name: alias}
	}
	m, err := ms.Get(ctx, alias)
	if err != nil {
		return nil, err
	}
	receipts, _, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	receipts = slices.DeleteFunc(receipts, func(r store.Receipt) bool { return r.Key != m.Key })
	r := &RemoveReport{Schema: "pinion.marketplace-remove/v1", Name: m.Name, Source: m.Source, Uninstalled: []string{}, DryRun: dryRun}
	if len(receipts) > 0 && !uninstall {
		var names []string
		for _, in := range receipts {
			names = append(names, in.ID+" "+in.Version)
		}
		return nil, blocked("pinion marketplace remove "+alias+" --uninstall takes them along",
			"%s from %s installed: %s", isAre(len(names)), alias, list(names, 5))
	}
	for _, in := range receipts {
		r.Uninstalled = append(r.Uninstalled, in.ID+"@"+in.Version)
		if dryRun {
			continue
		}
		if err := st.Uninstall(ctx, in.Build(), true); err != nil {
			return nil, err
		}
		c.forgetReports(ctx, st, in.Build())
	}
	if dryRun {
		return r, nil
	}
	if len(r.Uninstalled) > 0 {
		r.Hosts = c.updateHosts(ctx, false, true)
	}
	_, err = ms.Remove(ctx, alias)
	return r, err
}
