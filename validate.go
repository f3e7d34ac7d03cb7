package pinion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/compat"
	"pinion/hashes"
	"pinion/manifest"
	"pinion/pkgfmt"
	"pinion/policy"
	"pinion/problem"
	"pinion/scan"
	"pinion/tree"
)

// ValidateOptions are the choices of [Client.Validate].
type ValidateOptions struct {
	Strict bool // warnings are errors
	Scan   bool // scan each package too; high and critical findings are errors
	// Hosts are asked whether they load each package and catalog; see
	// [ParseHosts].
	Hosts []compat.Target
}

// ValidateReport is what validate found. It is the JSON document
// pinion.validate/v1.
type ValidateReport struct {
	Schema   string          `json:"schema"`
	OK       bool            `json:"ok"`
	Packages []PackageReport `json:"packages"`
	// Problems are those of catalogs and of the repository as a whole; those of
	// packages are in Packages.
	Problems problem.List `json:"problems"`
	// Catalogs are what hosts do with the catalogs, when hosts were asked.
	Catalogs []CatalogReport `json:"catalogs,omitempty"`

	hosts *hostJudge // nil when no host is asked
}

// PackageReport is one package of a [ValidateReport].
type PackageReport struct {
	Path     string        `json:"path"`
	Format   string        `json:"format"`
	ID       string        `json:"id"`
	Version  string        `json:"version"`
	Kind     manifest.Kind `json:"kind"`
	Digest   hashes.Digest `json:"digest"`
	Files    int           `json:"files"`
	Bytes    int64         `json:"bytes"`
	Problems problem.List  `json:"problems"`
	Scan     *scan.Report  `json:"scan,omitzero"`   // only when one was asked for
	Hosts    []HostVerdict `json:"hosts,omitempty"` // what hosts do with it, when hosts were asked
}

// visit is what is done with each package of a walk, besides validating it,
// while its bytes are there. It may add to the report.
type visit func(ctx context.Context, pkg *pkgfmt.Package, at pkgfmt.Place, r *PackageReport) error

// All returns every problem of the report, sorted.
func (r *ValidateReport) All() problem.List {
	all := slices.Clone(r.Problems)
	for _, p := range r.Packages {
		all = append(all, p.Problems...)
	}
	all.Sort()
	return all
}

// Validate checks packages, archives and repositories, and reports every
// problem in one run. Without paths it checks the current directory. Nothing is
// written and no plugin code runs.
func (c *Client) Validate(ctx context.Context, paths []string, o ValidateOptions) (*ValidateReport, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	r := &ValidateReport{Schema: "pinion.validate/v1", Packages: []PackageReport{}, Problems: problem.List{}, hosts: newHostJudge(o.Hosts)}
	var also visit
	if r.hosts != nil {
		also = r.hosts.visit
	}
	var user *policy.Policy
	if o.Scan {
		var err error
		if user, _, err = c.policies(""); err != nil {
			return nil, err
		}
		also = together(also, c.scanInto(user))
	}
	for _, p := range paths {
		if err := c.validatePath(ctx, p, r, also); err != nil {
			return nil, err
		}
	}
	for i := range r.Packages {
		if p := &r.Packages[i]; p.Scan != nil {
			p.Problems = append(p.Problems, c.scanProblems(user, p.Kind, p.Scan, p.Path)...)
			p.Problems.Sort()
		}
	}
	if o.Strict {
		r.Problems = r.Problems.Strict()
		for i := range r.Packages {
			r.Packages[i].Problems = r.Packages[i].Problems.Strict()
		}
	}
	r.OK = !r.Problems.HasErrors() && !slices.ContainsFunc(r.Packages, func(p PackageReport) bool { return p.Problems.HasErrors() })
	return r, nil
}

func (c *Client) validatePath(ctx context.Context, typed string, r *ValidateReport, also visit) error {
	dir, err := c.target(typed)
	if err != nil {
		return err
	}
	if tree.IsArchive(dir) {
		pkg, at, err := c.placedArchive(ctx, dir, typed)
		if err != nil {
			return err
		}
		p, err := visited(ctx, pkg, at, also)
		r.Packages = append(r.Packages, p)
		return err
	}
	d, err := c.discover(ctx, dir)
	if err != nil {
		return err
	}
	defer d.root.Close()
	if len(d.packages) == 0 && len(d.catalogs) == 0 {
		return c.validateNothing(ctx, d, typed, r)
	}
	return c.validateRepo(ctx, d, typed, r, also)
}

