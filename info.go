package pinion

import (
	"context"
	"errors"
	"slices"
	"time"

	"pinion/hashes"
	"pinion/manifest"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/store"
)

// InfoReport is the JSON document pinion.info/v1.
type InfoReport struct {
	Schema      string               `json:"schema"`
	ID          string               `json:"id"`
	Title       string               `json:"title"`
	Version     string               `json:"version"`
	Marketplace string               `json:"marketplace"`
	Source      string               `json:"source"`
	Commit      string               `json:"commit"`
	Path        string               `json:"path"`
	Kind        manifest.Kind        `json:"kind"`
	Format      string               `json:"format"`
	License     string               `json:"license"`
	Description string               `json:"description"`
	Digest      hashes.Digest        `json:"digest"`
	Published   bool                 `json:"published"` // the catalog states the digest
	Status      market.Status        `json:"status"`
	Why         string               `json:"why"`
	Rewritten   bool                 `json:"rewritten"`
	Files       int                  `json:"files"`
	Bytes       int64                `json:"bytes"`
	Components  []manifest.Component `json:"components"`
	Installed   []string             `json:"installed"` // versions
	Active      string               `json:"active"`    // version, "" for none
	Known       []KnownVersion       `json:"known"`     // everything the ledger remembers, oldest first
	// Capabilities is set by [Client.InfoCapabilities].
	Capabilities *InfoCapabilities `json:"capabilities,omitempty"`
}

// KnownVersion is one version that was seen.
type KnownVersion struct {
	Version   string        `json:"version"`
	Digest    hashes.Digest `json:"digest"`
	Commit    string        `json:"commit"`
	FirstSeen time.Time     `json:"firstSeen"`
}

// Info says what the local catalogs and the store know of a plugin. It works
// offline; with a path it describes the package there.
func (c *Client) Info(ctx context.Context, ref Ref) (*InfoReport, error) {
	return c.info(ctx, ref, false)
}

func (c *Client) info(ctx context.Context, ref Ref, capabilities bool) (*InfoReport, error) {
	if ref.Path != "" {
		return c.infoPath(ctx, ref.Path, capabilities)
	}
	st, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, notFound("add one first: pinion marketplace add OWNER/REPO", "no marketplace has been added")
	}
	r := &InfoReport{Schema: "pinion.info/v1", ID: ref.ID, Installed: []string{}, Known: []KnownVersion{}, Components: []manifest.Component{}}
	receipts, _, err := st.Find(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	ch, err := c.choose(ctx, ms, ref)
	offered := &ch
	if err != nil {
		offered = nil
		var nf *NotFoundError
		if !errors.As(err, &nf) || len(receipts) == 0 {
			return nil, err
		}
		// Installed from a path, or from a marketplace that is gone.
		in, err := c.installedBuild(ctx, st, ms, ref)
		if err != nil {
			return nil, err
		}
		r.fromReceipt(in)
	} else if err := r.fromChoice(ms, ch); err != nil {
		return nil, err
	} else if in, ok := newestReceipt(receipts, ch.market.Key); ok && r.Version == "" {
		// The catalog names only where it lives; what was fetched from there says
		// more.
		r.fromReceipt(in)
	}
	for _, in := range receipts {
		if !slices.Contains(r.Installed, in.Version) {
			r.Installed = append(r.Installed, in.Version)
		}
	}
	effective, _, err := st.Effective(ctx, c.projectOrNone())
	if err != nil {
		return nil, err
	}
	for _, p := range effective {
		if p.ID == r.ID && p.Current != nil {
			r.Active = p.Current.Version
		}
	}
	if capabilities {
		r.Capabilities, err = c.offeredCapabilities(ctx, st, ms, r, receipts, offered)
	}
	return r, err
}

func (r *InfoReport) fromChoice(ms *market.Markets, ch choice) error {
	p := ch.plugin
	r.ID, r.Title, r.Version, r.Marketplace, r.Source = p.ID, p.Title, p.Version, ch.market.Name, ch.market.Source
	if p.Origin.Spec != "" {
		r.Source = p.Origin.Spec
	}
	r.Commit, r.Path, r.Kind, r.Format, r.License = p.Origin.Commit, p.Origin.Path, p.Kind, p.Format, p.License
	r.Description, r.Digest, r.Published, r.Status, r.Why = p.Description, p.Digest, p.Published, p.Status, p.Why
	r.Rewritten, r.Files, r.Bytes = p.Rewritten, p.Files, p.Bytes
	if p.Components != nil {
		r.Components = p.Components
	}
	l, err := ms.Ledger(ch.market.Key)
	if err != nil {
		return err
	}
	for _, f := range l.Of(p.ID) {
		r.Known = append(r.Known, KnownVersion{Version: f.Version, Digest: f.Digest, Commit: f.Origin.Commit, FirstSeen: f.FirstSeen})
	}
	return nil
}

// newestReceipt returns the highest installed version from one source.
func newestReceipt(receipts []store.Receipt, key string) (store.Receipt, bool) {
	mine := slices.DeleteFunc(slices.Clone(receipts), func(in store.Receipt) bool { return in.Key != key })
	if len(mine) == 0 {
		return store.Receipt{}, false
	}
	return slices.MaxFunc(mine, compareReceipts), true
}

func (r *InfoReport) fromReceipt(in store.Receipt) {
	r.Title, r.Version, r.Marketplace, r.Source, r.Commit = in.Name, in.Version, in.Origin.Marketplace, in.Origin.Source, in.Origin.Commit
	r.Path, r.Kind, r.Format, r.License, r.Description = in.Origin.Path, in.Kind, in.Format, in.License, in.Description
	r.Digest, r.Files, r.Bytes, r.Status = in.Digest, len(in.Files), in.Bytes(), market.Ready
	if in.Components != nil {
		r.Components = in.Components
	}
	if in.Origin.Repository != "" {
		r.Source = in.Origin.Repository
	}
}

func (c *Client) infoPath(ctx context.Context, path string, capabilities bool) (*InfoReport, error) {
	var r *InfoReport
	err := c.single(ctx, path, func(p *pkgfmt.Package) error {
		rep, m := report(p), p.Manifest
		r = &InfoReport{
			Schema: "pinion.info/v1", ID: rep.ID, Title: m.Name, Version: rep.Version, Marketplace: "local", Source: path,
			Kind: rep.Kind, Format: rep.Format, License: m.License, Description: m.Description, Digest: rep.Digest,
			Status: market.Ready, Files: rep.Files, Bytes: rep.Bytes, Components: m.Components, Installed: []string{}, Known: []KnownVersion{},
		}
		if r.Components == nil {
			r.Components = []manifest.Component{}
		}
		if capabilities {
			r.Capabilities = capabilitiesOf(p)
		}
		if bad, ok := rep.Problems.ForUse().First(); ok {
			r.Status, r.Why = market.Unavailable, bad.String()
		}
		return nil
	})
	return r, err
}
