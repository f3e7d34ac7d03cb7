package pinion

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"pinion/hashes"
	"pinion/host"
	"pinion/internal/fsx"
	"pinion/market"
	"pinion/source"
	"pinion/store"
)

// importKey is the alias in the receipts of what a host had from a repository
// without a catalog. No marketplace, and so no lock file, can have it.
const importKey = "import"

// ImportOptions are the choices of [Client.HostImport].
type ImportOptions struct {
	Project  bool
	Activate bool // also activate what is enabled in the host
	Allow    []Grant
	DryRun   bool
}

// ImportReport says what was taken over from a host. It is the JSON document
// pinion.host-import/v1.
type ImportReport struct {
	Schema       string           `json:"schema"`
	Host         string           `json:"host"`
	Marketplaces []ImportedMarket `json:"marketplaces"`
	Plugins      []ImportedPlugin `json:"plugins"`
	DryRun       bool             `json:"dryRun"`
	// Hosts are the linked hosts, with what activating changed in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// ImportedMarket is one marketplace of the host.
type ImportedMarket struct {
	Shown   string `json:"shown"`  // as the host calls it
	Name    string `json:"name"`   // the alias here, "" when it was left out
	Source  string `json:"source"` // as the host wrote it
	Commit  string `json:"commit"`
	Plugins int    `json:"plugins"`
	Already bool   `json:"already"` // it was added before, and stays as it is
	Why     string `json:"why"`     // why it was left out, "" when it was not

	err error
}

// ImportedPlugin is one plugin of the host.
type ImportedPlugin struct {
	Shown       string        `json:"shown"` // as the host calls it
	ID          string        `json:"id"`    // here, "" when it was left out
	Version     string        `json:"version"`
	Marketplace string        `json:"marketplace"`
	Commit      string        `json:"commit"`
	Digest      hashes.Digest `json:"digest,omitzero"`
	Enabled     bool          `json:"enabled"` // in the host
	Already     bool          `json:"already"` // exactly this was installed before
	Active      bool          `json:"active"`  // here, now
	// Differences are files that are not the same in the host and in the package
	// at this commit.
	Differences []ImportDifference `json:"differences"`
	Compared    int                `json:"compared"` // files; 0 when the host's copy was not found
	Why         string             `json:"why"`      // why it was left out or not activated
	Next        string             `json:"next"`     // the command for it
}

// ImportDifference is one file.
type ImportDifference struct {
	Path string `json:"path"`
	What string `json:"what"` // "changed", "missing", "added", "not a regular file"
}

// HostImport takes over what a host has installed by itself: the same
// marketplaces at the same commits, the same plugins, each installed and pinned
// by the digest of its bytes at the commit that the host recorded. What the host
// has on its disk is compared with those bytes and never copied. What cannot be
// taken over is in the report with the reason, and stops nothing.
//
// Nothing of the host changes, and nothing becomes active unless asked for, by
// the same gate as everywhere.
func (c *Client) HostImport(ctx context.Context, name string, o ImportOptions) (*ImportReport, error) {
	a, pl, _, err := c.hostIn(name, o.Project)
	if err != nil {
		return nil, err
	}
	installed, err := a.Installed(ctx, pl)
	if err != nil {
		return nil, err
	}
	var known []host.Marketplace
	if m, ok := a.(host.Marketer); ok {
		if known, err = m.Marketplaces(ctx, pl); err != nil {
			return nil, err
		}
	}
	if !o.DryRun {
		return c.importAll(ctx, name, known, installed, o)
	}
	return c.tryImport(ctx, name, known, installed, o)
}

// tryImport takes over in a home that is thrown away, and says of each part what
// the user's own home has already.
func (c *Client) tryImport(ctx context.Context, name string, known []host.Marketplace, installed []host.Installed, o ImportOptions) (*ImportReport, error) {
	home, err := os.MkdirTemp("", "pinion-")
	if err != nil {
		return nil, err
	}
	defer func() {
		// What was installed there is read-only, which os.RemoveAll does not remove.
		if d, err := fsx.OpenHome(home, fsx.Options{}); err == nil {
			err = errors.Join(d.RemoveAll("packages"), d.RemoveAll("staging"), d.Close())
			c.o.Log.Debug("removed what was tried", "err", err)
		}
		os.RemoveAll(home)
	}()
	other := c.o
	other.Home = home
	t, err := New(other)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	o.Activate = false
	r, err := t.importAll(ctx, name, known, installed, o)
	if err != nil {
		return nil, err
	}
	r.DryRun = true
	st, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	for i, m := range r.Marketplaces {
		if spec, err := source.Parse(m.Source, c.o.Cwd); err == nil && m.Why == "" {
			if have, err := headOf(ctx, ms, spec); err == nil {
				r.Marketplaces[i].Already, r.Marketplaces[i].Name = true, have.Name
			}
		}
	}
	for i, p := range r.Plugins {
		receipts, _, err := st.Find(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		r.Plugins[i].Already = slices.ContainsFunc(receipts, func(in store.Receipt) bool { return in.Digest == p.Digest })
	}
	return r, nil
}

func (c *Client) importAll(ctx context.Context, name string, known []host.Marketplace, installed []host.Installed, o ImportOptions) (*ImportReport, error) {
	r := &ImportReport{Schema: "pinion.host-import/v1", Host: name, Marketplaces: []ImportedMarket{}, Plugins: []ImportedPlugin{}, DryRun: o.DryRun}
	if len(known) == 0 && len(installed) == 0 {
		return r, nil // no reason to make a home
	}
	st, ms, _, err := c.state(true)
	if err != nil {
		return nil, err
	}
	if err := st.Prepare(ctx); err != nil {
		return nil, err
	}
	// A host may have plugins of a marketplace that it no longer knows.
	for _, in := range installed {
		if in.Marketplace != "" && in.Source != "" && !slices.ContainsFunc(known, func(m host.Marketplace) bool { return m.Name == in.Marketplace }) {
			known = append(known, host.Marketplace{Name: in.Marketplace, Source: in.Source, Ref: in.Ref})
		}
	}
	for _, m := range known {
		got := c.importMarket(ctx, ms, m)
		if err := cannotGoOn(ctx, got.err); err != nil {
			return r, err
		}
		r.Marketplaces = append(r.Marketplaces, got)
	}
	for _, in := range installed {
		got, err := c.importPlugin(ctx, st, ms, r.Marketplaces, in, o)
		if err := cannotGoOn(ctx, err); err != nil {
			return r, err
		}
		r.Plugins = append(r.Plugins, got)
	}
	if o.Activate {
		r.Hosts = c.updateHosts(ctx, false, false)
	}
	return r, c.relockUnless(ctx, o.Project && o.Activate, o.DryRun)
}

// cannotGoOn returns the errors after which trying the next plugin makes no
// sense: the run was stopped, or this machine's disk does not play along.
func cannotGoOn(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, why := range []error{fsx.ErrNotDurable, fsx.ErrNoSpace, fsx.ErrReadOnly, syscall.ENOSPC, syscall.EROFS} {
		if errors.Is(err, why) {
			return err
		}
	}
	return nil
}

// importMarket adds one marketplace where the host has it.
func (c *Client) importMarket(ctx context.Context, ms *market.Markets, m host.Marketplace) ImportedMarket {
	r := ImportedMarket{Shown: m.Name, Source: source.Shown(m.Source), Commit: m.Commit, Why: m.Why}
	if m.Why != "" {
		return r
	}
	spec, err := source.Parse(m.Source, c.o.Cwd)
	if err == nil && spec.Kind == source.Dir {
		err = errors.New("it is a local path: what lies there has no commit")
	}
	if err == nil && m.Ref != "" {
		text := spec.String() + "#" + m.Ref
		if spec.Kind == source.GitHub {
			text = spec.String() + "@" + m.Ref
		}
		spec, err = source.Parse(text, c.o.Cwd)
	}
	if err != nil {
		r.Why, r.err = err.Error(), nil
		return r
	}
	if have, err := headOf(ctx, ms, spec); err == nil {
		r.Name, r.Commit, r.Plugins, r.Already = have.Name, have.State.Pin.Commit, have.State.Count, true
		return r
	}
	o := market.AddOptions{Catalog: m.Catalog, Commit: m.Commit}
	for n := 1; ; n++ {
		rep, err := ms.Add(ctx, spec.String(), o)
		var taken *market.TakenError
		if errors.As(err, &taken) && n < 10 { // two hosts may call two sources by one name
			o.Name = fmt.Sprintf("%s-%d", taken.Name, n+1)
			continue
		}
		if err != nil {
			r.Why, r.err = forbidden(spec.String(), err).Error(), err
			return r
		}
		r.Name, r.Commit, r.Plugins = rep.Name, rep.Commit, rep.Plugins
		return r
	}
}

// marketOf returns the taken-over marketplace that a host's plugin names.
func marketOf(list []ImportedMarket, in host.Installed) (ImportedMarket, string) {
	i := slices.IndexFunc(list, func(m ImportedMarket) bool { return m.Shown == in.Marketplace })
	switch {
	case i < 0:
		return ImportedMarket{}, fmt.Sprintf("the host does not know its marketplace %q any more", in.Marketplace)
	case list[i].Why != "":
		return ImportedMarket{}, fmt.Sprintf("its marketplace %s was left out: %s", in.Marketplace, list[i].Why)
	}
	return list[i], ""
}

func leftOut(in host.Installed, format string, args ...any) ImportedPlugin {
	p := ImportedPlugin{Shown: in.Shown, Version: in.Version, Commit: in.Commit, Enabled: in.Enabled, Differences: []ImportDifference{}}
	p.Why = strings.TrimSpace(fmt.Sprintf(format, args...))
	return p
}
