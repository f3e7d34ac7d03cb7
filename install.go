package pinion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/source"
	"pinion/store"
	"pinion/tree"
)

// localKey is the key of everything installed from a path: such packages are
// told apart by their content alone (SB-050).
const localKey = "local"

// InstallOptions are the choices of [Client.Install].
type InstallOptions struct {
	From     string // a source to be added as a marketplace first
	Activate bool   // activate what was installed
	Project  bool   // in the project's scope
	Allow    []Grant
	DryRun   bool
	skip     bool // the user may skip a version that was rewritten
}

// InstallReport says what was installed. It is the JSON document
// pinion.install/v1.
type InstallReport struct {
	Schema    string            `json:"schema"`
	Added     *market.Report    `json:"marketplace,omitempty"` // with From
	Installed []Installed       `json:"installed"`
	Activated []*ActivateReport `json:"activated"`
	DryRun    bool              `json:"dryRun"`
	// Hosts are the linked hosts, with what the activation did in each.
	Hosts []HostChange `json:"hosts,omitempty"`
}

// Installed is one plugin of an [InstallReport].
type Installed struct {
	ID          string        `json:"id"`
	Version     string        `json:"version"`
	Marketplace string        `json:"marketplace"`
	Kind        manifest.Kind `json:"kind"`
	Digest      hashes.Digest `json:"digest"`
	Files       int           `json:"files"`
	Bytes       int64         `json:"bytes"`
	Already     bool          `json:"already"` // exactly this was there before
	Pinned      bool          `json:"pinned"`  // the digest was known before the bytes
	Path        string        `json:"path"`

	build store.Build
}

// Install fetches plugins, compares them with what is known of them, and places
// them in the store. Nothing becomes active unless asked. With several refs all
// are placed or none is.
func (c *Client) Install(ctx context.Context, refs []Ref, o InstallOptions) (*InstallReport, error) {
	r := &InstallReport{Schema: "pinion.install/v1", Installed: []Installed{}, Activated: []*ActivateReport{}, DryRun: o.DryRun}
	if o.DryRun {
		return c.planInstall(ctx, refs, o, r)
	}
	st, ms, _, err := c.state(true)
	if err != nil {
		return nil, err
	}
	if err := st.Prepare(ctx); err != nil {
		return nil, err
	}
	if o.From != "" {
		if refs, err = c.installFrom(ctx, ms, refs, o, r); err != nil {
			return nil, err
		}
	}
	var batch []store.Placement
	defer func() {
		for _, p := range batch {
			p.Stage.Discard()
		}
	}()
	for _, ref := range refs {
		p, err := c.stage(ctx, st, ms, ref, o)
		if err != nil {
			return nil, err
		}
		batch = append(batch, p)
	}
	placed, err := st.Commit(ctx, batch)
	for i, p := range placed {
		in := installed(p.Receipt)
		in.Already, in.Pinned, in.Path = p.Already, batch[i].Verified.Pinned, p.Path
		r.Installed = append(r.Installed, in)
	}
	if err != nil {
		return nil, err
	}
	if !o.Activate {
		return r, c.relock(ctx, o.Project, r.Installed...)
	}
	for _, in := range r.Installed {
		a, err := c.activate(ctx, st, in.build, ActivateOptions{Project: o.Project, Allow: o.Allow})
		if err != nil {
			if len(r.Activated) > 0 {
				r.Hosts = c.updateHosts(ctx, false, false)
			}
			return r, err
		}
		r.Activated = append(r.Activated, a)
	}
	r.Hosts = c.updateHosts(ctx, false, false)
	return r, c.relock(ctx, o.Project)
}

// installFrom adds the source when it is new and binds the refs to it.
func (c *Client) installFrom(ctx context.Context, ms *market.Markets, refs []Ref, o InstallOptions, r *InstallReport) ([]Ref, error) {
	spec, err := source.Parse(o.From, c.o.Cwd)
	if err != nil {
		return nil, err
	}
	m, err := headOf(ctx, ms, spec)
	if err != nil || m.Spec != spec.String() {
		added, err := ms.Add(ctx, o.From, market.AddOptions{RefreshOptions: market.RefreshOptions{Only: idsOf(refs)}})
		if err != nil {
			return nil, err
		}
		r.Added = added
		if m, err = headOf(ctx, ms, spec); err != nil {
			return nil, err
		}
	}
	out := make([]Ref, len(refs))
	for i, ref := range refs {
		if ref.Market != "" && ref.Market != m.Name || ref.Path != "" {
			return nil, usage("leave one of the two out", "%s is not from %s", ref, o.From)
		}
		out[i] = ref
		out[i].Market = m.Name
	}
	return out, nil
}

