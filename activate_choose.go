package pinion

import (
	"context"
	"slices"

	"pinion/market"
	"pinion/store"
)

// onlyLocked reports whether a lock file brought an installed build and nothing
// else did: what is installed from a marketplace names its catalog, and what is
// installed from a path is a draft; what was taken over from a host says so, with
// a name that no lock file can bring.
func onlyLocked(r store.Receipt) bool {
	return !r.Origin.Draft && r.Origin.Catalog == "" && r.Origin.Marketplace != importKey
}

// toActivate finds the installed version that a REF means to an activation.
//
// A lock file may put any version into the store and say that it is of any
// marketplace. What nobody else knows of, neither the ledger of that marketplace
// nor what is active in the scope now, is therefore never chosen because it is
// the highest: the user must name it.
func (c *Client) toActivate(ctx context.Context, st *store.Store, ms *market.Markets, ref Ref, project bool) (store.Receipt, error) {
	best, err := c.installedBuild(ctx, st, ms, ref)
	if err != nil || ref.Version != "" {
		return best, err
	}
	sc, err := c.scope(project)
	if err != nil {
		return best, err
	}
	now, err := st.Active(ctx, sc, ref.ID)
	if err != nil {
		return best, err
	}
	known := func(r store.Receipt) (bool, error) {
		if !onlyLocked(r) || now.Current != nil && *now.Current == r.Build() {
			return true, nil
		}
		return c.offered(r)
	}
	if ok, err := known(best); ok || err != nil {
		return best, err
	}
	all, _, err := st.Find(ctx, ref.ID)
	if err != nil {
		return best, err
	}
	var found []store.Receipt
	for _, r := range all {
		// Several sources are told apart before a version is chosen.
		if r.Key != best.Key {
			continue
		}
		ok, err := known(r)
		if err != nil {
			return best, err
		}
		if ok {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		full := Ref{ID: best.ID, Version: best.Version}
		return best, usage("if you want it, name it: pinion activate "+full.String(),
			"%s was brought by a %s, and %s never offered it", full, LockFile, best.Origin.Source)
	}
	chosen := slices.MaxFunc(found, compareReceipts)
	others := slices.DeleteFunc(found, func(r store.Receipt) bool { return r.Version != chosen.Version || r.Digest == chosen.Digest })
	if len(others) > 0 {
		return c.ambiguous(ref, chosen, others)
	}
	return chosen, nil
}
