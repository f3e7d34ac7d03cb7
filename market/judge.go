package market

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"

	"pinion/catalog"
	"pinion/hashes"
	"pinion/pkgfmt"
	"pinion/problem"
	"pinion/source"
	"pinion/tree"
)

// judge turns the entries of one catalog into plugins, reading each directory
// of the snapshot at most once.
type judge struct {
	ms      *Markets
	snap    source.Snapshot
	cat     *catalog.Catalog
	prev    []Plugin // in use, of those that are to be judged again
	before  map[string][]*Plugin
	ledger  *Ledger
	shared  map[string]int               // entries by directory
	trees   map[string]map[string]string // parent directory → tree ids
	title   string
	only    []string // the plugins to be read; empty is all
	refused []Refusal
	facts   []Fact // for the ledger
}

// run judges every entry of the catalog; the result is in its order.
func (j *judge) run(ctx context.Context) ([]Plugin, error) {
	plugins := make([]Plugin, len(j.cat.Entries))
	j.shared = j.cat.Shared()
	var reqs []source.Request
	var places []pkgfmt.Place
	var which []int
	for i, e := range j.cat.Entries {
		p := &plugins[i]
		*p = j.stated(e)
		if p.Status != Ready || p.Origin.Spec != "" {
			continue // nothing to read here; Spec: it was read from its own repository before
		}
		if j.rewritten(p, e) {
			continue
		}
		if len(j.only) > 0 && !slices.Contains(j.only, p.ID) {
			p.Status, p.Digest = Listed, e.Digest
			continue
		}
		id, err := j.treeID(ctx, p.Origin.Path)
		if err != nil {
			return nil, err
		}
		p.TreeID = id
		if old := j.unchanged(p); old != nil {
			kept := *old
			kept.Origin.Commit, kept.Kept = p.Origin.Commit, ""
			*p = kept
			continue
		}
		at := pkgfmt.Place{Path: p.Origin.Path, Name: path.Base(p.Origin.Path), Entry: p.Origin.Entry, Select: p.Origin.Select}
		reqs = append(reqs, source.Request{Dir: p.Origin.Path, Options: j.ms.o.Loader.Options(at)})
		places = append(places, at)
		which = append(which, i)
	}
	err := j.snap.Trees(ctx, reqs, func(n int, t *tree.Tree, err error) error {
		p := &plugins[which[n]]
		j.ms.o.Progress(j.title, n+1, len(reqs))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, tree.ErrNotDirectory) {
			p.unavailable(ruleNoDirectory.Report("the directory %q does not exist", p.Origin.Path))
			return nil
		}
		if err != nil {
			return err
		}
		pkg := j.ms.o.Loader.Load(t, places[n])
		j.loaded(p, pkg, j.cat.Entries[which[n]])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range plugins {
		j.remember(&plugins[i])
	}
	return plugins, nil
}

// stated fills in what the catalog alone says.
func (j *judge) stated(e catalog.Entry) Plugin {
	p := Plugin{
		ID: e.Name, Version: e.Version, Status: Ready, Published: j.cat.Native,
		Kind: e.Kind, Title: e.DisplayName, Description: e.Description, License: e.License,
	}
	if bad, ok := e.Problems.First(); ok {
		p.unavailable(bad)
		return p
	}
	if !j.cat.Native {
		p.Origin.Entry = e.Manifest()
	}
	p.clip()
	if dir, ok := e.Source.Relative(); ok {
		p.Origin.Path, p.Origin.Commit = dir, j.snap.Pin().Commit
		p.Origin.Select = j.cat.Selection(e, j.shared)
		return p
	}
	if spec, sub, sha, ok := e.Source.Spec(); ok {
		p.Status = Elsewhere
		p.Origin.Spec, p.Origin.Path, p.Origin.Commit = spec, sub, sha
		p.Floating = sha == ""
		if old := j.fetched(&p); old != nil {
			return *old
		}
		return p
	}
	p.Status, p.Why = Unsupported, e.Source.Why()
	return p
}

// rewritten refuses, before anything is read, a published version whose digest
// is not the one that was published first (SB-082).
func (j *judge) rewritten(p *Plugin, e catalog.Entry) bool {
	if !j.cat.Native {
		return false
	}
	f, ok := j.ledger.Published(p.ID, p.Version)
	if !ok || f.Digest == e.Digest {
		return false
	}
	j.refuse(p, Refusal{
		ID: p.ID, Version: p.Version, Rule: ruleRewritten.ID,
		Recorded: f.Digest, RecordedCommit: f.Origin.Commit, FirstSeen: f.FirstSeen,
		Offered: e.Digest, OfferedCommit: p.Origin.Commit,
	})
	return true
}

// loaded settles a plugin of the marketplace's own repository.
func (j *judge) loaded(p *Plugin, pkg *pkgfmt.Package, e catalog.Entry) {
	stated := p.Version
	p.read(pkg)
	if p.Status != Ready || !j.cat.Native {
		return
	}
	if stated != pkg.Version() {
		p.unavailable(ruleDisagrees.Report("the catalog says %s %s, the package says %s %s", p.ID, stated, pkg.ID(), pkg.Version()))
		return
	}
	if pkg.Digest != e.Digest {
		j.refuse(p, Refusal{
			ID: p.ID, Version: p.Version, Rule: ruleMismatch.ID,
			Recorded: e.Digest, RecordedCommit: p.Origin.Commit, Offered: pkg.Digest, OfferedCommit: p.Origin.Commit,
		})
	}
}

// read takes over what the package itself says.
func (p *Plugin) read(pkg *pkgfmt.Package) {
	m := pkg.Manifest
	found := pkg.Problems.ForUse()
	p.Format, p.Kind, p.Notes = pkg.Format, m.Kind, found.Count(problem.Warning)
	p.Files, p.Bytes, p.Components = len(pkg.Tree.Files), pkg.Tree.Bytes, m.Components
	p.Digest, p.Version = pkg.Digest, pkg.Version()
	p.Title = cmp.Or(m.Name, p.Title)
	p.Description = cmp.Or(m.Description, p.Description)
	p.License = cmp.Or(m.License, p.License)
	p.clip()
	for _, f := range pkg.Tree.Files {
		if f.Link != "" {
			p.TreeID = "" // the directory's id does not cover what a link points to
			break
		}
	}
	if bad, ok := found.First(); ok {
		p.unavailable(bad)
		return
	}
	if p.ID != pkg.ID() {
		// It would be installed, and could replace another plugin, under a name
		// that nobody asked for.
		p.unavailable(ruleDisagrees.Report("the catalog says %s, the package says %s", p.ID, pkg.ID()))
	}
}

// remember prepares the ledger lines of a plugin and marks a second build.
// Drafts are never in the ledger.
func (j *judge) remember(p *Plugin) {
	// A listed plugin was not read, but what its catalog published is a promise.
	known := p.Status == Ready || p.Status == Listed && p.Published
	if !known || p.Kept != "" || p.Origin.Commit == "" || p.Digest.IsZero() {
		return
	}
	facts := j.ledger.Facts(p.ID, p.Version)
	// Also when the digest is published now and was only recorded before.
	p.Rewritten = len(facts) > 0 && facts[0].Digest != p.Digest
	if j.ledger.Has(p.ID, p.Version, p.Digest, p.Published) {
		return
	}
	f := Fact{
		ID: p.ID, Version: p.Version, Digest: p.Digest, Published: p.Published,
		Origin: FactOrigin{Repository: j.repository(p), Origin: p.Origin}, FirstSeen: j.ms.o.Clock().UTC(),
	}
	j.ledger.add(f)
	j.facts = append(j.facts, f)
}

func (j *judge) repository(p *Plugin) string {
	if p.Origin.Spec == "" {
		return j.title
	}
	if s, err := source.Parse(p.Origin.Spec, j.ms.o.Cwd); err == nil {
		return s.Canonical()
	}
	return p.Origin.Spec
}

// earlier returns what is in use of a plugin.
func (j *judge) earlier(id string) []*Plugin {
	if j.before == nil {
		j.before = make(map[string][]*Plugin, len(j.prev))
		for i := range j.prev {
			p := &j.prev[i]
			j.before[p.ID] = append(j.before[p.ID], p)
		}
	}
	return j.before[id]
}

// unchanged returns the earlier verdict on a directory whose content and entry
// are what they were, so that a refresh reads only what changed.
func (j *judge) unchanged(p *Plugin) *Plugin {
	if p.TreeID == "" {
		return nil
	}
	for _, old := range j.earlier(p.ID) {
		if old.TreeID == p.TreeID && old.Kept == "" && old.Status == Ready &&
			old.Published == p.Published && old.Origin.Path == p.Origin.Path &&
			(!p.Published || old.Version == p.Version) && sameOrigin(old.Origin, p.Origin) {
			return old
		}
	}
	return nil
}

// fetched returns the earlier verdict on a plugin of another repository that is
// pinned to the same commit.
func (j *judge) fetched(p *Plugin) *Plugin {
	if p.Origin.Commit == "" {
		return nil
	}
	for _, old := range j.earlier(p.ID) {
		if old.Status == Ready && old.Origin.Spec == p.Origin.Spec &&
			old.Origin.Commit == p.Origin.Commit && old.Origin.Path == p.Origin.Path && sameOrigin(old.Origin, p.Origin) {
			return old
		}
	}
	return nil
}

func sameOrigin(a, b Origin) bool {
	return reflect.DeepEqual(a.Entry, b.Entry) && reflect.DeepEqual(a.Select.Paths, b.Select.Paths)
}

// treeID returns the id of a directory's content, asking for all of its
// siblings at once.
func (j *judge) treeID(ctx context.Context, dir string) (string, error) {
	if dir == "." {
		return "", nil
	}
	parent := path.Dir(dir)
	known, ok := j.trees[parent]
	if !ok {
		var err error
		known, err = j.snap.TreeIDs(ctx, parent)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("list %s: %w", parent, err)
		}
		j.trees[parent] = known
	}
	return known[path.Base(dir)], nil
}

