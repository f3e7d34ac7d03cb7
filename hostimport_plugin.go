package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"pinion/hashes"
	"pinion/host"
	"pinion/manifest"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/source"
	"pinion/store"
	"pinion/tree"
)

// importPlugin takes over one plugin of a host. Why it was left out is in the
// result; the error is for [cannotGoOn] alone.
func (c *Client) importPlugin(ctx context.Context, st *store.Store, ms *market.Markets, markets []ImportedMarket, in host.Installed, o ImportOptions) (ImportedPlugin, error) {
	if in.Why != "" {
		r := leftOut(in, "%s", in.Why)
		if in.Marketplace == "" && filepath.IsAbs(in.Dir) && !strings.ContainsFunc(in.Dir, needsQuotes) {
			r.Next = "pinion install " + in.Dir // a draft, of what lies there now
		}
		return r, nil
	}
	var staged store.Placement
	var err error
	if in.Marketplace == "" {
		staged, err = c.stageDirect(ctx, st, ms, in)
	} else {
		m, why := marketOf(markets, in)
		if why != "" {
			return leftOut(in, "%s", why), nil
		}
		staged, err = c.stageImport(ctx, st, ms, m, in, o)
	}
	if err != nil {
		return leftOut(in, "%v", forbidden(in.Shown, err)), err
	}
	defer staged.Stage.Discard()
	differences, compared, err := compareTrees(ctx, in.Dir, staged.Verified.Files(), len(staged.Origin.Select.Paths) > 0)
	if err != nil {
		return leftOut(in, "%v", err), err
	}
	if why := anotherVersion(in, staged, differences); why != "" {
		r := leftOut(in, "%s", why)
		r.Differences, r.Compared = differences, compared
		if in.Marketplace != "" {
			r.Next = "pinion marketplace refresh " + staged.Origin.Marketplace // the host may have a newer one
		}
		return r, nil
	}
	placed, err := st.Commit(ctx, []store.Placement{staged})
	if err != nil {
		return leftOut(in, "%v", err), err
	}
	r := ImportedPlugin{
		Shown: in.Shown, ID: placed[0].ID, Version: placed[0].Version, Marketplace: placed[0].Origin.Marketplace, Commit: placed[0].Origin.Commit,
		Digest: placed[0].Digest, Enabled: in.Enabled, Already: placed[0].Already, Differences: differences, Compared: compared,
	}
	return r, c.importActive(ctx, st, placed[0].Build(), o, &r)
}

// needsQuotes reports whether a shell could take a character for more than
// itself.
func needsQuotes(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@:", r)
}

// anotherVersion says why the bytes that a source has are not the plugin that
// the host has: no commit was recorded, and both bytes and version differ.
func anotherVersion(in host.Installed, p store.Placement, differences []ImportDifference) string {
	changed := 0
	for _, d := range differences {
		if d.What != "added" {
			changed++
		}
	}
	if in.Commit != "" || changed == 0 {
		return ""
	}
	v := p.Verified.Version()
	if in.Marketplace == "" {
		return fmt.Sprintf("the host recorded no commit, and %s at %s has other bytes", p.Origin.Source, shortCommit(p.Origin.Commit))
	}
	if manifest.ValidVersion(in.Version) && manifest.ValidVersion(v) && v != in.Version {
		return fmt.Sprintf("the host has %s and recorded no commit; %s at %s has %s", in.Version, p.Origin.Marketplace, shortCommit(p.Origin.Commit), v)
	}
	return ""
}

