package pinion

import (
	"context"

	"pinion/market"
	"pinion/store"
)

// sourceNames are what the sources of installed versions are called. An alias is
// no identity: a lock file, or a marketplace that was removed since, may have
// written into a receipt the name that another source has now.
type sourceNames struct {
	name  map[string]string // key → alias
	taken map[string]bool   // aliases
}

func namesOf(list []*market.Market) sourceNames {
	n := sourceNames{name: map[string]string{localKey: localKey}, taken: map[string]bool{localKey: true}}
	for _, m := range list {
		n.name[m.Key], n.taken[m.Name] = m.Name, true
	}
	return n
}

// sourceNames reads them from the marketplaces that are added; ms may be nil.
func (c *Client) sourceNames(ctx context.Context, ms *market.Markets) (sourceNames, error) {
	if ms == nil {
		return namesOf(nil), nil
	}
	list, _, err := ms.Heads(ctx)
	return namesOf(list), err
}

// of returns what the source with the key is called: its alias, else the one
// noted for it, with the start of the key where that is another source's or
// cannot be an alias.
func (n sourceNames) of(key, noted string) string {
	if name, ok := n.name[key]; ok {
		return name
	}
	bad := market.CheckAlias(noted) != nil
	if bad {
		noted = "source"
	}
	if bad || n.taken[noted] {
		return noted + "-" + key[:min(8, len(key))]
	}
	return noted
}

func (n sourceNames) ofReceipt(r store.Receipt) string {
	if _, ok := n.name[r.Key]; !ok && r.Origin.Marketplace == importKey {
		return importKey
	}
	return n.of(r.Key, r.Origin.Marketplace)
}