// hasTree reports whether the content of a directory has the id. It is asked for
// each plugin there is, and allocates only for a new parent.
func (j *judge) hasTree(ctx context.Context, dir, id []byte) (bool, error) {
	if at := bytes.LastIndexByte(dir, '/'); at > 0 {
		if known, ok := j.trees[string(dir[:at])]; ok {
			return known[string(dir[at+1:])] == string(id), nil
		}
	}
	now, err := j.treeID(ctx, string(dir))
	return err == nil && now == string(id), err
}

// refuse keeps the bytes that are in use and notes why the new ones were not
// taken. It is settled in refresh whether the whole refresh stops.
func (j *judge) refuse(p *Plugin, r Refusal) {
	j.refused = append(j.refused, r)
	for _, old := range j.earlier(p.ID) {
		if old.Status == Ready {
			*p = *old
			p.Kept = r.Rule
			return
		}
	}
	p.Status, p.Rule, p.Why = Unavailable, r.Rule, "verification refused"
	p.Digest = hashes.Digest{}
}

// lines encodes the judged plugins for the listing. A plugin of its own directory
// that can be installed is kept by later refreshes, for as long as its entry and
// its tree are the same; the verdict on any other can change without them.
func (j *judge) lines(plugins []Plugin, texts []entryText) ([][]byte, error) {
	out := make([][]byte, len(plugins))
	for i, p := range plugins {
		dir := p.Origin.Path
		steady := p.Status == Ready && p.Kept == "" && p.TreeID != "" && p.Origin.own() &&
			len(p.Origin.Select.Paths) == 0 && j.shared[dir] == 1 && jsonText(dir) == dir
		var text entryText
		if steady {
			text = texts[i]
		}
		var err error
		if out[i], err = encode(p, text, j.snap.Pin().Commit); err != nil {
			return nil, fmt.Errorf("encode the listing: %w", err)
		}
	}
	return out, nil
}

func (p *Plugin) unavailable(pr problem.Problem) {
	p.Status, p.Rule, p.Why = Unavailable, pr.Rule, pr.Message
	if pos := pr.Position(); pos != "" {
		p.Why = pos + ": " + pr.Message
	}
}
