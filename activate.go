package pinion

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pinion/capability"
	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/market"
	"pinion/source"
	"pinion/store"
)

// ActivateOptions are the choices of an activation.
type ActivateOptions struct {
	Project bool
	Allow   []Grant
	DryRun  bool
	why     string // for the history; "activate" when empty
	skip    bool   // the user may skip this version
}

// ActivateReport says what is active now. It is the JSON document
// pinion.activate/v1.
type ActivateReport struct {
	Schema      string        `json:"schema"`
	ID          string        `json:"id"`
	Version     string        `json:"version"`
	Marketplace string        `json:"marketplace"`
	Digest      hashes.Digest `json:"digest"`
	Kind        manifest.Kind `json:"kind"`
	Previous    string        `json:"previous"` // version active before, "" for none
	Scope       string        `json:"scope"`
	State       State         `json:"state"`
	Changed     bool          `json:"changed"`
	Scan        string        `json:"scan"` // "" for kinds that run nothing
	DryRun      bool          `json:"dryRun"`
	// Hosts are the linked hosts, with what the change did in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// Activate makes an installed version the one that hosts use. An executable
// kind needs consent to exactly these bytes. Without a version the highest
// installed one is meant, among those that somebody other than a lock file
// brought: see [Client.toActivate].
func (c *Client) Activate(ctx context.Context, ref Ref, o ActivateOptions) (*ActivateReport, error) {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, c.notInstalled(ctx, nil, ref, nil)
	}
	r, err := c.toActivate(ctx, st, ms, ref, o.Project)
	if err != nil {
		return nil, err
	}
	rep, err := c.activate(ctx, st, r.Build(), o)
	if err != nil {
		return nil, err
	}
	rep.Hosts = c.updateHosts(ctx, o.DryRun, false)
	return rep, c.relockUnless(ctx, o.Project, o.DryRun)
}

func (c *Client) activate(ctx context.Context, st *store.Store, b store.Build, o ActivateOptions) (*ActivateReport, error) {
	sc, err := c.scope(o.Project)
	if err != nil {
		return nil, err
	}
	r, err := st.Receipt(b)
	if err != nil {
		return nil, err
	}
	j, err := c.gate(ctx, st, r, sc)
	if err != nil {
		return nil, err
	}
	consent, err := c.consent(ctx, st, sc, r, j, o)
	if err != nil {
		return nil, err
	}
	p, err := st.Active(ctx, sc, b.ID)
	if err != nil {
		return nil, err
	}
	rep := activated(r, sc, j)
	rep.DryRun, rep.State = o.DryRun, stateOf(p.Enabled)
	if p.Current != nil {
		rep.Previous = p.Current.Version
	}
	if o.DryRun {
		rep.Changed = p.Current == nil || *p.Current != b
		return rep, nil
	}
	if err := c.keep(j); err != nil {
		return nil, err
	}
	why := o.why
	if why == "" {
		why = "activate"
	}
	ch, err := st.Activate(ctx, sc, b, consent, why)
	if err != nil {
		return nil, err
	}
	rep.Changed, rep.State = ch.Changed, stateOf(ch.Enabled)
	return rep, nil
}

func activated(r store.Receipt, sc store.Scope, j *judgement) *ActivateReport {
	rep := &ActivateReport{
		Schema: "pinion.activate/v1", ID: r.ID, Version: r.Version, Marketplace: r.Origin.Marketplace, Digest: r.Digest,
		Kind: r.Kind, Scope: sc.String(),
	}
	if r.Kind.Executable() {
		rep.Scan = j.report.Summary()
	}
	return rep
}

func stateOf(enabled bool) State {
	if enabled {
		return StateActive
	}
	return StateDisabled
}

