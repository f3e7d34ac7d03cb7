package pinion

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pinion/capability"
	"pinion/catalog"
	"pinion/hashes"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/source"
	"pinion/tree"
)

// listing is a catalog at one side of a change.
type listing struct {
	file     string // from the root of the repository
	data     []byte
	cat      *catalog.Catalog
	shared   map[string]int
	problems problem.List // of the catalog as a whole
	entries  problem.List // of its entries
}

// parse reads a catalog; exists answers for the directories it names.
func (p *pullRequest) parse(file string, data []byte, exists func(dir string) bool) listing {
	cat, problems := catalog.Parse(within(p.d.base, file), data)
	return listing{file, data, cat, cat.Shared(), problems, catalog.Lint(cat, data, exists)}
}

// readCatalogs reads the catalogs of both sides.
func (p *pullRequest) readCatalogs(ctx context.Context) error {
	existed := func(dir string) bool {
		dir = joinRel(p.d.base, dir)
		if _, err := p.d.root.Names(dir); err == nil {
			return true // what is there now is no problem to compare
		}
		_, err := p.base.Paths(ctx, dir)
		return err == nil
	}
	for _, name := range catalog.Candidates() {
		file := joinRel(p.d.base, name)
		data, err := p.base.ReadFile(ctx, file, catalog.MaxBytes)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, source.ErrNotRegular) || errors.Is(err, source.ErrTooLarge) {
			continue // there was none that anybody could use
		}
		if err != nil {
			return err
		}
		p.before = append(p.before, p.parse(file, data, existed))
	}
	for _, file := range p.d.catalogs {
		data, err := p.d.root.ReadFile(file, catalog.MaxBytes)
		if err != nil {
			return err
		}
		p.after = append(p.after, p.parse(file, data, nil))
	}
	return nil
}

// followLinks counts a link as changed whose target is: a package has what its
// links lead to.
func (p *pullRequest) followLinks(ctx context.Context) error {
	links, err := p.local.Links(ctx)
	if err != nil {
		return err
	}
	p.changed = slices.Clone(p.changed)
	targets := map[string]string{}
	for _, l := range links {
		if to, err := os.Readlink(filepath.Join(p.local.Top(), filepath.FromSlash(l))); err == nil && !filepath.IsAbs(to) {
			targets[l] = path.Join(path.Dir(l), filepath.ToSlash(to))
		}
	}
	// A link may lead to another.
	for more := len(targets) > 0; more; {
		more = false
		for l, to := range targets {
			if p.touched(to) || p.below(to, func(string) bool { return true }) {
				i, there := slices.BinarySearch(p.changed, l)
				if !there {
					p.changed = slices.Insert(p.changed, i, l)
				}
				delete(targets, l)
				more = true
			}
		}
	}
	return nil
}

// jobs returns the packages that the change touches: one of their files
// changed, or what a catalog says of them did.
func (p *pullRequest) jobs() ([]job, error) {
	jobs := make([]job, 0, len(p.d.packages))
	for _, dir := range p.d.packages {
		jobs = append(jobs, job{dir: dir})
	}
	elsewhere := 0
	for _, l := range p.after {
		v := &ValidateReport{}
		more, err := p.c.validateCatalog(p.d, l.file, p.typed, v)
		if err != nil {
			return nil, err
		}
		jobs = mergeJobs(jobs, more)
		p.report.Problems = append(p.report.Problems, p.news(l.file, v.Problems)...)
		for _, e := range l.cat.Entries {
			if _, ok := e.Source.Relative(); !ok && e.Unavailable == "" && p.entryChanged(l, e) {
				elsewhere++
			}
		}
	}
	if elsewhere > 0 {
		p.report.Notes = append(p.report.Notes, countOf(elsewhere, "changed entry leads", "changed entries lead")+" to other repositories, which are not looked at here")
	}
	return slices.DeleteFunc(jobs, func(j job) bool { return !p.touches(j) }), nil
}

func countOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

