package pinion

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pinion/capability"
	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/policy"
	"pinion/problem"
	"pinion/scan"
	"pinion/scan/checks"
	"pinion/scan/launch"
	"pinion/source"
	"pinion/store"
	"pinion/tree"
)

// GateError is an activation that the scan or a policy does not allow. Exit
// code 3. Its reasons name the finding, and the file and line of the policy that
// decided.
type GateError struct {
	ID, Version string
	Reasons     problem.List
	Report      *scan.Report
}

// Error says what is not allowed and the first reason.
func (e *GateError) Error() string {
	return fmt.Sprintf("%s %s may not be activated: %s", e.ID, e.Version, e.Reasons[0].Message)
}

// Hint tells where to read more.
func (e *GateError) Hint() string {
	return fmt.Sprintf("pinion scan %s@%s shows every finding; what is active stays as it is", e.ID, e.Version)
}

// ExitCode is 3.
func (e *GateError) ExitCode() int { return 3 }

// young reports whether the cooldown is the only reason.
func (e *GateError) young() bool { return len(e.Reasons.Only("policy/age")) == len(e.Reasons) }

// judgement is what the gate knows of one build.
type judgement struct {
	unkept       *kept // the report, when the home does not have it yet
	report       *scan.Report
	capabilities capability.Summary
	reasons      problem.List
	policy       hashes.Sum // of the user's policy
}

// judge scans an installed build, or takes the report that exactly these bytes,
// this scanner and this policy have already, and asks the policies (SB-067,
// SB-068). project is the root whose policy counts too, "" for none. Nothing is
// written: see [Client.keep].
func (c *Client) judge(ctx context.Context, st *store.Store, r store.Receipt, project string) (*judgement, error) {
	user, proj, err := c.policies(project)
	if err != nil {
		return nil, err
	}
	j := &judgement{policy: user.Digest()}
	dir, err := st.Path(r.Build())
	if err != nil {
		return nil, err
	}
	stamp, err := stampOf(dir) // before the bytes are read, so that a change meanwhile shows
	if err != nil {
		return nil, err
	}
	k, ok := loadReport(c.home, reportOf(r.Digest, j.policy))
	switch {
	case ok && k.isOf(r.Build(), stamp):
	case ok:
		// The files were written to since, or these bytes came from elsewhere too:
		// the report holds when they are still the same.
		if _, _, err := c.installed(ctx, st, r); err != nil {
			return nil, err
		}
		k.note(r.Build(), stamp)
		j.unkept = k
	default:
		pkg, at, err := c.installed(ctx, st, r)
		if err != nil {
			return nil, err
		}
		report, err := c.scanOne(ctx, pkg, at, user)
		if err != nil {
			return nil, err
		}
		k = &kept{Report: report, Capabilities: capability.Of(pkg)}
		k.note(r.Build(), stamp)
		j.unkept = k
	}
	// Acceptances end, so they are no part of what is kept.
	report := *k.Report
	report.Findings = slices.Clone(report.Findings)
	j.report, j.capabilities = &report, k.Capabilities
	now := c.o.Clock()
	j.report.Accept(user.Acceptances(), now)
	who, err := c.subject(r, j)
	if err != nil {
		return nil, err
	}
	// The ledger grows for ever, so it is read only where the age counts.
	if user.Cooldown() > 0 || proj.Cooldown() > 0 {
		if who.FirstSeen, err = c.firstSeen(r); err != nil {
			return nil, err
		}
	}
	j.reasons = policy.Decide([]*policy.Policy{user, proj}, who, now)
	return j, nil
}

// reportOf is the key of the report that a content needs now.
func reportOf(digest hashes.Digest, policy hashes.Sum) scan.Key {
	return scan.Key{Digest: digest, Scanner: Version, Ruleset: checks.Ruleset(), Policy: policy}
}

// keep keeps the report of a judgement that is not there yet. It is called when
// what was judged goes on: a refusal leaves the home as it was.
func (c *Client) keep(j *judgement) error {
	if j == nil || j.unkept == nil {
		return nil
	}
	return saveReport(c.home, j.unkept)
}

// powers returns what an installed build may do: from a report that was kept for
// its bytes, else from the bytes.
func (c *Client) powers(ctx context.Context, st *store.Store, r store.Receipt) (*capability.Summary, error) {
	user, _, err := c.policies("")
	if err != nil {
		return nil, err
	}
	if k, ok := loadReport(c.home, reportOf(r.Digest, user.Digest())); ok {
		return &k.Capabilities, nil
	}
	pkg, _, err := c.installed(ctx, st, r)
	if err != nil {
		return nil, err
	}
	s := capability.Of(pkg)
	return &s, nil
}

