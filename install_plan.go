package pinion

import (
	"context"
	"errors"
	"io/fs"

	"pinion/hashes"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/source"
)

// planInstall says what an install would place, from what is known without
// writing anything: the catalogs, or the package at a path. A marketplace that
// would have to be added is asked, and its answer is not kept.
func (c *Client) planInstall(ctx context.Context, refs []Ref, o InstallOptions, r *InstallReport) (*InstallReport, error) {
	if o.From != "" {
		done, err := c.planFrom(ctx, refs, o, r)
		if err != nil || done {
			return r, err
		}
	}
	_, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if ref.Path != "" {
			in, err := c.planPath(ctx, ref.Path)
			if err != nil {
				return nil, err
			}
			r.Installed = append(r.Installed, in)
			continue
		}
		if !ok {
			return nil, c.notListed(ctx, nil, ref)
		}
		ch, err := c.choose(ctx, ms, ref)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(ch.usable(), c.allowRewritten(ch, ref, o)); err != nil {
			return nil, err
		}
		p := ch.plugin
		r.Installed = append(r.Installed, Installed{
			ID: p.ID, Version: p.Version, Marketplace: ch.market.Name, Kind: p.Kind, Digest: p.Digest, Files: p.Files,
			Bytes: p.Bytes, Pinned: p.Digest != hashes.Digest{},
		})
	}
	return r, nil
}

// planFrom plans an install from a source that is no marketplace yet. done is
// false when it is one already.
func (c *Client) planFrom(ctx context.Context, refs []Ref, o InstallOptions, r *InstallReport) (done bool, err error) {
	spec, err := source.Parse(o.From, c.o.Cwd)
	if err != nil {
		return false, err
	}
	_, ms, ok, err := c.state(false)
	if err != nil {
		return false, err
	}
	if ok {
		_, err := ms.ByKey(spec.Key())
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	if r.Added, err = c.MarketplaceAdd(ctx, o.From, market.AddOptions{RefreshOptions: market.RefreshOptions{DryRun: true, Only: idsOf(refs)}}); err != nil {
		return false, err
	}
	for _, ref := range refs {
		found := false
		for _, ch := range r.Added.Added {
			if ch.ID == ref.ID && (ref.Version == "" || ref.Version == ch.To) {
				d, _ := hashes.Parse(ch.Digest) // "" while it is not known
				r.Installed = append(r.Installed, Installed{ID: ch.ID, Version: ch.To, Marketplace: r.Added.Name, Digest: d})
				found = true
			}
		}
		if !found {
			return false, notFound("", "no plugin %q in %s", ref, o.From)
		}
	}
	return true, nil
}

func (c *Client) planPath(ctx context.Context, path string) (Installed, error) {
	var in Installed
	err := c.single(ctx, path, func(p *pkgfmt.Package) error {
		in = Installed{
			ID: p.ID(), Version: p.Version(), Marketplace: localKey, Kind: p.Manifest.Kind, Digest: p.Digest,
			Files: len(p.Tree.Files), Bytes: p.Tree.Bytes,
		}
		return p.Problems.Err()
	})
	return in, err
}
