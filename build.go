package pinion

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pinion/catalog"
	"pinion/catalog/compile"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/source"
	"pinion/source/git"
	"pinion/tree"
)

// BuildOptions are the choices of [Client.BuildCatalog].
type BuildOptions struct {
	Check  bool   // write nothing; a difference is catalog/stale
	Stdout bool   // write nothing; the bytes are in the report
	From   string // a revision whose blobs are read instead of the working tree
	// Base is what counts as released: a file, a revision, or "none". "" is
	// HEAD's catalog, outside git the file being replaced.
	Base  string
	Owner string // owner's name where the existing catalog states none
	// Bump raises the patch version of each package that changed under a
	// released version, and builds again. In the catalogs of other formats it
	// moves the entries that live in other repositories to their newest commits.
	Bump bool
	// FailOnNew leaves an entry of another repository whose news may do more
	// than before for a human: an error in the report.
	FailOnNew bool
	DryRun    bool // writes nothing but caches
	// Hosts are the hosts whose catalogs are written too. Without any it is what
	// the catalog asks for in "targets".
	Hosts []string
}

// BuildReport is the JSON document pinion.build-catalog/v1.
type BuildReport struct {
	Schema   string       `json:"schema"`
	OK       bool         `json:"ok"`
	Path     string       `json:"path"` // of the catalog, from the repository
	Packages int          `json:"packages"`
	Files    int          `json:"files"`
	Changed  bool         `json:"changed"` // the file on disk differs, or differed before the write
	Written  bool         `json:"written"`
	Problems problem.List `json:"problems"`
	Bumped   []Bumped     `json:"bumped"` // with Bump

	// With Bump, for entries whose plugins live in other repositories: how many
	// there are, for how many there is no news, those with news, and those that
	// stay as they are although they are not the newest.
	Elsewhere int           `json:"elsewhere"`
	Unchanged int           `json:"unchanged"`
	Entries   []BumpedEntry `json:"entries"`
	LeftOut   []LeftOut     `json:"leftOut"`

	// Hosts is what became of the source for each host whose catalog is written,
	// and Outputs are the files that differ, or differed before the write.
	Hosts   []compile.Host `json:"hosts"`
	Outputs []string       `json:"outputs"`

	// Catalog writes the catalog; nil when there are errors.
	Catalog io.WriterTo `json:"-"`

	changed []string // directories with other files under a released version
}

// pluginsDir is where a native repository keeps its packages (SB-075).
const pluginsDir = "plugins"

// packageSet is what a catalog is built from: a working tree or a commit.
type packageSet interface {
	// names are the directories below plugins, sorted.
	names(ctx context.Context) ([]string, error)
	// load reads the packages and calls fn for each, from several goroutines.
	load(ctx context.Context, names []string, fn func(i int, p *pkgfmt.Package)) error
	// loadAt is load for directories anywhere in the repository. Those that are
	// not there are passed over.
	loadAt(ctx context.Context, dirs []string, fn func(i int, p *pkgfmt.Package)) error
	// file returns a file of the repository.
	file(ctx context.Context, path string) ([]byte, error)
}

// BuildCatalog builds the catalog of the packages below plugins in a
// repository. The same packages give the same bytes. When a package has errors,
// or changed under a released version, the old catalog stays untouched.
func (c *Client) BuildCatalog(ctx context.Context, repo string, o BuildOptions) (*BuildReport, error) {
	if repo == "" {
		repo = "."
	}
	if o.Bump {
		return c.bumpAll(ctx, repo, o)
	}
	return c.build(ctx, repo, o)
}

// bumpAll bumps the repository's own packages where its catalog lists them, and
// the entries of its other catalogs that live elsewhere.
func (c *Client) bumpAll(ctx context.Context, repo string, o BuildOptions) (*BuildReport, error) {
	dir := c.abs(repo)
	root, err := tree.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("", "%s does not exist", repo)
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	all, problems, err := c.bumpCatalogs(root)
	if err != nil {
		return nil, err
	}
	own := func() (*BuildReport, error) {
		r, err := c.build(ctx, repo, o)
		if err != nil {
			return r, err
		}
		return c.bumpChanged(ctx, repo, r, o)
	}
	if len(all) == 0 {
		return own()
	}
	r := newBuildReport()
	if hasNative(root) {
		if o.Stdout {
			return nil, usage("leave --stdout out; --dry-run writes nothing", "--stdout prints one catalog, and this repository has several")
		}
		if r, err = own(); err != nil || !r.OK {
			return r, err
		}
	}
	r.Problems = append(r.Problems, problems...)
	if problems.HasErrors() {
		r.OK = false
		return r, nil
	}
	return r, c.bumpEntries(ctx, dir, all, o, r)
}