// news leaves out what a catalog had before: warnings, and of a catalog that is
// judged entry by entry the entries that could not be used. What is wrong with a
// catalog as a whole stays, since it is in the way of every change.
func (p *pullRequest) news(file string, problems problem.List) problem.List {
	i := slices.IndexFunc(p.before, func(l listing) bool { return l.file == file })
	if i < 0 {
		return problems
	}
	key := func(q problem.Problem) [2]string { return [2]string{q.Rule, q.Message} }
	had := map[[2]string]int{}
	for _, q := range p.before[i].entries {
		if q.Severity != problem.Error || !p.before[i].cat.Native {
			had[key(q)]++
		}
	}
	for _, q := range p.before[i].problems {
		if q.Severity != problem.Error {
			had[key(q)]++
		}
	}
	return slices.DeleteFunc(problems, func(q problem.Problem) bool {
		had[key(q)]--
		return had[key(q)] >= 0
	})
}

func (p *pullRequest) touched(file string) bool {
	_, ok := slices.BinarySearch(p.changed, file)
	return ok
}

// below calls fn for every changed file below a directory, by its path in it,
// until fn returns true, and reports whether it did.
func (p *pullRequest) below(dir string, fn func(rel string) bool) bool {
	if dir == "." {
		return slices.ContainsFunc(p.changed, fn)
	}
	i, _ := slices.BinarySearch(p.changed, dir+"/")
	for ; i < len(p.changed) && strings.HasPrefix(p.changed[i], dir+"/"); i++ {
		if fn(p.changed[i][len(dir)+1:]) {
			return true
		}
	}
	return false
}

// selection is the part of its directory that belongs to a package.
func (j job) selection() pkgfmt.Selection {
	if j.entry == nil || j.cat.Native {
		return pkgfmt.Selection{}
	}
	return j.cat.Selection(*j.entry, j.shared)
}

func (p *pullRequest) touches(j job) bool {
	sel := j.selection()
	if p.below(j.dir, func(rel string) bool { return sel.Want(rel) || sel.Want(rel+"/") && p.isLink(j.dir, rel) }) {
		return true
	}
	if j.entry == nil || j.cat.Native {
		return false
	}
	i := slices.IndexFunc(p.after, func(l listing) bool { return l.cat.Path == j.cat.Path })
	return i >= 0 && p.entryChanged(p.after[i], *j.entry)
}

// isLink reports whether a changed file is a link, which may stand for a
// directory with selected files.
func (p *pullRequest) isLink(dir, rel string) bool {
	st, err := os.Lstat(filepath.Join(p.d.root.Path(), filepath.FromSlash(joinRel(dir, rel))))
	return err == nil && st.Mode()&fs.ModeSymlink != 0
}

// entryChanged reports whether a catalog says something else of a package than
// before, as far as the package's content, version and place go.
func (p *pullRequest) entryChanged(l listing, e catalog.Entry) bool {
	old, was, ok := p.entryBefore(l.cat.Path, e)
	if !ok {
		return true
	}
	before, err1 := pkgfmt.EntryContent(old.Manifest())
	now, err2 := pkgfmt.EntryContent(e.Manifest())
	return err1 != nil || err2 != nil || string(before) != string(now) || old.Version != e.Version || old.License != e.License ||
		old.Source != e.Source || !slices.Equal(was.cat.Selection(old, was.shared).Paths, l.cat.Selection(e, l.shared).Paths)
}

// entryBefore returns what the catalog at a place said of a package: where a
// name is there twice, the first, which is the one that counts.
func (p *pullRequest) entryBefore(file string, e catalog.Entry) (catalog.Entry, listing, bool) {
	for _, b := range p.before {
		if b.cat.Path != file {
			continue
		}
		if named := b.cat.Named(e.Name); len(named) > 0 {
			return named[0], b, true
		}
	}
	return catalog.Entry{}, listing{}, false
}

// placeBefore is where a package was read from before: where its catalog entry
// led, or where the package of its name was that is gone, or where it is now.
func (p *pullRequest) placeBefore(k *CheckedPackage) (string, pkgfmt.Place) {
	at := pkgfmt.Place{Path: k.Path, Name: path.Base(k.job.dir)}
	dir := k.job.dir
	if dir == "." {
		at.Name = filepath.Base(p.d.root.Path())
	}
	if e := k.job.entry; e != nil && !k.job.cat.Native {
		if old, l, ok := p.entryBefore(k.job.cat.Path, *e); ok {
			if rel, ok := old.Source.Relative(); ok {
				at.Entry, at.Select = old.Manifest(), l.cat.Selection(old, l.shared)
				dir = joinRel(p.d.base, rel)
				at.Name = path.Base(dir)
				return dir, at
			}
		}
	}
	for i, g := range p.gone {
		if g.id == k.ID && !g.moved {
			p.gone[i].moved = true
			at.Name = path.Base(g.dir)
			return g.dir, at
		}
	}
	return dir, at
}

