package pinion

import (
	"context"
	"slices"
	"strings"
	"sync"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/market"
	"pinion/problem"
)

// choice is one plugin that a REF was found to mean.
type choice struct {
	market *market.Market
	plugin market.Plugin
	// first is the build that was seen first under the version, when the chosen
	// one has other bytes.
	first *market.Fact
}

// choose finds what a REF means in the catalogs. It works without a network.
func (c *Client) choose(ctx context.Context, ms *market.Markets, r Ref) (choice, error) {
	list, err := ms.Lookup(ctx, r.Market, r.ID)
	if err != nil {
		return choice{}, err
	}
	var found []choice
	for _, m := range list {
		if ch, ok, err := chooseIn(ms, m, r); err != nil {
			return choice{}, err
		} else if ok {
			found = append(found, ch)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return choice{}, c.notListed(ctx, ms, r)
	}
	var forms []string
	for _, f := range found {
		full := Ref{ID: f.plugin.ID, Market: f.market.Name, Version: r.Version}
		forms = append(forms, full.String())
	}
	return choice{}, usage("say which: "+strings.Join(forms, ", "), "%q is in %d marketplaces", r.ID, len(found))
}

// notListed says why nothing was found, in the order in which people err. ms is
// nil without a home.
func (c *Client) notListed(ctx context.Context, ms *market.Markets, r Ref) error {
	var list []*market.Market
	var damaged []market.Damage
	if ms != nil {
		var err error
		if list, damaged, err = ms.List(ctx); err != nil {
			return err
		}
	}
	if r.Market != "" {
		list = slices.DeleteFunc(list, func(m *market.Market) bool { return m.Name != r.Market })
	}
	var ids []string
	for _, m := range list {
		for _, p := range m.State.Plugins {
			ids = append(ids, p.ID)
		}
	}
	if len(list) == 0 && len(damaged) == 0 {
		return notFound("add one first: pinion marketplace add OWNER/REPO", "no marketplace has been added")
	}
	slices.Sort(ids)
	if r.Version != "" && slices.Contains(ids, r.ID) {
		return notFound("pinion info "+r.ID+" lists its versions", "%s has no version %s", r.ID, r.Version)
	}
	if near, ok := syntax.Nearest(r.ID, slices.Compact(ids)); ok {
		return notFound("pinion search "+r.ID+" looks in names and descriptions", "no plugin %q; did you mean %q?", r.ID, near)
	}
	return notFound("pinion search "+r.ID+" looks in names and descriptions; pinion marketplace refresh asks for news", "no plugin %q in %s", r.ID, plural(len(list), "marketplace"))
}

// chooseIn finds what a REF means in one marketplace.
func chooseIn(ms *market.Markets, m *market.Market, r Ref) (choice, bool, error) {
	id := renamed(m, r.ID)
	// The ledger grows for ever, so it is read only for what the catalog does not
	// tell.
	recall := sync.OnceValues(func() (*market.Ledger, error) { return ms.Ledger(m.Key) })
	var build market.Fact
	var exact bool
	if _, _, digits := cutBuild(r.Version); digits {
		// Who names a build by its digest never gets a version that is only
		// written like one.
		ledger, err := recall()
		if err != nil {
			return choice{}, false, err
		}
		build, exact = namedBuild(ledger, id, r.Version)
	}
	var best *market.Plugin
	for i := range m.State.Plugins {
		p := &m.State.Plugins[i]
		if p.ID != id || !matches(p, r.Version) || exact && p.Digest != build.Digest {
			continue
		}
		if best == nil || better(p, best) {
			best = p
		}
	}
	if r.Version != "" && (best == nil || best.Status == market.Unavailable) {
		ledger, err := recall()
		if err != nil {
			return choice{}, false, err
		}
		if p, ok := remembered(ledger, m, id, r.Version); ok {
			return choice{market: m, plugin: p}, true, nil
		}
	}
	if best == nil {
		return choice{}, false, nil
	}
	ch := choice{market: m, plugin: *best}
	return ch, true, ch.recall(ms)
}

// recall looks up the first build of a rewritten version.
func (ch *choice) recall(ms *market.Markets) error {
	if !ch.plugin.Rewritten {
		return nil
	}
	ledger, err := ms.Ledger(ch.market.Key)
	if err != nil {
		return err
	}
	if facts := ledger.Facts(ch.plugin.ID, ch.plugin.Version); len(facts) > 0 {
		ch.first = &facts[0]
	}
	return nil
}

// renamed follows the catalog's renames from a former name. A cycle ends where
// it began.
func renamed(m *market.Market, id string) string {
	for range len(m.State.Renames) {
		i := slices.IndexFunc(m.State.Renames, func(r market.Rename) bool { return r.From == id })
		if i < 0 || m.State.Renames[i].To == "" || slices.ContainsFunc(m.State.Plugins, func(p market.Plugin) bool { return p.ID == id }) {
			break
		}
		id = m.State.Renames[i].To
	}
	return id
}

// matches reports whether a listed plugin is the version that was asked for;
// "1.0.0+9c41e0aa" also names the build with this digest.
func matches(p *market.Plugin, version string) bool {
	if version == "" || p.Version == version {
		return true
	}
	v, build, ok := cutBuild(version)
	return ok && p.Version == v && !p.Digest.IsZero() && p.Digest.Hex(8) == build
}

// cutBuild splits "1.0.0+9c41e0aa" into a version and eight hex digits.
func cutBuild(version string) (v, build string, ok bool) {
	i := strings.LastIndexByte(version, '+')
	if i < 0 || len(version)-i-1 != 8 || strings.Trim(version[i+1:], "0123456789abcdef") != "" {
		return "", "", false
	}
	return version[:i], version[i+1:], true
}

// better orders what one REF may mean: what can be installed before what
// cannot, releases before prereleases, then the higher version.
func better(a, b *market.Plugin) bool {
	if ua, ub := a.Status == market.Unavailable, b.Status == market.Unavailable; ua != ub {
		return ub
	}
	if pa, pb := manifest.IsPrerelease(a.Version) && !isContent(a.Version), manifest.IsPrerelease(b.Version) && !isContent(b.Version); pa != pb {
		return pb
	}
	return manifest.CompareVersions(a.Version, b.Version) > 0
}

// isContent reports whether a version was made from a digest; it is a
// prerelease by form only.
func isContent(v string) bool { return strings.HasPrefix(v, "0.0.0-h") }

// remembered finds a version that the catalog does not list any more, in the
// ledger: its commit is known, so it can still be fetched.
func remembered(l *market.Ledger, m *market.Market, id, version string) (market.Plugin, bool) {
	if version == "" {
		return market.Plugin{}, false
	}
	f, ok := namedBuild(l, id, version)
	if !ok {
		facts := l.Facts(id, version)
		if len(facts) == 0 {
			return market.Plugin{}, false
		}
		f = facts[0]
	}
	return market.Plugin{
		ID: f.ID, Version: f.Version, Status: market.Ready, Digest: f.Digest,
		Published: f.Published, Origin: f.Origin.Origin,
	}, true
}

// namedBuild finds the build that "1.0.0+9c41e0aa" names by its digest.
func namedBuild(l *market.Ledger, id, version string) (market.Fact, bool) {
	v, build, ok := cutBuild(version)
	if !ok {
		return market.Fact{}, false
	}
	for _, f := range l.Facts(id, v) {
		if f.Digest.Hex(8) == build {
			return f, true
		}
	}
	return market.Fact{}, false
}

// usable turns a plugin that cannot be installed into the error that says why.
func (ch choice) usable() error {
	switch ch.plugin.Status {
	case market.Unavailable:
		return &problem.ContentError{Problems: problem.List{{
			Rule: ch.plugin.Rule, Severity: problem.Error, File: ch.plugin.ID + "@" + ch.market.Name, Message: ch.plugin.Why,
			Fix: "pinion explain " + ch.plugin.Rule + " tells more; an older version may still be installed: pinion info " + ch.plugin.ID,
		}}}
	case market.Unsupported:
		return blocked("", "%s@%s cannot be installed: %s", ch.plugin.ID, ch.market.Name, ch.plugin.Why)
	}
	return nil
}