// stageImport brings a plugin of a marketplace into a stage, at the commit that
// the host recorded, else at that of the marketplace.
func (c *Client) stageImport(ctx context.Context, st *store.Store, ms *market.Markets, in ImportedMarket, p host.Installed, o ImportOptions) (store.Placement, error) {
	list, err := ms.Lookup(ctx, in.Name, p.Name)
	if err != nil {
		return store.Placement{}, err
	}
	if len(list) == 0 {
		return store.Placement{}, fmt.Errorf("%s has no plugin %q", in.Name, p.Name)
	}
	ref := Ref{ID: p.Name, Market: in.Name}
	var ch choice
	ok := false
	if p.Commit == "" && manifest.ValidVersion(p.Version) {
		ref.Version = p.Version
		if ch, ok, err = chooseIn(ms, list[0], ref); err != nil {
			return store.Placement{}, err
		}
	}
	if !ok {
		ref.Version = ""
		if ch, ok, err = chooseIn(ms, list[0], ref); err != nil {
			return store.Placement{}, err
		}
	}
	if !ok {
		return store.Placement{}, fmt.Errorf("%s at %s has no plugin %q", in.Name, shortCommit(in.Commit), p.Name)
	}
	if at := ch.plugin.Origin; source.IsCommit(p.Commit) && p.Commit != cmp.Or(at.Commit, in.Commit) {
		at.Commit = p.Commit
		ch.plugin = market.Plugin{ID: ch.plugin.ID, Status: market.Listed, Origin: at}
	}
	if err := ch.usable(); err != nil {
		return store.Placement{}, err
	}
	if ch.plugin, err = ms.Settle(ctx, ch.market, ch.plugin); err != nil {
		return store.Placement{}, err
	}
	if err := ch.usable(); err != nil {
		return store.Placement{}, err
	}
	b := store.Build{Key: ch.market.Key, ID: ch.plugin.ID, Version: ch.plugin.Version, Digest: ch.plugin.Digest}
	if ch.plugin.Rewritten && !granted(o.Allow, GrantRewritten) && !accepted(st, b) {
		return store.Placement{}, fmt.Errorf("%s %s has other bytes than when it was first seen; --allow rewritten takes them", b.ID, b.Version)
	}
	return c.stageChoice(ctx, st, ms, ch)
}

// stageDirect brings a plugin that came from a repository without a catalog into
// a stage. Without a recorded commit it is what the source has now.
func (c *Client) stageDirect(ctx context.Context, st *store.Store, ms *market.Markets, in host.Installed) (store.Placement, error) {
	spec, err := source.Parse(in.Source, c.o.Cwd)
	if err != nil {
		return store.Placement{}, err
	}
	if spec.Kind == source.Dir {
		return store.Placement{}, errors.New("it came from a local path: what lies there has no commit")
	}
	commit := in.Commit
	if !source.IsCommit(commit) {
		at := spec
		if at.Ref = in.Ref; at.Ref != "" {
			if why, _ := source.RefProblem(at.Ref); why != "" && !source.IsCommit(at.Ref) {
				return store.Placement{}, fmt.Errorf("its ref %q %s", at.Ref, why)
			}
		}
		src, err := c.open(at, false)
		if err != nil {
			return store.Placement{}, err
		}
		pin, err := src.Resolve(ctx, source.Pin{})
		if err != nil {
			return store.Placement{}, err
		}
		commit = pin.Commit
	}
	var p store.Placement
	from := market.Origin{Commit: commit, Path: cmp.Or(in.Path, ".")}
	err = ms.Fetch(ctx, spec.String(), from, func(t *tree.Tree, at pkgfmt.Place) error {
		at.Name = in.Name
		pkg := c.loader.Load(t, at)
		if err := pkg.Problems.ForUse().Err(); err != nil {
			return err
		}
		p, err = c.stageTree(ctx, st, t, at, hashes.Digest{})
		return err
	})
	if err != nil {
		return store.Placement{}, err
	}
	p.Key = spec.Key()
	p.Origin = store.Origin{Source: spec.Canonical(), Marketplace: importKey, Repository: spec.String(), Commit: commit, Path: from.Path}
	return p, nil
}

// importActive activates what is enabled in the host when that was asked for,
// and names the command when it was not or needs consent.
func (c *Client) importActive(ctx context.Context, st *store.Store, b store.Build, o ImportOptions, r *ImportedPlugin) error {
	sc, err := c.scope(o.Project)
	if err != nil {
		return err
	}
	p, err := st.Active(ctx, sc, b.ID)
	if err != nil {
		return err
	}
	if r.Active = p.Current != nil && *p.Current == b && p.Enabled; r.Active {
		return nil
	}
	r.Next = "pinion activate " + Ref{ID: b.ID, Version: b.Version}.String()
	if o.Project {
		r.Next += " --project"
	}
	if !o.Activate || !r.Enabled {
		return nil
	}
	a, err := c.activate(ctx, st, b, ActivateOptions{Project: o.Project, Allow: o.Allow, why: "host import"})
	if err != nil {
		r.Why = "installed, not activated: " + err.Error()
		return err
	}
	r.Active, r.Next = a.State == StateActive, ""
	return nil
}
