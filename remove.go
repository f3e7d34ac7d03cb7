package pinion

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"pinion/hashes"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/store"
	"pinion/tree"
)

// UninstallOptions are the choices of an uninstall.
type UninstallOptions struct {
	Force   bool // also the active or held version
	Project bool // take it out of the project's lock file
	DryRun  bool
}

// UninstallReport is the JSON document pinion.uninstall/v1.
type UninstallReport struct {
	Schema  string    `json:"schema"`
	Removed []Removed `json:"removed"`
	Freed   int64     `json:"freed"` // bytes
	DryRun  bool      `json:"dryRun"`
	// Hosts are the linked hosts, with what the change did in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// Removed is one build that is gone.
type Removed struct {
	ID      string        `json:"id"`
	Version string        `json:"version"`
	Digest  hashes.Digest `json:"digest"`
	Bytes   int64         `json:"bytes"`
	Why     string        `json:"why"` // of what gc keeps, "" otherwise
}

// Uninstall removes installed versions and leaves nothing of them; a REF without
// a version means every version. Without force the active version and held
// plugins are refused, and then nothing is removed.
func (c *Client) Uninstall(ctx context.Context, refs []Ref, o UninstallOptions) (*UninstallReport, error) {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, c.notInstalled(ctx, nil, refs[0], nil)
	}
	r := &UninstallReport{Schema: "pinion.uninstall/v1", Removed: []Removed{}, DryRun: o.DryRun}
	var builds []store.Receipt
	for _, ref := range refs {
		some, err := c.installedBuilds(ctx, st, ms, ref)
		if err != nil {
			return nil, err
		}
		builds = append(builds, some...)
	}
	if err := c.inUseFirst(ctx, st, builds, o.DryRun && !o.Force); err != nil {
		return nil, err
	}
	for _, b := range builds {
		if !o.DryRun {
			if err := c.uninstall(ctx, st, b, o); err != nil {
				r.Hosts = c.updateHosts(ctx, false, true)
				return r, err
			}
		}
		r.Removed = append(r.Removed, Removed{ID: b.ID, Version: b.Version, Digest: b.Digest, Bytes: b.Bytes()})
		r.Freed += b.Bytes()
	}
	r.Hosts = c.updateHosts(ctx, o.DryRun, true)
	return r, c.relockUnless(ctx, o.Project, o.DryRun)
}

// installedBuilds returns what a REF means to verbs that look after what is
// stored: the named version, or without one every version of the plugin from
// the same source.
func (c *Client) installedBuilds(ctx context.Context, st *store.Store, ms *market.Markets, ref Ref) ([]store.Receipt, error) {
	one, err := c.installedBuild(ctx, st, ms, ref)
	var missing *NotFoundError
	if errors.As(err, &missing) || errors.Is(err, store.ErrDamaged) {
		return damagedBuilds(ctx, st, ref, err)
	}
	if err != nil || ref.Version != "" {
		return []store.Receipt{one}, err
	}
	all, _, err := st.Find(ctx, one.ID)
	return slices.DeleteFunc(all, func(r store.Receipt) bool { return r.Key != one.Key }), err
}

// damagedBuilds returns the versions whose receipt cannot be read: they can be
// removed by name, though nothing else. Without any it returns err.
func damagedBuilds(ctx context.Context, st *store.Store, ref Ref, err error) ([]store.Receipt, error) {
	_, damage, ferr := st.Find(ctx, ref.ID)
	if ferr != nil {
		return nil, ferr
	}
	var out []store.Receipt
	for _, d := range damage {
		b := d.Build
		if b.ID == ref.ID && b.Version != "" && (ref.Version == "" || ref.Version == b.Version) {
			out = append(out, store.Receipt{Key: b.Key, ID: b.ID, Version: b.Version})
		}
	}
	if len(out) == 0 {
		return nil, err
	}
	return out, nil
}

// inUseFirst moves what is active to the front, so that a refusal comes before
// anything was removed. With dry it gives that refusal itself.
func (c *Client) inUseFirst(ctx context.Context, st *store.Store, builds []store.Receipt, dry bool) error {
	used := map[store.Build]bool{}
	scopes := []store.Scope{{}}
	projects, _, err := st.Projects(ctx)
	if err != nil {
		return err
	}
	for _, p := range projects {
		scopes = append(scopes, store.Scope{Project: p.Root})
	}
	for _, sc := range scopes {
		pointers, _, err := st.Actives(ctx, sc)
		if err != nil {
			return err
		}
		for _, p := range pointers {
			if p.Current != nil {
				used[*p.Current] = true
			}
		}
	}
	for _, b := range builds {
		if dry && used[b.Build()] {
			return blocked("activate another version first, or add --force", "%s %s is active", b.ID, b.Version)
		}
	}
	slices.SortStableFunc(builds, func(a, b store.Receipt) int {
		switch ua, ub := used[a.Build()], used[b.Build()]; {
		case ua == ub:
			return 0
		case ua:
			return -1
		}
		return 1
	})
	return nil
}