// consent returns what is to be remembered of the user's agreement, nil when
// there is nothing new to remember. Without the agreement that the package
// needs it is a [*ConsentError].
//
// Consent belongs to a digest. An update of a plugin that was agreed to before
// needs a new one only for capabilities that are new.
func (c *Client) consent(ctx context.Context, st *store.Store, sc store.Scope, r store.Receipt, j *judgement, o ActivateOptions) (*store.Consent, error) {
	if !r.Kind.Executable() {
		return nil, nil
	}
	p, err := st.Active(ctx, sc, r.ID)
	if err != nil {
		return nil, err
	}
	if _, ok := p.Consent(r.Build()); ok {
		return nil, nil
	}
	old, earlier := c.agreed(ctx, st, p, r)
	var before *capability.Summary
	if earlier {
		if before, err = c.powers(ctx, st, old); err != nil {
			return nil, err
		}
	}
	lines, anyNew := summary(j.capabilities, before)
	needs := []Grant{GrantExtension, GrantComputer}
	if earlier {
		needs = nil
		if anyNew {
			needs = []Grant{GrantNewCapability}
		}
	}
	if open := missing(o.Allow, needs); len(open) > 0 {
		q := Question{
			Title: fmt.Sprintf("activating %s %s", r.ID, r.Version), ID: r.ID, Version: r.Version, Source: origin(r),
			Digest: r.Digest, Kind: r.Kind, License: r.License, Scan: j.report.Summary(), Needs: open, Lines: lines, Skippable: o.skip,
		}
		q.Show = c.show(st, step{to: r, from: old})
		if p.Current != nil {
			q.From = p.Current.Version
			// What runs now is what the user knows.
			if now, err := st.Receipt(*p.Current); err == nil {
				q.Show = c.show(st, step{to: r, from: now})
			}
		}
		if err := c.ask(q); err != nil {
			return nil, err
		}
	}
	return &store.Consent{
		Grants: []string{string(GrantExtension), string(GrantComputer)}, Capabilities: j.capabilities.Digest().String(),
		Report: j.report.Key().ID(), Policy: j.policy.String(),
	}, nil
}

// agreed returns the version that was agreed to last, from the same source;
// consent is never inherited from another one (SB-051).
func (c *Client) agreed(ctx context.Context, st *store.Store, p store.Pointer, r store.Receipt) (store.Receipt, bool) {
	for _, step := range p.History {
		b := step.Build
		if b.Key != r.Key || r.Key == localKey {
			continue
		}
		if _, ok := p.Consent(b); !ok {
			continue
		}
		if old, err := st.Receipt(b); err == nil {
			offered, err := c.offered(r)
			return old, offered && err == nil
		}
	}
	return store.Receipt{}, false
}

// offered reports whether the source itself offered an installed build to this
// user. A lock file may name any source for its bytes, and what only a lock
// file brought is no update of what the user agreed to.
func (c *Client) offered(r store.Receipt) (bool, error) {
	if r.Origin.Draft {
		return true, nil // of a directory that the user added; the ledger keeps no drafts
	}
	_, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return false, err
	}
	l, err := ms.Ledger(r.Key)
	if err != nil {
		return false, err
	}
	return l.Has(r.ID, r.Version, r.Digest, false), nil
}

func origin(r store.Receipt) string {
	s := r.Origin.Source
	if r.Origin.Repository != "" {
		s = r.Origin.Repository
	}
	if r.Origin.Commit != "" {
		s += " at " + source.Short(r.Origin.Commit)
	}
	return s
}

// installedBuild finds the installed version that a REF means.
func (c *Client) installedBuild(ctx context.Context, st *store.Store, ms *market.Markets, ref Ref) (store.Receipt, error) {
	if ref.Path != "" {
		return store.Receipt{}, usage("install it first: pinion install "+ref.Path, "%s is a path, not an installed plugin", ref.Path)
	}
	if r, ok := buildByName(ctx, st, ms, ref); ok {
		return r, nil
	}
	found, damaged, err := st.Find(ctx, ref.ID)
	if err != nil {
		return store.Receipt{}, err
	}
	// What is there and cannot be used must not be told as missing.
	for _, d := range damaged {
		if len(found) == 0 && ref.Version == "" || d.Build.Version != "" && d.Build.Version == ref.Version {
			return store.Receipt{}, &store.DamageError{Damage: d}
		}
	}
	if len(found) == 0 {
		all, _, err := st.List(ctx)
		if err != nil {
			return store.Receipt{}, err
		}
		return store.Receipt{}, c.notInstalled(ctx, ms, ref, all)
	}
	names, err := c.sourceNames(ctx, ms)
	if err != nil {
		return store.Receipt{}, err
	}
	for i := range found {
		found[i].Origin.Marketplace = names.ofReceipt(found[i])
	}
	if ref.Market != "" {
		found = slices.DeleteFunc(found, func(r store.Receipt) bool { return r.Origin.Marketplace != ref.Market })
	}
	have := versions(found)
	if ref.Version != "" {
		found = slices.DeleteFunc(found, func(r store.Receipt) bool { return !isVersion(r, ref.Version) })
		// A build that is named by its digest goes before a version that is only
		// written like one.
		if slices.ContainsFunc(found, func(r store.Receipt) bool { return r.Version != ref.Version }) {
			found = slices.DeleteFunc(found, func(r store.Receipt) bool { return r.Version == ref.Version })
		}
	}
	if len(found) == 0 {
		want := Ref{Market: ref.Market, Version: ref.Version}
		tip := "installed are: " + list(have, 8) + "; get it with: pinion install " + ref.String()
		if v := ref.Version; v != "" && (v[0] < '0' || v[0] > '9') && v[0] != 'v' { // another id
			tip = "installed are: " + list(have, 8) + "; the word after a plugin is a version, so name one plugin at a time"
		}
		return store.Receipt{}, notFound(tip,
			"%s%s is not installed", ref.ID, want)
	}
	best := slices.MaxFunc(found, func(a, b store.Receipt) int { return compareReceipts(a, b) })
	same := slices.DeleteFunc(slices.Clone(found), func(r store.Receipt) bool { return r.Key == best.Key && r.Version != best.Version })
	if others := slices.DeleteFunc(same, func(r store.Receipt) bool { return r.Digest == best.Digest && r.Key == best.Key }); len(others) > 0 {
		return c.ambiguous(ref, best, others)
	}
	return best, nil
}

