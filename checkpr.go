package pinion

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pinion/capability"
	"pinion/hashes"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/policy"
	"pinion/problem"
	"pinion/scan"
	"pinion/source"
	"pinion/source/git"
	"pinion/tree"
)

// CheckOptions are the choices of [Client.CheckPR].
type CheckOptions struct {
	// Base is the branch or commit that the change is to be merged into, "" for
	// what the CI system says, else origin/HEAD.
	Base string
	// OnlyOwn are beginnings of ids: a change of anything else is an error.
	// Without one everything may be changed.
	OnlyOwn []string
	Strict  bool // warnings are errors
	// FailOnNew makes a capability that is new an error.
	FailOnNew bool
}

// CheckReport is what a change does to the packages of a repository. It is the
// JSON document pinion.check-pr/v1.
type CheckReport struct {
	Schema   string           `json:"schema"`
	OK       bool             `json:"ok"`
	Base     string           `json:"base"`    // the commit that is compared with
	BaseRef  string           `json:"baseRef"` // how it was named
	Files    int              `json:"files"`   // that the change touches
	Packages []CheckedPackage `json:"packages"`
	// Problems are those of catalogs and of the change as a whole; those of
	// packages are in Packages.
	Problems problem.List `json:"problems"`
	Notes    []string     `json:"notes"`
}

// What a change does to a package.
const (
	PackageAdded   = "added"
	PackageChanged = "changed"
	PackageMoved   = "moved" // changed, and in another directory than before
	PackageRemoved = "removed"
)

// CheckedPackage is one package that a change touches.
type CheckedPackage struct {
	Path    string        `json:"path"`
	ID      string        `json:"id"`
	Version string        `json:"version"` // "" for a removed one
	Status  string        `json:"status"`
	Kind    manifest.Kind `json:"kind"`
	Digest  hashes.Digest `json:"digest"` // zero for a removed one
	// Previous is the version before, "" for a new package.
	Previous string `json:"previous"`
	// PreviousID and PreviousPath are "" where they are the same as now.
	PreviousID   string `json:"previousId"`
	PreviousPath string `json:"previousPath"`
	// Before is the digest before, zero for a new package.
	Before       hashes.Digest       `json:"before"`
	Files        []FileChange        `json:"files"`
	Capabilities []capability.Change `json:"capabilities"`
	Scan         string              `json:"scan"` // in one line, "" for a removed one
	Report       *scan.Report        `json:"report,omitzero"`
	Problems     problem.List        `json:"problems"`

	job      job
	manifest string // the file inside the package, "" when there is none
	held     []heldFile
	caps     capability.Summary
	// fresh is true when nothing was in the directory before.
	fresh bool
}

// All returns every problem of the report, sorted.
func (r *CheckReport) All() problem.List {
	all := slices.Clone(r.Problems)
	for _, p := range r.Packages {
		all = append(all, p.Problems...)
	}
	all.Sort()
	return all
}

