package pinion

import (
	"context"
	"slices"

	"pinion/market"
	"pinion/store"
)

// buildByName finds the installed version that a REF means by the names in the
// store, and reads its receipt only: many or large versions cost nothing. ok is
// false when the names do not settle it; the receipts must be compared then.
func buildByName(ctx context.Context, st *store.Store, ms *market.Markets, ref Ref) (r store.Receipt, ok bool) {
	found, err := st.Builds(ctx, ref.ID)
	if err != nil || len(found) == 0 {
		return r, false
	}
	key := found[0].Key
	if ref.Market != "" && ref.Market != localKey {
		if key, ok = ms.Key(ctx, ref.Market); !ok {
			return r, false
		}
	} else if ref.Market != "" {
		key = localKey
	}
	if slices.ContainsFunc(found, func(l store.Location) bool { return l.Key != key }) {
		return r, false // from several sources
	}
	if ref.Version != "" {
		found = slices.DeleteFunc(found, func(l store.Location) bool { return l.Version != ref.Version })
		if _, _, build := cutBuild(ref.Version); build {
			return r, false // it may be named by its digest
		}
	}
	if len(found) == 0 {
		return r, false
	}
	best := slices.MaxFunc(found, func(a, b store.Location) int { return compareReleases(a.Version, b.Version) })
	for _, l := range found {
		if l != best && compareReleases(l.Version, best.Version) == 0 {
			return r, false
		}
	}
	r, err = st.At(best)
	return r, err == nil
}