// ambiguous settles a REF that fits several installed builds: another source is
// the user's choice to make; of several builds of one version the newest is not
// taken silently.
func (c *Client) ambiguous(ref Ref, best store.Receipt, others []store.Receipt) (store.Receipt, error) {
	var forms []string
	all := append([]store.Receipt{best}, others...)
	for _, r := range all {
		f := Ref{ID: r.ID, Market: r.Origin.Marketplace, Version: r.Version}.String()
		twice := func(o store.Receipt) bool { return o.Key == r.Key && o.Version == r.Version && o.Digest != r.Digest }
		if slices.ContainsFunc(all, twice) {
			f += "+" + r.Digest.Hex(8)
		}
		if !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	slices.Sort(forms)
	return store.Receipt{}, usage("say which: "+strings.Join(forms, ", "), "%q fits %d installed plugins", ref, len(forms))
}

func (c *Client) notInstalled(ctx context.Context, ms *market.Markets, ref Ref, all []store.Receipt) error {
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	if ms != nil {
		if _, err := c.choose(ctx, ms, ref); err == nil {
			return notFound("pinion install "+ref.String(), "%s is not installed", ref.ID)
		}
	}
	slices.Sort(ids)
	if near, ok := syntax.Nearest(ref.ID, slices.Compact(ids)); ok {
		return notFound("", "%s is not installed; did you mean %q?", ref.ID, near)
	}
	return notFound("pinion list shows what is installed; pinion search "+ref.ID+" looks in the catalogs", "%s is not installed", ref.ID)
}

func versions(rs []store.Receipt) []string {
	var out []string
	for _, r := range rs {
		if !slices.Contains(out, r.Version) {
			out = append(out, r.Version)
		}
	}
	return out
}

func isVersion(r store.Receipt, version string) bool {
	if r.Version == version {
		return true
	}
	v, build, ok := cutBuild(version)
	return ok && r.Version == v && r.Digest.Hex(8) == build
}

// compareReceipts orders by what "the highest release" means.
func compareReceipts(a, b store.Receipt) int {
	return cmp.Or(compareReleases(a.Version, b.Version), a.InstalledAt.Compare(b.InstalledAt))
}

// compareReleases orders versions: prereleases come before all releases, and
// versions made from digests have no order among themselves.
func compareReleases(a, b string) int {
	pa := manifest.IsPrerelease(a) && !isContent(a)
	pb := manifest.IsPrerelease(b) && !isContent(b)
	switch {
	case pa != pb && pa:
		return -1
	case pa != pb:
		return 1
	case isContent(a) && isContent(b):
		return 0
	}
	return manifest.CompareVersions(a, b)
}

// scope returns the user's scope, or the project's.
func (c *Client) scope(project bool) (store.Scope, error) {
	if !project {
		return store.Scope{}, nil
	}
	root, err := c.projectRoot()
	if err != nil {
		return store.Scope{}, err
	}
	return store.Scope{Project: root}, nil
}
