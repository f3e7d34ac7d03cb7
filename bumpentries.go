package pinion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"pinion/capability"
	"pinion/catalog"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/policy"
	"pinion/problem"
	"pinion/source"
	"pinion/tree"
)

// BumpedEntry is a catalog's entry whose plugin lives in another repository,
// which has news that passed.
type BumpedEntry struct {
	Catalog string `json:"catalog"` // slash-separated, from the repository
	Name    string `json:"name"`
	Source  string `json:"source"` // the other repository
	Dir     string `json:"dir"`    // in it, "." for the whole
	From    string `json:"from"`   // the commit before, "" when the entry named none
	To      string `json:"to"`
	// FromRef and ToRef are set when the entry follows version tags.
	FromRef string `json:"fromRef"`
	ToRef   string `json:"toRef"`
	// FromVersion and ToVersion are what the two contents say.
	FromVersion  string              `json:"fromVersion"`
	ToVersion    string              `json:"toVersion"`
	Capabilities []capability.Change `json:"capabilities"`
	Widens       bool                `json:"widens"` // it may do more than before
	Scan         string              `json:"scan"`   // in one line
	// Note says what could not be compared, "" mostly.
	Note string `json:"note"`

	// version is what the entry's own version becomes, "" for what it is.
	version string
}

// LeftOut is an entry that stays as it is, and why.
type LeftOut struct {
	Catalog string `json:"catalog"`
	Name    string `json:"name"`
	Source  string `json:"source"`
	From    string `json:"from"`
	To      string `json:"to"` // the commit that was not taken, "" when none was found
	Rule    string `json:"rule"`
	Message string `json:"message"`
	// Capabilities are what would have changed, as far as it is known.
	Capabilities []capability.Change `json:"capabilities"`
}

// The rules of other packages that an entry can be left out for.
const (
	tagMoved      = "source/tag-moved"
	sourceMoved   = "source/moved"
	unreachable   = "source/unreachable"
	noDirectory   = "catalog/missing-directory"
	disagrees     = "catalog/disagrees"
	notRead       = "files/limit"
	newCapability = "change/new-capability"
)

// reposAtOnce is how many repositories are asked at the same time.
const reposAtOnce = 4

// bumpCatalog is one catalog of the repository that lists plugins of others.
type bumpCatalog struct {
	file   string // slash-separated, from the repository
	data   []byte
	cat    *catalog.Catalog
	points []*pointed
}

// pointed is one entry of such a catalog, and what became of it.
type pointed struct {
	in     *bumpCatalog
	entry  *catalog.Entry
	spec   source.Spec // without a ref
	choose pkgfmt.Selection

	bumped *BumpedEntry
	left   *LeftOut
	away   error // set when nothing of its repository's host could be reached
}

// bumping raises the entries of catalogs that point at other repositories.
type bumping struct {
	c    *Client
	ms   *market.Markets
	user *policy.Policy
	base string // spec of the catalog's own repository, "" when not known
	o    BuildOptions
}

