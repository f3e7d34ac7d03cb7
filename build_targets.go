package pinion

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pinion/author"
	"pinion/catalog"
	"pinion/catalog/compile"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/source"
	"pinion/tree"
)

// targeting is a build that also writes the catalogs of hosts.
type targeting struct {
	hosts []catalog.Flavour

	mu       sync.Mutex
	packages map[string]*compile.Package // by directory
}

// ParseTargets checks names of hosts that catalogs can be written for.
func ParseTargets(names []string) error {
	_, err := compile.ParseHosts(names)
	return err
}

// targets returns the hosts to write catalogs for: those of the options, else
// those that the repository's catalog asks for in "targets". It is nil when
// there are none.
func (c *Client) targets(ctx context.Context, set packageSet, o BuildOptions) (*targeting, error) {
	hosts, err := compile.ParseHosts(o.Hosts)
	if err != nil {
		return nil, usage("", "%v", err)
	}
	if len(o.Hosts) == 0 {
		if asked, err := asksForHosts(ctx, set); err != nil || !asked {
			return nil, err
		}
		name, data, err := c.anyCatalog(ctx, set)
		if err != nil {
			return nil, err
		}
		if hosts, err = compile.Targets(data); err != nil {
			return nil, usage("correct \"targets\" in "+name, "%v", err)
		}
	}
	if len(hosts) == 0 {
		return nil, nil
	}
	return &targeting{hosts: hosts, packages: map[string]*compile.Package{}}, nil
}

