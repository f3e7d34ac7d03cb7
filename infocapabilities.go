package pinion

import (
	"context"
	"errors"
	"slices"

	"pinion/capability"
	"pinion/hashes"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/scan/checks"
	"pinion/store"
	"pinion/tree"
)

// InfoCapabilities is what a plugin may do, as far as it is known.
type InfoCapabilities struct {
	// Read is true when the plugin's bytes were looked at. Otherwise the entries
	// are the components that its catalog, or the last refresh, knows of.
	Read    bool               `json:"read"`
	Why     string             `json:"why"` // why they were not, "" when they were
	Entries []capability.Entry `json:"entries"`
	// Fetches is what is fetched when the plugin is started or used.
	Fetches   []capability.Fetch `json:"fetches"`
	License   InfoLicense        `json:"license"`
	Truncated bool               `json:"truncated"` // there is more than is listed
}

// InfoLicense is what a plugin says of its licence, and the text it ships.
type InfoLicense struct {
	Declared string `json:"declared"` // as it is written, "" for none
	Found    string `json:"found"`    // the SPDX id of the text, "" for none that is known
	File     string `json:"file"`     // of the text
}

// InfoCapabilities is [Client.Info] with what the plugin may do. The bytes are
// read where they are: at the path, in the store, in the cache of the
// marketplace. For a plugin that was never fetched, what its catalog says counts.
func (c *Client) InfoCapabilities(ctx context.Context, ref Ref) (*InfoReport, error) {
	return c.info(ctx, ref, true)
}

func capabilitiesOf(pkg *pkgfmt.Package) *InfoCapabilities {
	s := capability.Of(pkg)
	l := checks.LicenceOf(pkg)
	out := &InfoCapabilities{
		Read: true, Entries: s.Entries(), Fetches: s.Fetches, Truncated: s.Truncated,
		License: InfoLicense{Declared: pkg.Manifest.License, Found: l.Found, File: l.File},
	}
	return out.complete()
}

// complete turns nil into empty lists, which JSON documents promise.
func (i *InfoCapabilities) complete() *InfoCapabilities {
	if i.Entries == nil {
		i.Entries = []capability.Entry{}
	}
	if i.Fetches == nil {
		i.Fetches = []capability.Fetch{}
	}
	return i
}

// listed is what can be said without the bytes.
func (r *InfoReport) listed(why string) *InfoCapabilities {
	out := &InfoCapabilities{Why: why, License: InfoLicense{Declared: r.License}}
	for _, k := range r.Components {
		out.Entries = append(out.Entries, capability.Entry{What: string(k.Type), Name: k.Name, Value: k.Detail})
	}
	return out.complete()
}

// offeredCapabilities finds out what the described version may do. receipts are
// the installed versions of the plugin; ch is its place in a catalog, nil when
// no catalog has it.
func (c *Client) offeredCapabilities(ctx context.Context, st *store.Store, ms *market.Markets, r *InfoReport, receipts []store.Receipt, ch *choice) (*InfoCapabilities, error) {
	at := slices.IndexFunc(receipts, func(in store.Receipt) bool { return in.Digest == r.Digest && in.Version == r.Version })
	if at >= 0 && !r.Digest.IsZero() {
		pkg, _, err := c.installed(ctx, st, receipts[at])
		if err != nil {
			return nil, err
		}
		return capabilitiesOf(pkg), nil
	}
	if ch == nil {
		return r.listed("the installed files were not found"), nil
	}
	switch p := ch.plugin; p.Status {
	case market.Ready:
		return c.cachedCapabilities(ctx, ms, r, *ch)
	case market.Elsewhere:
		return r.listed("it lives in another repository and was not fetched yet; pinion marketplace refresh --deep, or installing it, does"), nil
	case market.Listed:
		return r.listed("it was not read yet; pinion marketplace refresh does"), nil
	default:
		return r.listed("it cannot be installed: " + p.Why), nil
	}
}

// cachedCapabilities reads what the last refresh read. Where that is gone and
// cannot be fetched again, the catalog's words are left.
func (c *Client) cachedCapabilities(ctx context.Context, ms *market.Markets, r *InfoReport, ch choice) (*InfoCapabilities, error) {
	var out *InfoCapabilities
	err := ms.Fetch(ctx, ch.market.Spec, ch.plugin.Origin, func(t *tree.Tree, at pkgfmt.Place) error {
		at.Name = ch.plugin.ID
		pkg := c.loader.Load(t, at)
		if _, err := pkg.Verify(ch.plugin.Digest); err != nil {
			return err
		}
		out = capabilitiesOf(pkg)
		return nil
	})
	var other *hashes.MismatchError
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &other):
		return nil, err
	}
	return r.listed("they could not be read: " + err.Error()), nil
}