// target returns the directory or archive that a typed path means. A manifest
// means its package, a catalog its repository.
func (c *Client) target(typed string) (string, error) {
	p := typed
	if !filepath.IsAbs(p) {
		p = filepath.Join(c.o.Cwd, p)
	}
	st, err := os.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", notFound("", "%s does not exist", typed)
	case err != nil:
		return "", err
	case st.IsDir() || tree.IsArchive(p) && st.Mode().IsRegular():
		return p, nil
	case !st.Mode().IsRegular():
		return "", usage("", "%s is neither a package nor an archive", typed)
	}
	parent := filepath.Dir(p)
	if b := filepath.Base(parent); b[0] == '.' && b != "." && b != ".." {
		parent = filepath.Dir(parent) // .claude-plugin/plugin.json
	}
	switch name := filepath.Base(p); {
	case c.loader.Detect([]string{name}) != nil, strings.HasSuffix(name, "plugin.json"), strings.HasSuffix(name, "marketplace.json"):
		return parent, nil
	}
	return "", usage("a package is a directory, its manifest, or an archive (.tar.gz, .zip, .mcpb)", "%s is no package", typed)
}

// validateNothing reports a directory in which nothing was recognised, as one
// package without a manifest.
func (c *Client) validateNothing(ctx context.Context, d *discovery, typed string, r *ValidateReport) error {
	var s tree.Scratch
	pkg, at, err := c.placed(ctx, d, d.base, shown(typed, d.base, d.base), nil, &s)
	if err != nil {
		return err
	}
	var judged visit
	if r.hosts != nil {
		judged = r.hosts.visit
	}
	p, err := visited(ctx, pkg, at, judged)
	r.Packages = append(r.Packages, p)
	return err
}

// job is one package to be validated.
type job struct {
	dir   string // from the root of the repository
	entry *catalog.Entry
	cat   *catalog.Catalog
	file  string // of cat, as the user calls it
	// shared counts the entries of cat by directory.
	shared map[string]int
}

func (c *Client) validateRepo(ctx context.Context, d *discovery, typed string, r *ValidateReport, also visit) error {
	jobs := make([]job, 0, len(d.packages))
	for _, dir := range d.packages {
		jobs = append(jobs, job{dir: dir})
	}
	for _, file := range d.catalogs {
		more, err := c.validateCatalog(d, file, typed, r)
		if err != nil {
			return err
		}
		jobs = mergeJobs(jobs, more)
	}
	reports := make([]PackageReport, len(jobs))
	err := c.each(ctx, len(jobs), func(ctx context.Context, s *tree.Scratch, i int) error {
		pkg, at, err := c.placed(ctx, d, jobs[i].dir, shown(typed, d.base, jobs[i].dir), &jobs[i], s)
		if err != nil {
			return fmt.Errorf("%s: %w", jobs[i].dir, err)
		}
		if err := c.compareStored(ctx, d, jobs[i].dir, pkg); err != nil {
			return err
		}
		reports[i], err = visited(ctx, pkg, at, also)
		return err
	})
	r.Packages = append(r.Packages, reports...)
	return err
}

// validateCatalog checks one catalog and returns the packages it lists that lie
// in this repository.
func (c *Client) validateCatalog(d *discovery, file, typed string, r *ValidateReport) ([]job, error) {
	name := shown(typed, d.base, file)
	data, err := d.root.ReadFile(file, catalog.MaxBytes)
	if err != nil {
		return nil, err
	}
	cat, problems := catalog.Parse(within(d.base, file), data)
	exists := d.directories()
	problems = append(problems, catalog.Lint(cat, data, exists)...)
	for i := range problems {
		problems[i].File = name
	}
	problems.Sort()
	r.Problems = append(r.Problems, slices.Compact(problems)...)
	if r.hosts != nil {
		r.hosts.remember(cat, name, data)
		there := func(f string) bool { return slices.Contains(d.catalogs, joinRel(d.base, f)) }
		r.hosts.catalog(r, cat, within(d.base, file), name, data, compat.Repo{Dir: exists, File: there})
	}
	var jobs []job
	shared := cat.Shared()
	for i := range cat.Entries {
		e := &cat.Entries[i]
		if dir, ok := e.Source.Relative(); ok && exists(dir) {
			jobs = append(jobs, job{dir: joinRel(d.base, dir), entry: e, cat: cat, file: name, shared: shared})
		}
	}
	return jobs, nil
}

// mergeJobs adds what a catalog lists to what was found on disk. An entry of a
// foreign catalog replaces the bare directory, because the host reads both
// together; several entries may share one directory.
func mergeJobs(found, listed []job) []job {
	byEntry := map[string]bool{}
	for _, j := range listed {
		if !j.cat.Native {
			byEntry[j.dir] = true
		}
	}
	out := found[:0:0]
	seen := map[string]bool{}
	for _, j := range found {
		if j.entry == nil && (byEntry[j.dir] || slices.ContainsFunc(listed, func(l job) bool { return l.holdsSkill(j.dir) })) {
			continue
		}
		out = append(out, j)
		seen[j.dir] = true
	}
	for _, j := range listed {
		if j.cat.Native && seen[j.dir] {
			continue
		}
		out = append(out, j)
	}
	slices.SortStableFunc(out, func(a, b job) int { return strings.Compare(a.dir, b.dir) })
	return dedupe(out)
}