// asksForHosts looks for the key without reading the catalog, of which there is
// no need in nearly every build.
func asksForHosts(ctx context.Context, set packageSet) (bool, error) {
	for _, name := range catalog.Candidates() {
		data, err := set.file(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || bytes.Contains(data, []byte(`"targets"`)) {
			return err == nil, err
		}
		if bytes.Contains(data, []byte(`"schema_version"`)) {
			return false, nil // a native one goes before all others
		}
	}
	return false, nil
}

// anyCatalog returns the repository's catalog, no data when there is none.
func (c *Client) anyCatalog(ctx context.Context, set packageSet) (string, []byte, error) {
	name, data, err := catalog.Find(ctx, func(p string) ([]byte, error) { return set.file(ctx, p) })
	if errors.Is(err, catalog.ErrNone) {
		return "", nil, nil
	}
	return name, data, err
}

// foreignSource returns the catalog of a host that is to be compiled as it is:
// there is no native one, and no native package that would ask for one.
func (c *Client) foreignSource(ctx context.Context, set packageSet) (name string, data []byte, err error) {
	name, data, err = c.anyCatalog(ctx, set)
	if err != nil || data == nil {
		return "", nil, err
	}
	if cat, _ := catalog.Parse(name, data); cat.Flavour == catalog.Native {
		return "", nil, nil
	}
	names, err := set.names(ctx)
	if err != nil {
		return name, data, ignoreMissing(err)
	}
	for _, n := range names {
		for _, m := range []string{"pinion-plugin.json", "shinbot-plugin.json"} {
			if _, err := set.file(ctx, pluginsDir+"/"+n+"/"+m); err == nil {
				return "", nil, nil
			}
		}
	}
	return name, data, nil
}

// header takes the name of a first native catalog from the host's catalog that
// is there already: users know the marketplace by it.
func (t *targeting) header(ctx context.Context, set packageSet, in *catalog.BuildInput) {
	for _, p := range catalog.Candidates() {
		data, err := set.file(ctx, p)
		if err != nil {
			continue
		}
		cat, _ := catalog.Parse(p, data)
		if cat.Name == "" {
			continue
		}
		in.Name, in.Description = cat.Name, cat.Description
		if cat.Owner.Name != "" {
			in.Owner = cat.Owner.Name
		}
		return
	}
}

// keep notes what the compiler needs of a package. Its files are copied when a
// host needs a copy: they are gone after the call.
func (t *targeting) keep(dir string, p *pkgfmt.Package) {
	m := *p.Manifest
	kept := &compile.Package{Format: p.Format, Manifest: &m}
	for _, n := range p.Tree.Top {
		kept.Top = append(kept.Top, strings.Clone(n))
	}
	var hosts []string
	for _, h := range t.hosts {
		hosts = append(hosts, string(h))
	}
	if compile.Copied(kept, hosts) {
		for _, f := range p.Tree.Files {
			kept.Files = append(kept.Files, compile.File{Path: strings.Clone(f.Path), Data: bytes.Clone(f.Data), Exec: f.Exec})
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.packages[dir] = kept
}

// compileForeign writes the catalogs of hosts from the catalog of one.
func (c *Client) compileForeign(ctx context.Context, root *tree.Dir, dir string, set packageSet, at place, t *targeting, name string, data []byte, r *BuildReport, o BuildOptions) error {
	r.Path = name
	cat, _ := catalog.Parse(name, data)
	var dirs []string
	for i := range cat.Entries {
		if d, ok := cat.Entries[i].Source.Relative(); ok && d != "." && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	err := set.loadAt(ctx, dirs, func(i int, p *pkgfmt.Package) {
		t.keep(dirs[i], p)
		t.mu.Lock()
		defer t.mu.Unlock()
		r.Packages++
		r.Files += len(p.Tree.Files)
	})
	if err != nil {
		return err
	}
	return c.compile(ctx, root, dir, set, at, t, name, data, r, o)
}

// compile writes the source at name, and the files of the hosts.
func (c *Client) compile(ctx context.Context, root *tree.Dir, dir string, set packageSet, at place, t *targeting, name string, data []byte, r *BuildReport, o BuildOptions) error {
	in := compile.Input{Hosts: t.hosts, Path: name, Data: data, Packages: t.packages, Existing: map[string][]byte{}}
	paths := append(compile.Paths(), name)
	for _, p := range paths {
		switch old, err := set.file(ctx, p); {
		case err == nil:
			in.Existing[p] = old
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	for _, p := range filesBelow(root, compile.HostsDir, maxDiscoveryDepth) {
		in.Existing[p] = nil // its name is enough
	}
	var err error
	if in.Released, err = c.releasedFiles(ctx, at, paths, name, in.Existing, o); err != nil {
		return err
	}
	if in.Taken, err = c.takenNames(ctx, at, dir); err != nil {
		return err
	}
	out := compile.Compile(in)
	r.Problems = append(r.Problems, out.Problems...)
	r.Problems.Sort()
	r.Hosts = append(r.Hosts, out.Hosts...)
	if r.Problems.HasErrors() {
		r.OK = false
		return nil
	}
	return c.finishTargets(root, dir, out, r, o)
}

// finishTargets compares every file with the one on disk and writes all that
// differ, or none.
func (c *Client) finishTargets(root *tree.Dir, dir string, out *compile.Result, r *BuildReport, o BuildOptions) error {
	var changes []author.Change
	var stale problem.List
	for _, f := range out.Files {
		if f.Path == r.Path {
			r.Catalog = content(f.Data)
		}
		have, err := root.ReadFile(f.Path, catalog.MaxBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && bytes.Equal(have, f.Data) {
			continue
		}
		changes = append(changes, author.Change{Path: f.Path, Data: f.Data, Exec: f.Exec})
		switch {
		case path.Base(f.Path) == "marketplace.json" || f.Path == r.Path:
			stale = append(stale, catalog.Stale(f.Path, have, f.Data)...)
		case len(have) == 0:
			stale.Add(catalog.StaleFile(f.Path, "does not exist"))
		default:
			stale.Add(catalog.StaleFile(f.Path, "is not what the packages give"))
		}
	}
	for _, p := range out.Remove {
		if _, err := root.ReadFile(p, catalog.MaxBytes); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		changes = append(changes, author.Change{Path: p})
		stale.Add(catalog.StaleFile(p, "is left from a package that is gone"))
	}
	for _, ch := range changes {
		r.Outputs = append(r.Outputs, ch.Path)
	}
	slices.Sort(r.Outputs)
	r.Changed, r.OK = len(changes) > 0, true
	switch {
	case o.Stdout && len(o.Hosts) == 1:
		for _, f := range out.Files {
			if f.Path == out.Hosts[0].Path {
				r.Catalog = content(f.Data)
			}
		}
	case o.Stdout:
	case o.Check:
		r.Problems = append(r.Problems, stale...)
		r.Problems.Sort()
		r.OK = !r.Problems.HasErrors()
	case o.DryRun, len(changes) == 0:
	default:
		if err := author.ReplaceAll(dir, changes); err != nil {
			return err
		}
		r.Written = true
	}
	return nil
}

// releasedFiles returns the released catalogs by path: of the base, else of
// HEAD, outside git those that are being replaced.
func (c *Client) releasedFiles(ctx context.Context, at place, paths []string, name string, existing map[string][]byte, o BuildOptions) (map[string][]byte, error) {
	out := map[string][]byte{}
	switch {
	case o.Base == "none":
		return out, nil
	case o.Base == "" && at.local == nil:
		for _, p := range paths {
			out[p] = existing[p]
		}
		return out, nil
	case isPath(o.Base) || strings.HasSuffix(o.Base, ".json"):
		data, err := readBase(c.abs(o.Base))
		out[name] = data
		return out, err
	}
	snap, _, err := baseCommit(ctx, at, o)
	if err != nil {
		return nil, err
	}
	if snap == nil {
		return out, nil
	}
	defer snap.Close()
	for _, p := range paths {
		data, err := snap.ReadFile(ctx, joinRel(at.dir, p), catalog.MaxBytes)
		if err == nil {
			out[p] = data
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return out, nil
}

// takenNames returns the plugins of the marketplaces that the user added, but
// for the one that this repository is.
func (c *Client) takenNames(ctx context.Context, at place, dir string) ([]compile.Taken, error) {
	_, ms, ok, err := c.state(false)
	if err != nil || !ok {
		return nil, err
	}
	list, _, err := ms.List(ctx)
	if err != nil {
		return nil, err
	}
	self := map[string]bool{}
	if spec, err := source.Parse(dir, c.o.Cwd); err == nil {
		self[spec.Key()] = true
	}
	if at.local != nil {
		if spec, err := at.local.Remote(ctx); err == nil {
			self[spec.Key()] = true
		}
	}
	var out []compile.Taken
	for _, m := range list {
		if self[m.Key] {
			continue
		}
		for _, p := range m.State.Plugins {
			out = append(out, compile.Taken{Name: p.ID, Market: m.Name})
		}
	}
	return out, nil
}

// filesBelow lists the files below a directory, which may not be there.
func filesBelow(root *tree.Dir, dir string, depth int) (out []string) {
	names, err := root.Names(dir)
	if err != nil || depth == 0 {
		return nil // what cannot be listed is not ours to remove
	}
	for _, n := range names {
		if sub, isDir := strings.CutSuffix(n, "/"); isDir {
			out = append(out, filesBelow(root, path.Join(dir, sub), depth-1)...)
		} else {
			out = append(out, path.Join(dir, n))
		}
	}
	return out
}

// loadAt reads packages anywhere in the repository; those that are not there,
// or are no packages, are passed over.
func (w *workingTree) loadAt(ctx context.Context, dirs []string, fn func(int, *pkgfmt.Package)) error {
	d := &discovery{root: w.root, base: ".", inGit: w.inGit}
	return w.c.each(ctx, len(dirs), func(ctx context.Context, s *tree.Scratch, i int) error {
		p, err := w.c.load(ctx, d, dirs[i], dirs[i], nil, s)
		if err != nil {
			return ctx.Err() // what cannot be read is an entry of which nothing is known
		}
		fn(i, p)
		return nil
	})
}

func (s *committed) loadAt(ctx context.Context, dirs []string, fn func(int, *pkgfmt.Package)) error {
	reqs := make([]source.Request, len(dirs))
	places := make([]pkgfmt.Place, len(dirs))
	for i, d := range dirs {
		places[i] = pkgfmt.Place{Path: d, Name: filepath.Base(d)}
		reqs[i] = source.Request{Dir: joinRel(s.dir, d), Options: s.c.loader.Options(places[i])}
	}
	return s.snap.Trees(ctx, reqs, func(i int, t *tree.Tree, err error) error {
		if err != nil {
			return ctx.Err()
		}
		fn(i, s.c.loader.Load(t, places[i]))
		return nil
	})
}