// subject is what the policies are asked about.
func (c *Client) subject(r store.Receipt, j *judgement) (policy.Subject, error) {
	s := policy.Subject{
		ID: r.ID, Version: r.Version, Kind: r.Kind, License: r.License,
		Hosts: j.capabilities.Hosts, MoreHosts: j.capabilities.Truncated, Launch: unpinned(j.capabilities),
	}
	if r.Key != localKey {
		s.Source = r.Origin.Source
	}
	if repo := r.Origin.Repository; repo != "" && s.Source != "" {
		s.Repository = repo
		if spec, err := source.Parse(repo, c.o.Cwd); err == nil {
			s.Repository = spec.Canonical()
		}
		if onlyLocked(r) {
			ok, err := c.offered(r)
			if err != nil {
				return s, err
			}
			s.Claimed = !ok
		}
	}
	if r.Kind.Executable() {
		s.Report = j.report
	}
	return s, nil
}

// unpinned lists what a plugin fetches when it is started, as the policy names it.
func unpinned(s capability.Summary) []string {
	var out []string
	for _, f := range s.Fetches {
		if !f.Pinned && f.Starts == launch.Host {
			name := string(f.Ecosystem) + ":" + f.Name
			if f.Version != "" {
				name += "@" + f.Version
			}
			out = append(out, name)
		}
	}
	return out
}

// firstSeen returns when this home's ledger met a build, the zero time for one
// it has not: a draft.
func (c *Client) firstSeen(r store.Receipt) (time.Time, error) {
	if r.Origin.Draft || r.Key == localKey {
		return time.Time{}, nil
	}
	_, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return time.Time{}, err
	}
	l, err := ms.Ledger(r.Key)
	if err != nil {
		return time.Time{}, err
	}
	for _, f := range l.Of(r.ID) {
		if f.Version == r.Version && f.Digest == r.Digest {
			return f.FirstSeen, nil
		}
	}
	// Not from a catalog that this user added, as after a sync: what is known is
	// when it was installed here.
	return r.InstalledAt, nil
}

// installed reads an installed build as a package again, and compares it with
// its receipt: what is judged are the bytes that will run.
func (c *Client) installed(ctx context.Context, st *store.Store, r store.Receipt) (*pkgfmt.Package, pkgfmt.Place, error) {
	at := pkgfmt.Place{Name: r.ID, Exec: map[string]bool{}}
	for _, f := range r.Files {
		at.Exec[f.Path] = f.Exec
	}
	if r.Origin.Entry != nil {
		at.Entry = new(manifest.Entry)
		if err := syntax.Decode(r.Origin.Entry, at.Entry, syntax.Options{}).Err(); err != nil {
			return nil, at, fmt.Errorf("the receipt of %s: %w", r.ID, err)
		}
	}
	dir, err := st.Path(r.Build())
	if err != nil {
		return nil, at, err
	}
	root, err := tree.OpenDir(dir)
	if err != nil {
		return nil, at, err
	}
	defer root.Close()
	t, err := root.Read(ctx, ".", c.loader.Options(at), new(tree.Scratch))
	if err != nil {
		return nil, at, err
	}
	pkg := c.loader.Load(t, at)
	if p, bad := t.Problems.First(); bad && pkg.Digest.IsZero() {
		return nil, at, fmt.Errorf("%s %s in the store cannot be read: %s: %s", r.ID, r.Version, p.File, p.Message)
	}
	if pkg.Digest != r.Digest {
		return nil, at, fmt.Errorf("in the store: %w", &hashes.MismatchError{What: r.ID + " " + r.Version, Want: r.Digest, Got: pkg.Digest})
	}
	return pkg, at, nil
}

// gate is judge for an activation: it errors with a [*GateError] when the build
// may not be activated. A kind that runs nothing needs no scan, but the policies
// are asked all the same.
func (c *Client) gate(ctx context.Context, st *store.Store, r store.Receipt, sc store.Scope) (*judgement, error) {
	if !r.Kind.Executable() {
		user, proj, err := c.policies(sc.Project)
		if err != nil || user == nil && proj == nil {
			return nil, err
		}
	}
	j, err := c.judge(ctx, st, r, sc.Project)
	if err != nil {
		return nil, err
	}
	if len(j.reasons) > 0 {
		return nil, &GateError{ID: r.ID, Version: r.Version, Reasons: j.reasons, Report: j.report}
	}
	return j, nil
}

// Unwrap makes the reasons those of refused content.
func (e *GateError) Unwrap() error { return &problem.ContentError{Problems: e.Reasons} }

// gateCurrent is gate for the version that a pointer names, if any.
func (c *Client) gateCurrent(ctx context.Context, st *store.Store, sc store.Scope, id string) error {
	p, err := st.Active(ctx, sc, id)
	if err != nil || p.Current == nil {
		return err
	}
	r, err := st.Receipt(*p.Current)
	if err != nil {
		return err
	}
	j, err := c.gate(ctx, st, r, sc)
	if err != nil {
		return err
	}
	return c.keep(j)
}

// usable asks a project's policy about a version that is about to be used in the
// project, whoever made it active: the policy counts where a plugin is used.
func (c *Client) usable(ctx context.Context, st *store.Store, r store.Receipt) error {
	root := c.projectOrNone()
	if root == "" {
		return nil
	}
	_, proj, err := c.policies(root)
	if err != nil || proj == nil {
		return err
	}
	j, err := c.gate(ctx, st, r, store.Scope{Project: root})
	if err != nil {
		return err
	}
	return c.keep(j)
}