// CheckPR judges what a change does to the packages of a repository: the ones
// it touches are validated, scanned and compared with what they were, in the
// context of the whole repository; its catalogs must be in step, and nothing
// released may have other bytes. The work tree is what is judged, so that a
// change can be checked before it is committed.
func (c *Client) CheckPR(ctx context.Context, repo string, o CheckOptions) (*CheckReport, error) {
	if repo == "" {
		repo = "."
	}
	if slices.Contains(o.OnlyOwn, "") {
		return nil, usage("leave it out to allow every change", "an empty beginning of an id allows everything")
	}
	dir, err := c.target(repo)
	if err != nil {
		return nil, err
	}
	local, err := c.localGit(dir)
	if err != nil {
		return nil, err
	}
	if local == nil {
		return nil, usage("pinion validate and pinion scan need no repository", "%s is in no git repository, or git is not installed", repo)
	}
	user, _, err := c.policies("")
	if err != nil {
		return nil, err
	}
	r := &CheckReport{Schema: "pinion.check-pr/v1", Packages: []CheckedPackage{}, Problems: problem.List{}, Notes: []string{}}
	if err := c.resolveBase(ctx, local, o.Base, r); err != nil {
		return nil, err
	}
	changed, err := local.Changed(ctx, r.Base)
	if err != nil {
		return nil, err
	}
	r.Files = len(changed)
	d, err := c.discover(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer d.root.Close()
	snap, err := local.Snapshot(ctx, r.Base)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	p := &pullRequest{c: c, d: d, local: local, typed: repo, report: r, files: changed, changed: changed, base: snap, user: user}
	if err := p.run(ctx, o); err != nil {
		return nil, err
	}
	if o.Strict {
		r.Problems = r.Problems.Strict()
		for i := range r.Packages {
			r.Packages[i].Problems = r.Packages[i].Problems.Strict()
		}
	}
	r.OK = !r.All().HasErrors()
	return r, nil
}

// pullRequest is one run of [Client.CheckPR].
type pullRequest struct {
	c       *Client
	d       *discovery
	local   *git.Local
	typed   string
	report  *CheckReport
	files   []string // that differ, from the root of the repository, sorted
	changed []string // those, and the links that lead to one
	base    source.Snapshot
	user    *policy.Policy

	before, after []listing
	gone          []goneListed
}

func (p *pullRequest) run(ctx context.Context, o CheckOptions) error {
	if err := p.followLinks(ctx); err != nil {
		return err
	}
	if err := p.readCatalogs(ctx); err != nil {
		return err
	}
	jobs, err := p.jobs()
	if err != nil {
		return err
	}
	p.report.Packages = make([]CheckedPackage, len(jobs))
	err = p.c.each(ctx, len(jobs), func(ctx context.Context, s *tree.Scratch, i int) error {
		return p.check(ctx, s, jobs[i], &p.report.Packages[i])
	})
	if err != nil {
		return err
	}
	if err := p.findGone(ctx); err != nil {
		return err
	}
	if err := p.compare(ctx); err != nil {
		return err
	}
	p.removed()
	if err := p.inStep(ctx); err != nil {
		return err
	}
	p.judge(o)
	slices.SortStableFunc(p.report.Packages, func(a, b CheckedPackage) int { return strings.Compare(a.Path+" "+a.ID, b.Path+" "+b.ID) })
	for i := range p.report.Packages {
		p.report.Packages[i].Problems.Sort()
	}
	p.report.Problems.Sort()
	return nil
}

// shown is how a file is called in problems: as the user would type it, also
// when it lies above what the user typed.
func (p *pullRequest) shown(file string) string {
	base := p.d.base
	if base != "." && file != base && !strings.HasPrefix(file, base+"/") {
		if rel, err := filepath.Rel(filepath.FromSlash(base), filepath.FromSlash(file)); err == nil {
			return path.Join(filepath.ToSlash(p.typed), filepath.ToSlash(rel))
		}
	}
	return shown(p.typed, base, file)
}

// check validates and scans one package as it is now.
func (p *pullRequest) check(ctx context.Context, s *tree.Scratch, j job, out *CheckedPackage) error {
	pkg, at, err := p.c.placed(ctx, p.d, j.dir, p.shown(j.dir), &j, s)
	if err != nil {
		return fmt.Errorf("%s: %w", j.dir, err)
	}
	if err := p.c.compareStored(ctx, p.d, j.dir, pkg); err != nil {
		return err
	}
	*out = CheckedPackage{
		Path: pkg.Path, ID: pkg.ID(), Version: pkg.Version(), Status: PackageAdded, Kind: pkg.Manifest.Kind, Digest: pkg.Digest,
		Problems: slices.Clone(pkg.Problems), job: j, manifest: pkg.Manifest.Path, held: hold(pkg.Tree),
	}
	if out.Problems == nil {
		out.Problems = problem.List{}
	}
	if pkg.Format == "" || pkg.Digest.IsZero() {
		return nil
	}
	out.caps = capability.Of(pkg)
	report, err := p.c.scanOne(ctx, pkg, at, p.user)
	if err != nil {
		return err
	}
	report.Accept(p.user.Acceptances(), p.c.o.Clock())
	out.Report, out.Scan = report, report.Summary()
	out.Problems = append(out.Problems, p.c.scanProblems(p.user, out.Kind, report, pkg.Path)...)
	return nil
}

// compare reads every package that is there now as it was before.
func (p *pullRequest) compare(ctx context.Context) error {
	list := p.report.Packages
	reqs, places := make([]source.Request, len(list)), make([]pkgfmt.Place, len(list))
	for i := range list {
		reqs[i].Dir, places[i] = p.placeBefore(&list[i])
		reqs[i].Options = p.c.loader.Options(places[i])
	}
	err := p.base.Trees(ctx, reqs, func(i int, t *tree.Tree, err error) error {
		k := &list[i]
		if isMissing(err) {
			k.fresh = true
			k.compared(nil, capability.Summary{})
			return nil
		}
		if err != nil {
			return err
		}
		was := p.c.loader.Load(t, places[i])
		if was.Format == "" {
			k.compared(nil, capability.Summary{})
			return nil
		}
		k.Status, k.Previous, k.Before = PackageChanged, was.Version(), was.Digest
		if was.ID() != k.ID {
			k.PreviousID = was.ID()
		}
		k.compared(hold(t), capability.Of(was))
		if reqs[i].Dir == k.job.dir {
			k.Files = slices.DeleteFunc(k.Files, func(f FileChange) bool { return !p.differs(k, f) })
			return nil
		}
		k.Status, k.PreviousPath = PackageMoved, p.shown(reqs[i].Dir)
		return nil
	})
	if err != nil {
		return err
	}
	return p.freshMoves(ctx)
}

func (k *CheckedPackage) compared(before []heldFile, was capability.Summary) {
	k.Files, k.Capabilities = fileChanges(before, k.held), capability.Diff(was, k.caps)
	if k.Capabilities == nil {
		k.Capabilities = []capability.Change{}
	}
}

// differs reports whether a file of a package is another for git too: in a work
// tree whose lines end with CRLF every text differs from what is stored.
func (p *pullRequest) differs(k *CheckedPackage, f FileChange) bool {
	if f.What != "changed" && f.What != "executable" {
		return true
	}
	for file := joinRel(k.job.dir, f.Path); file != "."; file = path.Dir(file) {
		if p.touched(file) {
			return true
		}
	}
	return false
}

// freshMoves finds out which packages moved into a directory that had nothing in
// it.
func (p *pullRequest) freshMoves(ctx context.Context) error {
	for i := range p.report.Packages {
		k := &p.report.Packages[i]
		if k.Status != PackageMoved {
			continue
		}
		_, err := p.base.Paths(ctx, k.job.dir)
		if k.fresh = isMissing(err); !k.fresh && err != nil {
			return err
		}
	}
	return nil
}
