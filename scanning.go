package pinion

import (
	"context"
	"io"
	"slices"
	"sync"

	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/policy"
	"pinion/problem"
	"pinion/scan"
	"pinion/scan/checks"
)

// scanner is what a client scans with. Making the engine costs a few
// milliseconds, so it waits until something is scanned.
type scanner struct {
	once   sync.Once
	engine *scan.Engine

	mu   sync.Mutex
	idle []*scan.Worker
	all  []*scan.Worker
}

// engine returns the scanner with every family of rules.
func (c *Client) engine() *scan.Engine {
	c.scanner.once.Do(func() { c.scanner.engine = scan.New(Version, checks.Ruleset(), checks.All()) })
	return c.scanner.engine
}

// ScanWorker answers scan requests on in until it ends: what a process does
// that was started with [Options.ScanWorker]. It should have confined itself.
func (c *Client) ScanWorker(ctx context.Context, in io.Reader, out io.Writer) error {
	return c.engine().Serve(ctx, in, out, c.loader)
}

// worker takes a scanning process that nobody uses, or makes one.
func (s *scanner) worker(engine *scan.Engine, argv []string) *scan.Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return w
	}
	w := scan.NewWorker(engine, argv)
	s.all = append(s.all, w)
	return w
}

func (s *scanner) giveBack(w *scan.Worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, w)
}

// close ends the scanning processes.
func (s *scanner) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.all {
		w.Close()
	}
	s.all, s.idle = nil, nil
}

// scanOne scans one package that was loaded from a place, with the external
// scanners of the user's policy. The report is bound to that policy.
func (c *Client) scanOne(ctx context.Context, pkg *pkgfmt.Package, at pkgfmt.Place, user *policy.Policy) (*scan.Report, error) {
	engine := c.engine()
	var r *scan.Report
	var err error
	if argv := c.o.ScanWorker; len(argv) > 0 {
		w := c.scanner.worker(engine, argv)
		r, err = w.Scan(ctx, pkg, at)
		c.scanner.giveBack(w)
	} else {
		r, err = engine.ScanPlace(ctx, pkg, at.Entry)
	}
	if err != nil {
		return nil, err
	}
	r.Policy = user.Digest()
	var others []scan.External
	for _, s := range user.Scanners() {
		others = append(others, scan.External{Name: s.Name, Argv: s.Command, Limit: s.Limit(), Path: c.o.Getenv("PATH")})
	}
	return r, r.Join(ctx, pkg, others)
}

// ScanReport is the JSON document pinion.scan/v1.
type ScanReport struct {
	Schema string `json:"schema"`
	// OK is false when a package would not pass the gate under the user's policy.
	OK       bool      `json:"ok"`
	Packages []Scanned `json:"packages"`
	// Problems are those that kept a package from being read as one.
	Problems problem.List `json:"problems"`
}

// Scanned is one package of a [ScanReport].
type Scanned struct {
	Path    string        `json:"path"` // as the user would name it; the REF of an installed one
	Kind    manifest.Kind `json:"kind"`
	Summary string        `json:"summary"` // the report in one line
	Report  *scan.Report  `json:"report"`
	Reasons problem.List  `json:"reasons"` // why the gate says no, empty when it does not
}

// Findings returns every finding as a problem, files as the user would name
// them, sorted.
func (r *ScanReport) Findings() problem.List {
	out := slices.Clone(r.Problems)
	for _, s := range r.Packages {
		out = append(out, s.Report.Problems(s.Path)...)
	}
	out.Sort()
	return out
}

// Scan scans packages on disk, archives, every package of a repository, or
// installed plugins. No plugin code runs, and nothing is written but the report of
// what is installed, which the gate takes as well.
func (c *Client) Scan(ctx context.Context, refs []string) (*ScanReport, error) {
	if len(refs) == 0 {
		refs = []string{"."}
	}
	out := &ScanReport{Schema: "pinion.scan/v1", Packages: []Scanned{}, Problems: problem.List{}}
	user, _, err := c.policies("")
	if err != nil {
		return nil, err
	}
	for _, typed := range refs {
		if ref, ok := c.installedRef(typed); ok {
			if err := c.scanInstalled(ctx, ref, user, out); err != nil {
				return nil, err
			}
			continue
		}
		v := &ValidateReport{}
		if err := c.validatePath(ctx, typed, v, c.scanInto(user)); err != nil {
			return nil, err
		}
		for _, p := range v.Packages {
			if p.Scan == nil {
				out.Problems = append(out.Problems, p.Problems...)
				continue
			}
			out.add(p.Path, p.Kind, p.Scan, c.gateAlone(user, p.Kind, p.Scan))
		}
	}
	out.OK = !out.Problems.HasErrors() && !slices.ContainsFunc(out.Packages, func(s Scanned) bool { return len(s.Reasons) > 0 })
	return out, nil
}

func (r *ScanReport) add(path string, kind manifest.Kind, report *scan.Report, reasons problem.List) {
	if reasons == nil {
		reasons = problem.List{}
	}
	r.Packages = append(r.Packages, Scanned{Path: path, Kind: kind, Summary: report.Summary(), Report: report, Reasons: reasons})
}

// scanInto is what a walk over packages does with each of them: the report is
// added to the package's. A package that could not be read as one is left.
func (c *Client) scanInto(user *policy.Policy) visit {
	return func(ctx context.Context, pkg *pkgfmt.Package, at pkgfmt.Place, r *PackageReport) error {
		if pkg.Format == "" || pkg.Digest.IsZero() {
			return nil
		}
		report, err := c.scanOne(ctx, pkg, at, user)
		if err != nil {
			return err
		}
		report.Accept(user.Acceptances(), c.o.Clock())
		r.Scan = report
		return nil
	}
}

// gateAlone is what the user's policy says of a report by itself, whatever the
// kind: an author wants to know of a skill too.
func (c *Client) gateAlone(user *policy.Policy, kind manifest.Kind, report *scan.Report) problem.List {
	return policy.Decide([]*policy.Policy{user}, policy.Subject{Kind: kind, Report: report}, c.o.Clock()).Only("policy/scan")
}

// scanProblems are the findings of a report as problems of the package in dir,
// and what the user's policy says of it where that is more.
func (c *Client) scanProblems(user *policy.Policy, kind manifest.Kind, report *scan.Report, dir string) problem.List {
	out := report.Problems(dir)
	if report.Complete && out.HasErrors() {
		return out
	}
	for _, p := range c.gateAlone(user, kind, report) {
		if p.File == "" {
			p.File = dir
		}
		out.Add(p)
	}
	return out
}

// installedRef tells a REF from a path: what exists as a path is one, and what
// begins as one.
func (c *Client) installedRef(typed string) (Ref, bool) {
	if _, err := c.target(typed); err == nil {
		return Ref{}, false
	}
	ref, err := ParseRef(typed, c.o.Cwd)
	return ref, err == nil && ref.Path == ""
}

func (c *Client) scanInstalled(ctx context.Context, ref Ref, user *policy.Policy, out *ScanReport) error {
	st, ms, ok, err := c.state(false)
	if err != nil {
		return err
	}
	if !ok {
		return c.notInstalled(ctx, nil, ref, nil)
	}
	r, err := c.installedBuild(ctx, st, ms, ref)
	if err != nil {
		return err
	}
	j, err := c.judge(ctx, st, r, "")
	if err == nil {
		err = c.keep(j)
	}
	if err != nil {
		return err
	}
	c.engine().Refill(j.report)
	out.add(ref.String(), r.Kind, j.report, c.gateAlone(user, r.Kind, j.report))
	return nil
}