// bumpCatalogs reads the catalogs of a repository that are not native and list
// plugins of other repositories. What is wrong with such a catalog as a whole is
// in problems.
func (c *Client) bumpCatalogs(root *tree.Dir) (out []*bumpCatalog, problems problem.List, err error) {
	for _, file := range catalog.Candidates() {
		data, err := root.ReadFile(file, catalog.MaxBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		cat, found := catalog.Parse(file, data)
		if cat.Flavour == catalog.Native {
			continue
		}
		l := &bumpCatalog{file: file, data: data, cat: cat}
		shared := cat.Shared()
		for i := range cat.Entries {
			e := &cat.Entries[i]
			switch e.Source.Form {
			case catalog.GitHub, catalog.URL, catalog.GitSubdir:
				l.points = append(l.points, &pointed{in: l, entry: e, choose: cat.Selection(*e, shared)})
			}
		}
		if len(l.points) > 0 {
			out, problems = append(out, l), append(problems, found...)
		}
	}
	return out, problems, nil
}

// bumpEntries looks for news of every entry that lives elsewhere, judges it, and
// writes what passes into the catalogs, where nothing else changes.
func (c *Client) bumpEntries(ctx context.Context, dir string, all []*bumpCatalog, o BuildOptions, r *BuildReport) error {
	if c.o.Offline {
		return usage("leave --offline out", "the catalog points at other repositories, and --offline forbids to ask them")
	}
	if o.Stdout && len(all) > 1 {
		return usage("leave --stdout out; --dry-run writes nothing", "--stdout prints one catalog, and %s and %s would change", all[0].file, all[1].file)
	}
	b, err := c.newBumping(ctx, dir, o)
	if err != nil {
		return err
	}
	if err := b.run(ctx, all); err != nil {
		return err
	}
	for i, l := range all {
		b.tell(l, r)
		text, err := l.edited()
		if err != nil {
			return fmt.Errorf("%s: %w", l.file, err)
		}
		changed := !bytes.Equal(text, l.data)
		r.Changed = r.Changed || changed
		if i == 0 {
			r.Path, r.Catalog = l.file, bytes.NewBuffer(text)
		}
		if !changed || o.DryRun || o.Stdout {
			continue
		}
		if err := l.write(dir, text); err != nil {
			return err
		}
		r.Written = true
	}
	r.Problems.Sort()
	r.OK = !r.Problems.HasErrors()
	return nil
}

func (c *Client) newBumping(ctx context.Context, dir string, o BuildOptions) (*bumping, error) {
	user, _, err := c.policies("")
	if err != nil {
		return nil, err
	}
	_, ms, _, err := c.state(true)
	if err != nil {
		return nil, err
	}
	b := &bumping{c: c, ms: ms, user: user, o: o}
	local, err := c.localGit(dir)
	if err != nil {
		return nil, err
	}
	if local != nil {
		// Without an address every other one is a strange one.
		if spec, err := local.Remote(ctx); err == nil {
			b.base = spec.String()
		}
	}
	// One key for all that is kept below, before several goroutines need it.
	_, err = makeReportKey(c.home)
	return b, unlessReadOnly(err)
}

// run settles every entry, the repositories in parallel and the entries of one
// repository one after the other. A repository that fails stops no other.
func (b *bumping) run(ctx context.Context, all []*bumpCatalog) error {
	var order []string
	groups := map[string][]*pointed{}
	total, done := 0, 0
	for _, l := range all {
		for _, p := range l.points {
			if p.entry.Unavailable != "" {
				p.leave(p.entry.Rule(), p.entry.Unavailable, "")
				continue
			}
			spec, err := source.Parse(p.entry.Source.Location, b.c.o.Cwd)
			if err != nil {
				p.leave(unreachable, err.Error(), "")
				continue
			}
			p.spec = spec
			key := spec.Key()
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], p)
			total++
		}
	}
	const what = "asking for news"
	b.c.o.Progress(what, 0, total)
	var mu sync.Mutex // so that reports of progress arrive in order
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(reposAtOnce)
	for _, key := range order {
		g.Go(func() error {
			asked := map[string]answer{}
			for _, p := range groups[key] {
				if err := b.one(gctx, p, asked); err != nil {
					return err
				}
				mu.Lock()
				done++
				b.c.o.Progress(what, done, total)
				mu.Unlock()
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return unreached(groups)
}

// unreached is an error when no repository at all could be reached: that is no
// news of the catalog, and a job must not take it for a quiet day.
func unreached(groups map[string][]*pointed) error {
	var away error
	for _, points := range groups {
		for _, p := range points {
			if p.away == nil {
				return nil
			}
			away = p.away
		}
	}
	if away == nil {
		return nil
	}
	return fmt.Errorf("none of the repositories that the catalog points at was reached: %w", away)
}

// one settles one entry. An error ends the whole run: only the home or the
// context can give one.
func (b *bumping) one(ctx context.Context, p *pointed, asked map[string]answer) error {
	from := p.entry.Source.SHA
	target, err := b.newest(ctx, p, asked)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if errors.Is(err, source.ErrOffline) {
			p.away = err
		}
		p.leaveFor(err, "")
		return nil
	}
	if target.commit == from {
		return nil
	}
	after, report, err := b.judge(ctx, p, target.commit)
	if err != nil || after == nil {
		return err
	}
	var before *facts
	note := ""
	switch {
	case from == "":
		// Whoever uses the entry gets the newest commit already.
		before, note = after, "the entry named no commit"
	default:
		if before, err = b.factsOf(ctx, p, from); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			before, note = &facts{}, "the commit before cannot be read any more, so everything counts as new"
		}
	}
	if before.Digest == after.Digest && from != "" && target.ref == "" {
		return nil // news of other directories of the repository
	}
	changes := capability.Diff(before.Capabilities, after.Capabilities)
	bumped := &BumpedEntry{
		Catalog: p.in.file, Name: p.entry.Name, Source: p.spec.Canonical(), Dir: p.entry.Source.Dir, From: from, To: target.commit,
		FromVersion: before.Version, ToVersion: after.Version, Capabilities: changes, Scan: report.Summary(), Note: note,
		Widens: slices.ContainsFunc(changes, func(c capability.Change) bool { return c.Widens }),
	}
	if target.ref != "" {
		bumped.FromRef, bumped.ToRef = p.entry.Source.Ref, target.ref
	}
	if higher(after.Stated, p.entry.Version) {
		bumped.version = after.Stated
	}
	if bumped.Widens && b.o.FailOnNew {
		p.leave(newCapability, "it may do more than before: "+firstWidening(changes), target.commit)
		p.left.Capabilities = changes
		return nil
	}
	p.bumped = bumped
	return nil
}

func firstWidening(changes []capability.Change) string {
	n := 0
	first := ""
	for _, c := range changes {
		if c.Widens {
			if n++; n == 1 {
				first = c.String()
			}
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s, and %d more", first, n-1)
	}
	return first
}