// goneListed is a package that is not there any more.
type goneListed struct {
	dir, id, version string
	digest           hashes.Digest
	moved            bool // it is somewhere else now
}

// findGone finds the packages that a catalog listed and does not any more, or
// whose directories are gone, and those whose manifests were taken away.
func (p *pullRequest) findGone(ctx context.Context) error {
	seen := map[string]bool{}
	for _, b := range p.before {
		for _, e := range b.cat.Entries {
			rel, ok := e.Source.Relative()
			if !ok || seen[e.Name] {
				continue
			}
			dir := joinRel(p.d.base, rel)
			_, err := p.d.root.Names(dir)
			if p.listed(e.Name) && (err == nil || !b.cat.Native) || b.cat.Native && err == nil {
				continue
			}
			seen[e.Name] = true
			p.gone = append(p.gone, goneListed{dir: dir, id: e.Name, version: e.Version, digest: e.Digest})
		}
	}
	return p.findUnlisted(ctx, seen)
}

// listed reports whether a foreign catalog has an entry of this name.
func (p *pullRequest) listed(name string) bool {
	return slices.ContainsFunc(p.after, func(l listing) bool { return !l.cat.Native && len(l.cat.Named(name)) > 0 })
}

// findUnlisted finds the packages that went away and that no catalog listed.
func (p *pullRequest) findUnlisted(ctx context.Context, seen map[string]bool) error {
	var dirs []string
	for _, file := range p.changed {
		dir, name := path.Dir(file), path.Base(file)
		// A manifest in a hidden directory is that of the directory around it, as
		// .claude-plugin/plugin.json and .github/plugin/plugin.json are.
		if up := strings.TrimSuffix(dir, "/plugin"); strings.HasPrefix(path.Base(up), ".") && path.Base(up) != "." {
			dir, name = path.Dir(up), path.Base(up)
		}
		if p.c.loader.Detect([]string{name}) == nil || dir != p.d.base && p.d.base != "." && !strings.HasPrefix(dir, p.d.base+"/") {
			continue
		}
		inside := func(d string) bool { return d == "." || d == dir || strings.HasPrefix(dir, d+"/") }
		if slices.ContainsFunc(p.d.packages, inside) || slices.ContainsFunc(dirs, inside) || slices.ContainsFunc(p.gone, func(g goneListed) bool { return inside(g.dir) }) {
			continue
		}
		if _, err := p.d.root.ReadFile(file, catalog.MaxBytes); err == nil || errors.Is(err, tree.ErrTooLarge) {
			continue
		}
		dirs = append(dirs, dir)
	}
	reqs, places := make([]source.Request, len(dirs)), make([]pkgfmt.Place, len(dirs))
	for i, dir := range dirs {
		places[i] = pkgfmt.Place{Name: path.Base(dir)}
		reqs[i] = source.Request{Dir: dir, Options: p.c.loader.Options(places[i])}
	}
	return p.base.Trees(ctx, reqs, func(i int, t *tree.Tree, err error) error {
		if isMissing(err) {
			return nil // it came and went in the work tree
		}
		if err != nil {
			return err
		}
		if was := p.c.loader.Load(t, places[i]); was.Format != "" && !seen[was.ID()] {
			seen[was.ID()] = true
			p.gone = append(p.gone, goneListed{dir: dirs[i], id: was.ID(), version: was.Version(), digest: was.Digest})
		}
		return nil
	})
}

// removed adds the packages that are gone and are nowhere else.
func (p *pullRequest) removed() {
	for _, g := range p.gone {
		elsewhere := func(k CheckedPackage) bool {
			return k.PreviousPath != "" && k.PreviousPath == p.shown(g.dir) && k.ID == g.id
		}
		if !g.moved && !slices.ContainsFunc(p.report.Packages, elsewhere) {
			p.report.Packages = append(p.report.Packages, CheckedPackage{
				Path: p.shown(g.dir), ID: g.id, Previous: g.version, Status: PackageRemoved, Before: g.digest,
				Files: []FileChange{}, Capabilities: []capability.Change{}, Problems: problem.List{}, job: job{dir: g.dir},
			})
		}
	}
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