// uninstall removes one build. For the project it is taken out of the project
// first, which is what was asked for, and then only kept by who else uses it.
func (c *Client) uninstall(ctx context.Context, st *store.Store, b store.Receipt, o UninstallOptions) error {
	if o.Project {
		sc, err := c.scope(true)
		if err != nil {
			return err
		}
		p, err := st.Active(ctx, sc, b.ID)
		if err != nil {
			return err
		}
		if p.Current != nil && *p.Current == b.Build() {
			if _, err := st.Clear(ctx, sc, b.ID); err != nil {
				return err
			}
		}
	}
	err := st.Uninstall(ctx, b.Build(), o.Force)
	if o.Project && (errors.Is(err, store.ErrActive) || errors.Is(err, store.ErrHeld)) {
		return nil // somebody else's; out of this project it is
	}
	if err == nil {
		c.forgetReports(ctx, st, b.Build())
	}
	return err
}

// GCReport is the JSON document pinion.gc/v1.
type GCReport struct {
	Schema  string    `json:"schema"`
	Removed []Removed `json:"removed"`
	Kept    []Removed `json:"kept"`
	Garbage []string  `json:"garbage"`
	Orphans []string  `json:"orphans"` // projects whose directory is gone
	Damaged []string  `json:"damaged"`
	Freed   int64     `json:"freed"`
	DryRun  bool      `json:"dryRun"`
}

// GC removes versions that nothing needs. It keeps what is active or held, and
// keep versions before the active one.
func (c *Client) GC(ctx context.Context, keep int, dryRun bool) (*GCReport, error) {
	r := &GCReport{
		Schema: "pinion.gc/v1", Removed: []Removed{}, Kept: []Removed{}, Garbage: []string{}, Orphans: []string{}, Damaged: []string{}, DryRun: dryRun,
	}
	st, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	if !dryRun {
		if err := ms.Clean(ctx); err != nil {
			return r, err
		}
	}
	plan, err := st.GC(ctx, keep, nil, dryRun)
	for _, it := range plan.Remove {
		r.Removed = append(r.Removed, Removed{ID: it.Build.ID, Version: it.Build.Version, Digest: it.Build.Digest, Bytes: it.Bytes})
	}
	for _, it := range plan.Keep {
		r.Kept = append(r.Kept, Removed{ID: it.Build.ID, Version: it.Build.Version, Digest: it.Build.Digest, Bytes: it.Bytes, Why: it.Why})
	}
	r.Garbage = append(r.Garbage, plan.Garbage...)
	for _, p := range plan.Orphans {
		r.Orphans = append(r.Orphans, p.Root)
	}
	for _, d := range plan.Damaged {
		r.Damaged = append(r.Damaged, d.Path+" "+d.Reason)
	}
	r.Freed = plan.Freed
	if err == nil && !dryRun {
		// What gc is for is done; a report that stays is a file too many.
		if err := c.sweepReports(ctx, st); err != nil {
			c.o.Log.Debug("reports of what is gone stay", "error", err)
		}
	}
	return r, err
}

// VerifyReport is the JSON document pinion.verify/v1.
type VerifyReport struct {
	Schema      string       `json:"schema"`
	OK          bool         `json:"ok"`
	Checked     int          `json:"checked"` // builds
	Differences []Difference `json:"differences"`
	Repaired    []string     `json:"repaired"`
	Failed      []string     `json:"failed"` // what could not be repaired, with the reason
	// Hosts are the ways in which linked hosts are not what they should be.
	Hosts []HostDifference `json:"hosts,omitempty"`
}

// Difference is one way in which the store is not what its receipts say.
type Difference struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Path    string `json:"path"`
	What    string `json:"what"`
	Detail  string `json:"detail"`
	Fix     string `json:"fix"`
}

var ruleStoreChanged = problem.Rule{
	ID: "store/changed", Severity: problem.Error, Since: "0.1.0",
	Title:   "An installed file is not what was installed",
	Help:    "The receipt records the digest, the mode and the name of every file at the time it was verified. Something on this machine changed the directory since; what runs now is not what was consented to.",
	Fix:     "pinion verify --repair fetches the recorded bytes again",
	Example: "text-tools@1.0.0/server.py edited in the store",
}

// storeRules lists the rules of [Client.Verify].
func storeRules() []problem.Rule { return []problem.Rule{ruleStoreChanged, ruleHostChanged} }