// hasNative reports whether a repository has a catalog that Pinion builds.
func hasNative(root *tree.Dir) bool {
	for _, name := range []string{"marketplace.json", "shinbot-marketplace.json"} {
		if data, err := root.ReadFile(name, catalog.MaxBytes); err == nil {
			if cat, _ := catalog.Parse(name, data); cat.Flavour == catalog.Native {
				return true
			}
		}
	}
	return false
}

func newBuildReport() *BuildReport {
	return &BuildReport{Schema: "pinion.build-catalog/v1", Problems: problem.List{}, Bumped: []Bumped{}, Entries: []BumpedEntry{}, LeftOut: []LeftOut{},
		Hosts: []compile.Host{}, Outputs: []string{}}
}

func (c *Client) build(ctx context.Context, repo string, o BuildOptions) (*BuildReport, error) {
	r := newBuildReport()
	dir := c.abs(repo)
	root, err := tree.OpenDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notFound("", "%s does not exist", repo)
		}
		return nil, err
	}
	defer root.Close()
	local, err := c.localGit(dir)
	if err != nil {
		return nil, err
	}
	at, err := inRepository(local, dir)
	if err != nil {
		return nil, err
	}
	set, done, err := c.packageSet(ctx, root, at, o.From)
	if err != nil {
		return nil, err
	}
	defer done()
	hosts, err := c.targets(ctx, set, o)
	if err != nil {
		return nil, err
	}
	if hosts != nil {
		name, data, err := c.foreignSource(ctx, set)
		if err != nil {
			return nil, err
		}
		if data != nil {
			return r, c.compileForeign(ctx, root, dir, set, at, hosts, name, data, r, o)
		}
	}
	var before committedCatalog
	if commit, ok := set.(*committed); ok && hosts == nil {
		before, ok, err = c.recallable(ctx, commit, at, o)
		if err != nil {
			return nil, err
		}
		if known, found := c.recall(before.key); ok && found {
			r.Path, r.Packages, r.Files, r.Catalog = before.name, known.Packages, known.Files, before.data
			return r, c.finishBuild(root, dir, r, o)
		}
	}
	items, err := c.items(ctx, set, hosts, r)
	if err != nil || r.Problems.HasErrors() {
		return r, err
	}
	name := catalog.FileName(items)
	r.Path = name
	existing, err := set.file(ctx, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	in := catalog.BuildInput{Items: items, Existing: existing, Name: filepath.Base(dir), Owner: c.owner(ctx, local, o.Owner)}
	if hosts != nil && existing == nil {
		hosts.header(ctx, set, &in)
	}
	built := catalog.Build(in)
	r.Problems = append(r.Problems, built.Problems...)
	released, err := c.released(ctx, at, name, existing, o)
	if err != nil {
		return r, err
	}
	if released != nil {
		r.Problems = append(r.Problems, built.CheckUpdate(released)...)
		r.changed = changedDirs(items, released)
	}
	r.Problems.Sort()
	if r.Problems.HasErrors() {
		return r, nil
	}
	if before.key != "" && len(r.Problems) == 0 && before.same(built) {
		c.remember(knownBuild{Key: before.key, Packages: r.Packages, Files: r.Files})
	}
	if hosts != nil {
		return r, c.compile(ctx, root, dir, set, at, hosts, name, built.Bytes(), r, o)
	}
	r.Catalog = built
	return r, c.finishBuild(root, dir, r, o)
}

