package pinion

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pinion/market"
	"pinion/pkgfmt"
	"pinion/scan/sbom"
	"pinion/source"
	"pinion/source/git"
	"pinion/store"
	"pinion/tree"
)

// materials collects what a document lists.
type materials struct {
	c *Client

	mu      sync.Mutex // packages of a repository are read in parallel
	items   []sbom.Item
	skipped []string
}

func (m *materials) add(pkg *pkgfmt.Package, from sbom.Origin) {
	it := sbom.Describe(pkg, from)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items = append(m.items, it)
}

// path adds the package, archive or packages at a path.
func (m *materials) path(ctx context.Context, typed string) error {
	target, err := m.c.target(typed)
	if err != nil {
		return err
	}
	from := func(string) sbom.Origin { return sbom.Origin{} }
	if !tree.IsArchive(target) {
		if from, err = m.committed(ctx, target); err != nil {
			return err
		}
	}
	v := &ValidateReport{}
	err = m.c.validatePath(ctx, typed, v, func(_ context.Context, pkg *pkgfmt.Package, at pkgfmt.Place, _ *PackageReport) error {
		if pkg.Format == "" {
			return nil
		}
		m.add(pkg, from(at.Path))
		return nil
	})
	if err != nil {
		return err
	}
	// What is no package has nothing to be listed; a catalog alone is no material.
	for _, p := range v.Packages {
		if p.Format == "" {
			return p.Problems.Err()
		}
	}
	if len(v.Packages) == 0 {
		return notFound("for a catalog: pinion sbom --catalog MARKET", "there is no package in %s", typed)
	}
	return nil
}

// committed returns how to tell where a package on disk comes from: its
// repository and commit, when the work tree has nothing else there.
func (m *materials) committed(ctx context.Context, target string) (func(shown string) sbom.Origin, error) {
	unknown := func(string) sbom.Origin { return sbom.Origin{} }
	local, err := m.c.localGit(target)
	if err != nil || local == nil {
		return unknown, err
	}
	spec, err := local.Remote(ctx)
	if err != nil {
		return unknown, nil // none, or one that is not to be repeated
	}
	head, err := local.Resolve(ctx, "HEAD")
	if errors.Is(err, source.ErrNotFound) {
		return unknown, nil
	}
	if err != nil {
		return nil, err
	}
	dirty, err := local.Dirty(ctx, target)
	if err != nil {
		return nil, err
	}
	return func(shown string) sbom.Origin {
		return m.at(local, shown, dirty, repositoryURL(spec.String(), m.c.o.Cwd), head)
	}, nil
}

func (m *materials) at(local *git.Local, shown string, dirty []string, repo, head string) sbom.Origin {
	at, err := inRepository(local, m.c.abs(filepath.FromSlash(shown)))
	if err != nil {
		return sbom.Origin{}
	}
	changed := slices.ContainsFunc(dirty, func(file string) bool {
		return at.dir == "." || file == at.dir || strings.HasPrefix(file, at.dir+"/")
	})
	if changed {
		return sbom.Origin{}
	}
	return sbom.Origin{Repository: repo, Commit: head, Path: path.Clean(at.dir)}
}

// repositoryURL is where a source's repository can be fetched, "" for a
// directory.
func repositoryURL(text, cwd string) string {
	if strings.HasPrefix(text, "github.com/") {
		return "https://" + text
	}
	spec, err := source.Parse(text, cwd)
	switch {
	case err != nil || spec.Kind == source.Dir:
		return ""
	case spec.Kind == source.GitHub:
		return "https://github.com/" + spec.Owner + "/" + spec.Repo
	case spec.Kind == source.NPM || spec.Kind == source.Archive:
		return spec.Canonical()
	}
	return spec.URL
}

// ref adds one installed plugin.
func (m *materials) ref(ctx context.Context, ref Ref) error {
	st, ms, ok, err := m.c.state(false)
	if err != nil {
		return err
	}
	if !ok {
		return m.c.notInstalled(ctx, nil, ref, nil)
	}
	r, err := m.c.installedBuild(ctx, st, ms, ref)
	if err != nil {
		return err
	}
	return m.receipt(ctx, st, r)
}

func (m *materials) receipt(ctx context.Context, st *store.Store, r store.Receipt) error {
	pkg, _, err := m.c.installed(ctx, st, r)
	if err != nil {
		return err
	}
	from := sbom.Origin{Commit: r.Origin.Commit, Path: r.Origin.Path}
	if r.Key != localKey {
		from.Repository = repositoryURL(r.Origin.Source, m.c.o.Cwd)
		if r.Origin.Repository != "" {
			from.Repository = repositoryURL(r.Origin.Repository, m.c.o.Cwd)
		}
	}
	m.add(pkg, from)
	return nil
}

// everything adds every installed version. One whose receipt is damaged would be
// missing from the document without a word, so it is an error.
func (m *materials) everything(ctx context.Context) error {
	st, _, ok, err := m.c.state(false)
	if err != nil || !ok {
		return err
	}
	all, damaged, err := st.List(ctx)
	if err != nil {
		return err
	}
	if len(damaged) > 0 {
		return &store.DamageError{Damage: damaged[0]}
	}
	for i, r := range all {
		if err := m.receipt(ctx, st, r); err != nil {
			return err
		}
		m.c.o.Progress("reading installed plugins", i+1, len(all))
	}
	return nil
}

// catalog adds the plugins of a marketplace that were read and verified.
func (m *materials) catalog(ctx context.Context, alias string) error {
	_, ms, ok, err := m.c.state(false)
	if err != nil {
		return err
	}
	if !ok {
		return &market.UnknownError{Name: alias}
	}
	mk, err := ms.Get(ctx, alias)
	if err != nil {
		return err
	}
	for i, p := range mk.State.Plugins {
		if p.Status != market.Ready {
			m.skipped = append(m.skipped, p.ID)
			continue
		}
		where := p.Origin.Spec
		if where == "" {
			where = mk.Source
		}
		err := ms.Fetch(ctx, mk.Spec, p.Origin, func(t *tree.Tree, at pkgfmt.Place) error {
			at.Name = p.ID
			pkg := m.c.loader.Load(t, at)
			if !p.Digest.IsZero() {
				if _, err := pkg.Verify(p.Digest); err != nil {
					return err
				}
			}
			m.add(pkg, sbom.Origin{Repository: repositoryURL(where, m.c.o.Cwd), Commit: p.Origin.Commit, Path: p.Origin.Path})
			return nil
		})
		if err != nil {
			return err
		}
		m.c.o.Progress("reading "+alias, i+1, len(mk.State.Plugins))
	}
	return nil
}