// headOf returns the marketplace of a source without its plugins, or
// fs.ErrNotExist.
func headOf(ctx context.Context, ms *market.Markets, spec source.Spec) (*market.Market, error) {
	list, _, err := ms.Heads(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.Key == spec.Key() {
			return m, nil
		}
	}
	return nil, fmt.Errorf("marketplace %s: %w", spec, fs.ErrNotExist)
}

// idsOf are the ids that refs name. Only these are read of a marketplace that is
// added to install from it; the others are read by the next refresh.
func idsOf(refs []Ref) []string {
	var out []string
	for _, r := range refs {
		out = append(out, r.ID)
	}
	return out
}

// stage brings one plugin into a staging directory and verifies it there.
func (c *Client) stage(ctx context.Context, st *store.Store, ms *market.Markets, ref Ref, o InstallOptions) (store.Placement, error) {
	if ref.Path != "" {
		return c.stagePath(ctx, st, ref.Path)
	}
	ch, err := c.choose(ctx, ms, ref)
	if err != nil {
		return store.Placement{}, err
	}
	if err := ch.usable(); err != nil {
		return store.Placement{}, err
	}
	if err := c.allowRewritten(ch, ref, o); err != nil {
		return store.Placement{}, err
	}
	unread := ch.plugin.Status != market.Ready
	if ch.plugin, err = ms.Settle(ctx, ch.market, ch.plugin); err != nil {
		return store.Placement{}, err
	}
	if err := ch.usable(); err != nil {
		return store.Placement{}, err
	}
	if unread {
		// Only now it shows whether the bytes are those first seen.
		if err := ch.recall(ms); err != nil {
			return store.Placement{}, err
		}
		if err := c.allowRewritten(ch, ref, o); err != nil {
			return store.Placement{}, err
		}
	}
	return c.stageChoice(ctx, st, ms, ch)
}

// stageChoice fetches what was chosen at its recorded commit.
func (c *Client) stageChoice(ctx context.Context, st *store.Store, ms *market.Markets, ch choice) (store.Placement, error) {
	var p store.Placement
	entry, err := rawEntry(ch.plugin.Origin.Entry)
	if err != nil {
		return p, err
	}
	err = ms.Fetch(ctx, ch.market.Spec, ch.plugin.Origin, func(t *tree.Tree, at pkgfmt.Place) error {
		at.Name = ch.plugin.ID
		var err error
		p, err = c.stageTree(ctx, st, t, at, ch.plugin.Digest)
		return err
	})
	if err != nil {
		what := "install " + ch.plugin.ID + "@" + ch.market.Name
		if errors.Is(err, errOffline) {
			return store.Placement{}, forbidden(what, err)
		}
		return store.Placement{}, fmt.Errorf("%s: %w", what, err)
	}
	p.Key = ch.market.Key
	p.Origin = store.Origin{
		Source: ch.market.Source, Marketplace: ch.market.Name, Commit: ch.plugin.Origin.Commit,
		Repository: ch.plugin.Origin.Spec, Path: ch.plugin.Origin.Path, Catalog: ch.market.State.CatalogPath,
		Select: ch.plugin.Origin.Select, Entry: entry, Draft: ch.plugin.Origin.Commit == "", Pinned: p.Verified.Pinned,
	}
	return p, nil
}

func rawEntry(e *manifest.Entry) (syntax.Raw, error) {
	if e == nil {
		return nil, nil
	}
	return syntax.Compact(e)
}

// stagePath stages a package directory or an archive. Such packages are drafts:
// each content is a build of its own and nothing is remembered of it.
func (c *Client) stagePath(ctx context.Context, st *store.Store, path string) (store.Placement, error) {
	target, err := c.target(path)
	if err != nil {
		return store.Placement{}, err
	}
	var pkg *pkgfmt.Package
	at := pkgfmt.Place{Name: filepath.Base(target)}
	if tree.IsArchive(target) {
		if pkg, err = c.loadArchive(ctx, target, target); err != nil {
			return store.Placement{}, err
		}
	} else {
		d, err := c.discover(ctx, target)
		if err != nil {
			return store.Placement{}, err
		}
		defer d.root.Close()
		if len(d.packages) != 1 || d.packages[0] != d.base {
			return store.Placement{}, c.notOnePackage(path, d)
		}
		var s tree.Scratch
		if pkg, err = c.load(ctx, d, d.base, target, nil, &s); err != nil {
			return store.Placement{}, err
		}
		if at.Exec, err = c.indexed(ctx, d, d.base, pkg.Format); err != nil {
			return store.Placement{}, err
		}
	}
	if err := pkg.Problems.ForUse().Err(); err != nil {
		return store.Placement{}, err
	}
	p, err := c.stageTree(ctx, st, pkg.Tree, at, hashes.Digest{})
	if err != nil {
		return store.Placement{}, err
	}
	p.Key = localKey
	p.Origin = store.Origin{Source: target, Marketplace: "local", Draft: true}
	return p, nil
}