// finishBuild compares with the file on disk and writes what is to be written.
// The catalog is written piece by piece and never held in memory.
func (c *Client) finishBuild(root *tree.Dir, dir string, r *BuildReport, o BuildOptions) error {
	file := filepath.Join(dir, r.Path)
	same, err := holds(file, r.Catalog)
	if err != nil {
		return err
	}
	r.Changed, r.OK = !same, true
	switch {
	case o.Check && !same:
		onDisk, err := root.ReadFile(r.Path, catalog.MaxBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var want bytes.Buffer
		if _, err := r.Catalog.WriteTo(&want); err != nil {
			return err
		}
		r.Problems = append(r.Problems, catalog.Stale(r.Path, onDisk, want.Bytes())...)
		r.OK = !r.Problems.HasErrors()
	case o.Check, o.Stdout, o.DryRun, same:
	default:
		err := writeFrom(file, func(w io.Writer) error {
			_, err := r.Catalog.WriteTo(w)
			return err
		})
		if err != nil {
			return err
		}
		r.Written = true
	}
	return nil
}

// errDiffers ends a comparison at the first difference.
var errDiffers = errors.New("differs")

// holds reports whether a file has exactly what would be written.
func holds(file string, content io.WriterTo) (bool, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	cmp := &comparer{have: bufio.NewReaderSize(f, 64<<10)}
	if _, err := content.WriteTo(cmp); err != nil {
		if errors.Is(err, errDiffers) {
			return false, nil
		}
		return false, err
	}
	_, err = cmp.have.ReadByte()
	return errors.Is(err, io.EOF), nil
}

// comparer is a writer that holds what is written against a file.
type comparer struct {
	have *bufio.Reader
	buf  []byte
}

// Write returns errDiffers when the file goes on differently.
func (c *comparer) Write(b []byte) (int, error) {
	if len(c.buf) < len(b) {
		c.buf = make([]byte, len(b))
	}
	n, err := io.ReadFull(c.have, c.buf[:len(b)])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	if n < len(b) || !bytes.Equal(c.buf[:n], b) {
		return 0, errDiffers
	}
	return len(b), nil
}

// items validates every package and says what the catalog states of it; hosts,
// if not nil, is given what catalogs of hosts need.
// Problems of all packages are in the report, in the order of the directories.
func (c *Client) items(ctx context.Context, set packageSet, hosts *targeting, r *BuildReport) (*catalog.Items, error) {
	names, err := set.names(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("make a package with: pinion init skill NAME", "there is no %s directory to build a catalog from", pluginsDir)
	}
	if err != nil {
		return nil, err
	}
	r.Packages = len(names)
	items := catalog.NewItems(len(names))
	problems := map[int]problem.List{} // few packages have any
	var mu sync.Mutex
	err = set.load(ctx, names, func(i int, p *pkgfmt.Package) {
		m := p.Manifest
		it := catalog.Item{
			ID: p.ID(), Version: p.Version(), Dir: pluginsDir + "/" + names[i], Kind: m.Kind, DisplayName: m.Name,
			Description: m.Description, License: m.License, Digest: p.Digest, Manifest: m.Path,
		}
		if hosts != nil {
			hosts.keep(it.Dir, p)
		}
		mu.Lock()
		defer mu.Unlock()
		items.Add(it)
		r.Files += len(p.Tree.Files)
		if len(p.Problems) > 0 {
			problems[i] = p.Problems
		}
	})
	for _, i := range slices.Sorted(maps.Keys(problems)) {
		r.Problems = append(r.Problems, problems[i]...)
	}
	return items, err
}

// localGit returns the repository that a directory is in, nil when there is
// none or git is not installed.
func (c *Client) localGit(dir string) (*git.Local, error) {
	l, err := git.OpenLocal(dir, c.git())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, git.ErrNoGit) {
		return nil, nil
	}
	return l, err
}

// place is a directory of the user's own git repository.
type place struct {
	local *git.Local // nil outside git
	dir   string     // from the top of the work tree, slash-separated
}

func inRepository(local *git.Local, dir string) (place, error) {
	if local == nil {
		return place{dir: "."}, nil
	}
	// The top is as git sees it, with links resolved.
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return place{}, err
	}
	top, err := filepath.EvalSymlinks(local.Top())
	if err != nil {
		return place{}, err
	}
	rel, err := filepath.Rel(top, real)
	return place{local: local, dir: filepath.ToSlash(rel)}, err
}