// Problems returns the differences as findings, for reports in other formats.
func (r *VerifyReport) Problems() problem.List {
	out := make(problem.List, 0, len(r.Differences))
	for _, d := range r.Differences {
		file := d.Path
		if d.ID != "" && !filepath.IsAbs(d.Path) {
			file = d.ID + "@" + d.Version
			if d.Path != "." {
				file += "/" + d.Path
			}
		}
		text := d.What
		if d.Detail != "" {
			text += ": " + d.Detail
		}
		p := ruleStoreChanged.Report("%s", text).At(file, 0, 0)
		p.Fix = strings.TrimPrefix(d.Fix, "run: ")
		if d.What == string(store.NoReceipt) && d.ID != "" {
			p.Fix = "pinion install " + d.ID + "@" + d.Version
		}
		out = append(out, p)
	}
	for _, d := range r.Hosts {
		out = append(out, d.problem())
	}
	return out
}

// Verify re-hashes installed versions, all without refs, against their
// receipts; a REF without a version means every version of the plugin. With repair what differs is fetched again from its recorded commit,
// or read again from the directory it came from, and put in place when it has
// the recorded digest. What linked hosts have of the plugins is compared too; that
// is repaired by [Client.HostLink].
func (c *Client) Verify(ctx context.Context, refs []Ref, repair bool) (*VerifyReport, error) {
	r := &VerifyReport{Schema: "pinion.verify/v1", OK: true, Differences: []Difference{}, Repaired: []string{}, Failed: []string{}}
	st, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return r, err
	}
	var builds []store.Build
	for _, ref := range refs {
		some, err := c.installedBuilds(ctx, st, ms, ref)
		if err != nil {
			return nil, err
		}
		for _, b := range some {
			builds = append(builds, b.Build())
		}
	}
	if r.Checked = len(builds); r.Checked == 0 {
		all, _, err := st.List(ctx)
		if err != nil {
			return nil, err
		}
		r.Checked = len(all)
	}
	diffs, err := st.Verify(ctx, builds...)
	if err != nil {
		return nil, err
	}
	broken := map[store.Build]bool{}
	var order []store.Build
	for _, d := range diffs {
		r.Differences = append(r.Differences, Difference{
			ID: d.Build.ID, Version: d.Build.Version, Path: d.Path, What: string(d.What), Detail: d.Detail, Fix: d.Fix,
		})
		if !broken[d.Build] && d.Build.ID != "" {
			broken[d.Build] = true
			order = append(order, d.Build)
		}
	}
	if r.Hosts, err = c.verifyHosts(ctx, refs); err != nil {
		return nil, err
	}
	r.OK = len(diffs)+len(r.Hosts) == 0
	if !repair {
		return r, nil
	}
	for _, b := range order {
		if err := c.repair(ctx, st, b); err != nil {
			r.Failed = append(r.Failed, b.Ref()+": "+err.Error())
			continue
		}
		r.Repaired = append(r.Repaired, b.Ref())
	}
	left, err := st.Verify(ctx, builds...)
	if err != nil {
		return nil, err
	}
	r.OK = len(left)+len(r.Hosts) == 0
	return r, nil
}

// errNoReceipt is a build that cannot be repaired, because nothing says what it
// was.
var errNoReceipt = errors.New("its receipt cannot be read, so nothing says which bytes it should have; pinion install REF writes it again")

// repair fetches one build again and exchanges it.
func (c *Client) repair(ctx context.Context, st *store.Store, b store.Build) error {
	r, err := st.Receipt(b)
	if err != nil {
		return errNoReceipt
	}
	p, err := c.stageReceipt(ctx, st, r)
	if err != nil {
		return err
	}
	defer p.Stage.Discard()
	_, err = st.Replace(ctx, p)
	return err
}

// stageReceipt brings the bytes that a receipt records into a stage again.
func (c *Client) stageReceipt(ctx context.Context, st *store.Store, r store.Receipt) (store.Placement, error) {
	if r.Key == localKey {
		p, err := c.stagePath(ctx, st, r.Origin.Source)
		if err != nil {
			return p, err
		}
		if p.Verified.Digest() != r.Digest {
			p.Stage.Discard()
			return store.Placement{}, &hashes.MismatchError{What: r.Origin.Source, Want: r.Digest, Got: p.Verified.Digest()}
		}
		return p, nil
	}
	var p store.Placement
	err := c.fetchReceipt(ctx, r, func(t *tree.Tree, at pkgfmt.Place) error {
		var err error
		at.Name = r.ID
		p, err = c.stageTree(ctx, st, t, at, r.Digest)
		return err
	})
	p.Key, p.Origin = r.Key, r.Origin
	return p, err
}