// holdsSkill reports whether a directory is a skill of the plugin that a foreign
// catalog lists, so that it is read with the plugin.
func (j job) holdsSkill(dir string) bool {
	if j.cat.Native || dir == j.dir || j.dir != "." && !strings.HasPrefix(dir, j.dir+"/") {
		return false
	}
	rel := within(j.dir, dir)
	if sel := j.cat.Selection(*j.entry, j.shared); !sel.Whole() {
		return slices.Contains(sel.Paths, rel) || slices.Contains(sel.Paths, path.Dir(rel))
	}
	return path.Dir(rel) == "skills"
}

// dedupe drops an entry that another flavour's catalog of the same repository
// also has.
func dedupe(jobs []job) []job {
	seen := map[[2]string]bool{}
	return slices.DeleteFunc(jobs, func(j job) bool {
		name := ""
		if j.entry != nil {
			name = j.entry.Name
		}
		k := [2]string{j.dir, name}
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
}

// load reads and checks one package of a discovered directory.
func (c *Client) load(ctx context.Context, d *discovery, dir, path_ string, j *job, s *tree.Scratch) (*pkgfmt.Package, error) {
	pkg, _, err := c.placed(ctx, d, dir, path_, j, s)
	return pkg, err
}

// placed is load with the place that the package was read from.
func (c *Client) placed(ctx context.Context, d *discovery, dir, path_ string, j *job, s *tree.Scratch) (*pkgfmt.Package, pkgfmt.Place, error) {
	at := pkgfmt.Place{Path: path_, Name: path.Base(dir)}
	if dir == "." {
		at.Name = filepath.Base(d.root.Path())
	}
	if j != nil && j.entry != nil && !j.cat.Native {
		at.Entry, at.Select = j.entry.Manifest(), j.cat.Selection(*j.entry, j.shared)
		at.Listed = pkgfmt.Position{File: j.file, Line: j.entry.Line, Column: j.entry.Column}
	}
	t, err := d.root.Read(ctx, dir, c.loader.Options(at), s)
	if err != nil {
		return nil, at, err
	}
	if at.Exec, err = c.indexed(ctx, d, dir, c.loader.FormatOf(t.Top, at.Entry)); err != nil {
		return nil, at, err
	}
	pkg := c.loader.Load(t, at)
	for i := range pkg.Problems {
		pkg.Problems[i].Fix = fixAt(pkg.Problems[i].Fix, at.Path)
	}
	return pkg, at, nil
}

// loadArchive reads a package from an archive, as it would be unpacked.
func (c *Client) loadArchive(ctx context.Context, file, typed string) (*pkgfmt.Package, error) {
	pkg, _, err := c.placedArchive(ctx, file, typed)
	return pkg, err
}

// placedArchive is loadArchive with the place.
func (c *Client) placedArchive(ctx context.Context, file, typed string) (*pkgfmt.Package, pkgfmt.Place, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, pkgfmt.Place{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, pkgfmt.Place{}, err
	}
	at := pkgfmt.Place{Path: filepath.ToSlash(typed)}
	var s tree.Scratch
	t, err := tree.FromArchive(ctx, f, st.Size(), filepath.Base(file), c.loader.Options(at), &s)
	if err != nil {
		return nil, at, fmt.Errorf("%s: %w", typed, err)
	}
	return c.loader.Load(t, at), at, nil
}

// visited is report after also looked at the package.
func visited(ctx context.Context, p *pkgfmt.Package, at pkgfmt.Place, also visit) (PackageReport, error) {
	r := report(p)
	if also == nil {
		return r, nil
	}
	return r, also(ctx, p, at, &r)
}

func report(p *pkgfmt.Package) PackageReport {
	r := PackageReport{
		Path: p.Path, Format: p.Format, ID: p.ID(), Version: p.Version(), Kind: p.Manifest.Kind,
		Digest: p.Digest, Files: len(p.Tree.Files), Bytes: p.Tree.Bytes, Problems: p.Problems,
	}
	if r.Problems == nil {
		r.Problems = problem.List{}
	}
	return r
}

// fixAt names the package in the advice to run the correction, so that the line
// can be run as it stands. A path that a shell would take apart is left out.
func fixAt(fix, dir string) string {
	const correction = "pinion validate --fix"
	if !strings.HasPrefix(fix, correction) || dir == "" || strings.ContainsAny(dir, " \"'\\$`*?;&|<>()#~!") {
		return fix
	}
	return correction + " " + dir + strings.TrimPrefix(fix, correction)
}

// shown is how a file below the typed directory is called in problems: as the
// user would type it.
func shown(typed, base, file string) string {
	rel := within(base, file)
	typed = filepath.ToSlash(filepath.Clean(typed))
	switch {
	case rel == "" || rel == ".":
		return typed
	case typed == ".":
		return rel
	}
	return typed + "/" + rel
}

// within returns the path of a file below base as seen from base, "" for base
// itself. Both are seen from the root of the repository.
func within(base, file string) string {
	if base == "." {
		return file
	}
	return strings.TrimPrefix(strings.TrimPrefix(file, base), "/")
}