func (c *Client) packageSet(ctx context.Context, root *tree.Dir, at place, from string) (packageSet, func(), error) {
	if from == "" {
		return &workingTree{c: c, root: root, inGit: at.local != nil}, func() {}, nil
	}
	if at.local == nil {
		return nil, nil, usage("leave --from out to build from the files on disk", "--from needs a git repository and git")
	}
	snap, err := at.local.Snapshot(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	return &committed{c: c, snap: snap, dir: at.dir}, func() { snap.Close() }, nil
}

// owner is the owner's name for a catalog that states none: the given one, the
// remote's owner, git's user.name, in this order.
func (c *Client) owner(ctx context.Context, local *git.Local, given string) string {
	if given != "" || local == nil {
		return given
	}
	if o := local.RemoteOwner(ctx); o != "" {
		return o
	}
	return local.UserName(ctx)
}

// released returns the catalog whose versions must not change, nil when nothing
// is released. An uncommitted catalog is a draft: an author who builds, edits
// and builds again before the first commit is not refused.
func (c *Client) released(ctx context.Context, at place, name string, existing []byte, o BuildOptions) (*catalog.Catalog, error) {
	switch {
	case o.Base == "none":
		return nil, nil
	case o.Base == "" && at.local == nil:
		if existing == nil {
			return nil, nil
		}
		return parseReleased(name, existing)
	case isPath(o.Base) || strings.HasSuffix(o.Base, ".json"):
		data, err := readBase(c.abs(o.Base))
		if err != nil {
			return nil, fmt.Errorf("read the released catalog: %w", err)
		}
		return parseReleased(o.Base, data)
	}
	snap, rev, err := baseCommit(ctx, at, o)
	if err != nil || snap == nil {
		return nil, err
	}
	defer snap.Close()
	for _, n := range []string{name, "marketplace.json", "shinbot-marketplace.json"} {
		data, err := snap.ReadFile(ctx, joinRel(at.dir, n), catalog.MaxBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return parseReleased(rev+":"+n, data)
	}
	return nil, nil
}

// baseCommit opens the revision whose catalogs are released, HEAD when the base
// names none. It is nil when there is no commit yet. The caller closes it.
func baseCommit(ctx context.Context, at place, o BuildOptions) (snap source.Snapshot, rev string, err error) {
	if at.local == nil {
		return nil, "", usage("--base takes a file outside git", "--base %s needs a git repository and git", o.Base)
	}
	rev = cmp.Or(o.Base, "HEAD")
	snap, err = at.local.Snapshot(ctx, rev)
	if errors.Is(err, source.ErrNotFound) && o.Base == "" {
		return nil, rev, nil
	}
	return snap, rev, err
}

func readBase(file string) ([]byte, error) {
	d, err := tree.OpenDir(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadFile(filepath.Base(file), catalog.MaxBytes)
}

// parseReleased reads a catalog for its versions alone. One that is not native
// released no digests.
func parseReleased(name string, data []byte) (*catalog.Catalog, error) {
	cat, problems := catalog.Parse(name, data)
	if !cat.Native {
		return nil, nil
	}
	if problems.HasErrors() {
		for i := range problems {
			problems[i].File = name
		}
		return nil, fmt.Errorf("read the released catalog: %w", problems.Err())
	}
	return cat, nil
}

// workingTree builds from the files on disk.
type workingTree struct {
	c     *Client
	root  *tree.Dir
	inGit bool
}

func (w *workingTree) names(context.Context) ([]string, error) {
	all, err := w.root.Subdirs(pluginsDir)
	return slices.DeleteFunc(all, func(name string) bool { return name[0] == '.' }), err
}

func (w *workingTree) load(ctx context.Context, names []string, fn func(int, *pkgfmt.Package)) error {
	plugins, err := tree.OpenDir(filepath.Join(w.root.Path(), pluginsDir))
	if err != nil {
		return err
	}
	defer plugins.Close()
	d := &discovery{root: plugins, base: ".", inGit: w.inGit}
	return w.c.each(ctx, len(names), func(ctx context.Context, s *tree.Scratch, i int) error {
		p, err := w.c.load(ctx, d, names[i], pluginsDir+"/"+names[i], nil, s)
		if err != nil {
			return err
		}
		if err := w.c.compareStored(ctx, d, names[i], p); err != nil {
			return err
		}
		fn(i, p)
		return nil
	})
}

func (w *workingTree) file(_ context.Context, path string) ([]byte, error) {
	return w.root.ReadFile(path, catalog.MaxBytes)
}

// committed builds from the blobs of one commit.
type committed struct {
	c    *Client
	snap source.Snapshot
	dir  string // from the top of the repository

	// The file that was read last: the catalog is looked at several times.
	last     string
	lastData []byte
}

func (s *committed) names(ctx context.Context) ([]string, error) {
	ids, err := s.snap.TreeIDs(ctx, joinRel(s.dir, pluginsDir))
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(ids))
	for name := range ids {
		if name[0] != '.' {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (s *committed) load(ctx context.Context, names []string, fn func(int, *pkgfmt.Package)) error {
	reqs := make([]source.Request, len(names))
	places := make([]pkgfmt.Place, len(names))
	for i, n := range names {
		places[i] = pkgfmt.Place{Path: pluginsDir + "/" + n, Name: n}
		reqs[i] = source.Request{Dir: joinRel(s.dir, pluginsDir+"/"+n), Options: s.c.loader.Options(places[i])}
	}
	return s.snap.Trees(ctx, reqs, func(i int, t *tree.Tree, err error) error {
		if err != nil {
			return err
		}
		fn(i, s.c.loader.Load(t, places[i]))
		return nil
	})
}

func (s *committed) file(ctx context.Context, path string) ([]byte, error) {
	if path == s.last {
		return s.lastData, nil
	}
	data, err := s.snap.ReadFile(ctx, joinRel(s.dir, path), catalog.MaxBytes)
	if err == nil {
		s.last, s.lastData = path, data
	}
	return data, err
}
