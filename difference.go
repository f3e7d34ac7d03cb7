package pinion

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"pinion/capability"
	"pinion/hashes"
	"pinion/pkgfmt"
	"pinion/source"
	"pinion/store"
	"pinion/tree"
)

// DiffReport is the JSON document pinion.diff/v1: what is different between two
// contents of a plugin.
type DiffReport struct {
	Schema       string              `json:"schema"`
	Old          DiffSide            `json:"old"`
	New          DiffSide            `json:"new"`
	Same         bool                `json:"same"` // the same bytes
	Files        []FileChange        `json:"files"`
	Capabilities []capability.Change `json:"capabilities"`
	// Widens is true when the new one may do more.
	Widens bool `json:"widens"`
}

// DiffSide is one of the two contents.
type DiffSide struct {
	Name    string        `json:"name"` // as it was asked for
	ID      string        `json:"id"`
	Version string        `json:"version"`
	Digest  hashes.Digest `json:"digest"`

	held []heldFile
	caps capability.Summary
}

func sideOf(name string, p *pkgfmt.Package) (DiffSide, error) {
	if p.Format == "" {
		return DiffSide{}, p.Problems.Err()
	}
	return DiffSide{Name: name, ID: p.ID(), Version: p.Version(), Digest: p.Digest, held: hold(p.Tree), caps: capability.Of(p)}, nil
}

// Diff compares two contents: directories, archives, REV:DIR of the git
// repository one is in, installed versions, versions in a catalog. With one name
// it compares what is active of a plugin with the newest version in its catalog.
func (c *Client) Diff(ctx context.Context, names ...string) (*DiffReport, error) {
	var before, after DiffSide
	var err error
	switch len(names) {
	case 1:
		before, after, err = c.activeAndNewest(ctx, names[0])
	case 2:
		if before, err = c.side(ctx, names[0]); err == nil {
			after, err = c.side(ctx, names[1])
		}
	default:
		return nil, usage("pinion diff REF, or pinion diff OLD NEW", "diff takes one or two names")
	}
	if err != nil {
		return nil, err
	}
	r := &DiffReport{
		Schema: "pinion.diff/v1", Old: before, New: after, Same: before.Digest == after.Digest && !before.Digest.IsZero(),
		Files: fileChanges(before.held, after.held), Capabilities: capability.Diff(before.caps, after.caps),
	}
	for _, ch := range r.Capabilities {
		r.Widens = r.Widens || ch.Widens
	}
	return r, nil
}

// side reads one content by what it is called.
func (c *Client) side(ctx context.Context, name string) (DiffSide, error) {
	var absent *NotFoundError
	if _, err := c.target(name); err == nil {
		var out DiffSide
		err := c.single(ctx, name, func(p *pkgfmt.Package) (err error) {
			out, err = sideOf(name, p)
			return err
		})
		return out, err
	} else if !errors.As(err, &absent) {
		return DiffSide{}, err // a file that is no package
	}
	if rev, dir, ok := strings.Cut(name, ":"); ok && len(rev) > 1 && !strings.Contains(dir, ":") {
		return c.sideAt(ctx, name, rev, dir)
	}
	ref, err := ParseRef(name, c.o.Cwd)
	if err != nil {
		return DiffSide{}, err
	}
	if ref.Path != "" {
		_, err := c.target(name)
		return DiffSide{}, err
	}
	st, ms, ok, err := c.state(false)
	if err != nil {
		return DiffSide{}, err
	}
	if !ok {
		return DiffSide{}, c.notInstalled(ctx, nil, ref, nil)
	}
	r, err := c.installedBuild(ctx, st, ms, ref)
	var missing *NotFoundError
	if errors.As(err, &missing) {
		return c.offeredSide(ctx, ref)
	}
	if err != nil {
		return DiffSide{}, err
	}
	return c.installedSide(ctx, st, r, name)
}

func (c *Client) installedSide(ctx context.Context, st *store.Store, r store.Receipt, name string) (DiffSide, error) {
	p, _, err := c.installed(ctx, st, r)
	if err != nil {
		return DiffSide{}, err
	}
	return sideOf(name, p)
}

// offeredSide reads a version that a catalog has, without installing it.
func (c *Client) offeredSide(ctx context.Context, ref Ref) (DiffSide, error) {
	_, ms, _, err := c.state(false)
	if err != nil {
		return DiffSide{}, err
	}
	ch, err := c.choose(ctx, ms, ref)
	if err != nil {
		return DiffSide{}, err
	}
	var out DiffSide
	err = ms.Fetch(ctx, ch.market.Spec, ch.plugin.Origin, func(t *tree.Tree, at pkgfmt.Place) error {
		at.Name = ch.plugin.ID
		p := c.loader.Load(t, at)
		if _, err := p.Verify(ch.plugin.Digest); err != nil {
			return err
		}
		out, err = sideOf(ref.String(), p)
		return err
	})
	return out, err
}

// sideAt reads a directory of a commit.
func (c *Client) sideAt(ctx context.Context, name, rev, dir string) (DiffSide, error) {
	local, err := c.localGit(c.o.Cwd)
	if err != nil {
		return DiffSide{}, err
	}
	if local == nil {
		return DiffSide{}, usage("", "%s names a commit, and there is no git repository here, or no git", name)
	}
	here, err := inRepository(local, c.o.Cwd)
	if err != nil {
		return DiffSide{}, err
	}
	snap, err := local.Snapshot(ctx, rev)
	if err != nil {
		return DiffSide{}, err
	}
	defer snap.Close()
	dir = path.Clean(joinRel(here.dir, dir))
	at := pkgfmt.Place{Path: name, Name: path.Base(dir)}
	var out DiffSide
	err = snap.Trees(ctx, []source.Request{{Dir: dir, Options: c.loader.Options(at)}}, func(_ int, t *tree.Tree, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return notFound("", "%s has no directory %s", rev, dir)
		}
		if err != nil {
			return err
		}
		out, err = sideOf(name, c.loader.Load(t, at))
		return err
	})
	return out, err
}

// activeAndNewest are the two sides that an upgrade is between.
func (c *Client) activeAndNewest(ctx context.Context, name string) (before, after DiffSide, err error) {
	ref, err := ParseRef(name, c.o.Cwd)
	if err != nil {
		return before, after, err
	}
	if ref.Path != "" {
		return before, after, usage("pinion diff OLD NEW compares two directories", "%s is a path; with one name diff compares an installed plugin with its newest version", name)
	}
	st, ms, ok, err := c.state(false)
	if err != nil {
		return before, after, err
	}
	if !ok {
		return before, after, c.notInstalled(ctx, nil, ref, nil)
	}
	effective, _, err := st.Effective(ctx, c.projectOrNone())
	if err != nil {
		return before, after, err
	}
	for _, p := range effective {
		if p.ID != ref.ID || p.Current == nil {
			continue
		}
		r, err := st.Receipt(*p.Current)
		if err != nil {
			return before, after, err
		}
		if before, err = c.installedSide(ctx, st, r, r.ID+"@"+r.Version); err != nil {
			return before, after, err
		}
		if ref.Market == "" {
			names, err := c.sourceNames(ctx, ms)
			if err != nil {
				return before, after, err
			}
			ref.Market = names.ofReceipt(r)
		}
		after, err = c.offeredSide(ctx, ref)
		return before, after, err
	}
	return before, after, notFound("pinion diff OLD NEW compares any two versions", "%s has no active version to compare with", ref.ID)
}