func (c *Client) notOnePackage(path string, d *discovery) error {
	if len(d.packages) == 0 && len(d.catalogs) == 0 {
		return notFound("pinion validate "+path+" says what is missing", "%s is no package", path)
	}
	var hint strings.Builder
	hint.WriteString("it is a repository: pinion marketplace add " + path)
	for i, p := range d.packages {
		if i == 3 {
			break
		}
		hint.WriteString(", or pinion install " + shown(path, d.base, p))
	}
	return usage(hint.String(), "%s is not a single package", path)
}

// stageTree writes a tree into a new stage, reads it back from there, and
// verifies what is now on disk, so that what was checked is what gets placed.
func (c *Client) stageTree(ctx context.Context, st *store.Store, t *tree.Tree, at pkgfmt.Place, want hashes.Digest) (store.Placement, error) {
	stage, err := st.Stage(ctx)
	if err != nil {
		return store.Placement{}, err
	}
	v, err := c.verifyStage(ctx, stage, t, at, want)
	if err != nil {
		stage.Discard()
		return store.Placement{}, err
	}
	return store.Placement{Stage: stage, Verified: v}, nil
}

func (c *Client) verifyStage(ctx context.Context, stage *store.Stage, t *tree.Tree, at pkgfmt.Place, want hashes.Digest) (pkgfmt.Verified, error) {
	if err := stage.Write(ctx, t, at.Exec); err != nil {
		return pkgfmt.Verified{}, err
	}
	d, err := tree.OpenDir(stage.Root())
	if err != nil {
		return pkgfmt.Verified{}, err
	}
	defer d.Close()
	at.Root, at.Path, at.Select = stage.Root(), "", pkgfmt.Selection{}
	if runtime.GOOS == "windows" && at.Exec == nil {
		at.Exec = execBits(t) // the file system has no execute bit to read back
	}
	var s tree.Scratch
	back, err := d.Read(ctx, ".", c.loader.Options(at), &s)
	if err != nil {
		return pkgfmt.Verified{}, err
	}
	return c.loader.Load(back, at).Verify(want)
}

func execBits(t *tree.Tree) map[string]bool {
	out := make(map[string]bool, len(t.Files))
	for _, f := range t.Files {
		out[f.Path] = f.Exec
	}
	return out
}

func installed(r store.Receipt) Installed {
	return Installed{
		ID: r.ID, Version: r.Version, Marketplace: r.Origin.Marketplace, Kind: r.Kind, Digest: r.Digest,
		Files: len(r.Files), Bytes: r.Bytes(), build: r.Build(),
	}
}

// allowRewritten stops at bytes that differ from the first ones seen under the
// version, unless the user said so.
func (c *Client) allowRewritten(ch choice, ref Ref, o InstallOptions) error {
	if !ch.plugin.Rewritten || granted(o.Allow, GrantRewritten) {
		return nil
	}
	st, _, ok, err := c.state(false)
	if err != nil {
		return err
	}
	if ok && accepted(st, store.Build{Key: ch.market.Key, ID: ch.plugin.ID, Version: ch.plugin.Version, Digest: ch.plugin.Digest}) {
		return nil
	}
	if _, build, exact := cutBuild(ref.Version); exact && ref.Version != ch.plugin.Version && ch.plugin.Digest.Hex(8) == build {
		return nil // the user named these bytes
	}
	what := fmt.Sprintf("%s %s", ch.plugin.ID, ch.plugin.Version)
	tip := ""
	if ch.first != nil {
		tip = fmt.Sprintf("the first bytes are %s@%s@%s+%s", ch.plugin.ID, ch.market.Name, ch.first.Version, ch.first.Digest.Hex(8))
	}
	q := Question{
		Title: what + " was rewritten: its bytes are not those first seen under this version", Needs: []Grant{GrantRewritten},
		ID: ch.plugin.ID, Version: ch.plugin.Version, Digest: ch.plugin.Digest, Lines: []Line{{Text: tip}}, Skippable: o.skip,
	}
	err = c.ask(q)
	var consent *ConsentError
	if errors.As(err, &consent) {
		consent.What, consent.Tip = what+" has other bytes than when it was first seen; installing it", tip
	}
	return err
}
