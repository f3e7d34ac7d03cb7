package pinion

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pinion/catalog"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

var (
	ruleScope = problem.Rule{
		ID: "change/scope", Severity: problem.Error, Since: "0.2.0",
		Title: "The change touches what is not its author's",
		Help: "check-pr --only-own PREFIX allows changes of packages whose id begins with PREFIX, and of what catalogs say of them. " +
			"Everything else in the repository belongs to somebody else.",
		Fix: "take the file out of the change, or ask the owner of the repository",
	}
	ruleNewCapability = problem.Rule{
		ID: "change/new-capability", Severity: problem.Error, Since: "0.2.0",
		Title: "The change lets a plugin do more than before",
		Help: "A hook, server, command, host, setting or tool that was not there before, or one that does something else now. " +
			"It is only an error with --fail-on new-capability: a human should look before it is merged.",
		Fix: "have it reviewed; merge it by hand",
	}
	ruleSameVersion = problem.Rule{
		ID: "change/same-version", Severity: problem.Warning, Since: "0.2.0",
		Title: "The content changed under a version that was there before",
		Help: "Hosts that go by the version do not update a plugin whose version stays, and two users of one version have other bytes. " +
			"In a native catalog, which publishes digests, it is the error catalog/version-changed.",
		Fix: "raise the version: pinion bump DIR patch",
	}
)

func changeRules() []problem.Rule {
	return []problem.Rule{ruleScope, ruleNewCapability, ruleSameVersion}
}

// judge adds what the comparison of before and after means.
func (p *pullRequest) judge(o CheckOptions) {
	for i := range p.report.Packages {
		k := &p.report.Packages[i]
		p.sameVersion(k)
		if !o.FailOnNew {
			continue
		}
		for _, c := range k.Capabilities {
			if c.Widens {
				k.Problems.Add(p.atVersion(k, ruleNewCapability.Report("%s", c)))
			}
		}
	}
	p.scope(o.OnlyOwn)
}

// sameVersion reports other content under a version that was there before. For a
// native catalog, which publishes digests, building it has said so.
func (p *pullRequest) sameVersion(k *CheckedPackage) {
	if k.Status != PackageChanged && k.Status != PackageMoved || k.Version != k.Previous || k.PreviousID != "" || isContent(k.Version) ||
		k.Before == k.Digest || k.Before.IsZero() || k.Digest.IsZero() || len(k.Files) == 0 && !p.entryOf(k) {
		return
	}
	if len(k.Problems.Only(ruleVersionChangedID)) > 0 {
		return
	}
	k.Problems.Add(p.atVersion(k, ruleSameVersion.Report("%s %s has other files than before", k.ID, k.Version)).
		WithFix("raise the version: pinion bump %s patch", k.Path))
}

// entryOf reports whether the catalog entry of a package changed.
func (p *pullRequest) entryOf(k *CheckedPackage) bool {
	if k.job.entry == nil || k.job.cat.Native {
		return false
	}
	i := slices.IndexFunc(p.after, func(l listing) bool { return l.cat.Path == k.job.cat.Path })
	return i >= 0 && p.entryChanged(p.after[i], *k.job.entry)
}

// atVersion puts a problem of a package as a whole on the line where its version
// stands, since a change that is in order touches that line: in the manifest,
// else in the catalog entry, else at the beginning of the manifest.
func (p *pullRequest) atVersion(k *CheckedPackage, q problem.Problem) problem.Problem {
	var data []byte
	if i := slices.IndexFunc(k.held, func(f heldFile) bool { return f.Path == k.manifest }); i >= 0 {
		data = k.held[i].Data
	}
	file := k.Path + "/" + k.manifest
	if k.Path == "." {
		file = k.manifest
	}
	if line, col := versionKey(k.manifest, data); line > 0 {
		return q.At(file, line, col)
	}
	if e := k.job.entry; e != nil && !k.job.cat.Native {
		for _, l := range p.after {
			if l.cat.Path == k.job.cat.Path {
				line, col := jsonKey(l.data, syntax.Pointer("plugins", e.Index, "version"))
				return q.At(k.job.file, cmp.Or(line, e.Line), cmp.Or(col, e.Column))
			}
		}
	}
	if k.manifest == "" {
		return q.At(k.Path, 0, 0)
	}
	return q.At(file, 1, 1)
}

// versionKey returns where a manifest states a version, zeros when it does not.
func versionKey(name string, data []byte) (line, col int) {
	if path.Ext(name) != ".md" {
		return jsonKey(data, "/version")
	}
	front, _ := syntax.Frontmatter(data)
	fields := front.Fields
	if m, ok := front.Get("metadata"); ok {
		fields = slices.Concat(fields, m.Items)
	}
	for _, f := range fields {
		if f.Key == "version" {
			return f.Line, f.Column
		}
	}
	return 0, 0
}

// jsonKey is syntax.LocateKey for a key that may not be there: zeros.
func jsonKey(data []byte, pointer string) (line, col int) {
	i := strings.LastIndexByte(pointer, '/')
	line, col = syntax.LocateKey(data, pointer)
	if upLine, upCol := syntax.Locate(data, pointer[:i]); line == upLine && col == upCol {
		return 0, 0
	}
	return line, col
}

// inStep checks that a native catalog is the one that would be built now, and
// that no released version has other bytes.
func (p *pullRequest) inStep(ctx context.Context) error {
	base, native := "none", false
	for _, l := range slices.Concat(p.before, p.after) {
		native = native || l.cat.Native
	}
	if !native {
		return nil
	}
	for _, l := range p.before {
		if l.cat.Native && !l.problems.HasErrors() { // a broken one released nothing that can be read
			base = p.report.Base
		}
	}
	r, err := p.build(ctx, base)
	var none *NotFoundError
	if errors.As(err, &none) {
		return nil // no packages: what the catalog lists is missing, which was said
	}
	if err != nil {
		return err
	}
	unbuilt := r.Catalog == nil
	for _, q := range r.Problems {
		if strings.HasPrefix(q.Rule, "catalog/") {
			p.place(q)
			unbuilt = false
		}
	}
	if unbuilt {
		p.report.Notes = append(p.report.Notes, "a package that this change does not touch has errors, so the catalog was only compared with the packages that the change touches")
		p.compareListed()
	}
	return nil
}

// build builds the catalog to compare it with the one there is. Where everything
// is committed both are as git stores them, whatever the work tree makes of the
// ends of lines.
func (p *pullRequest) build(ctx context.Context, base string) (*BuildReport, error) {
	dir := filepath.Join(p.d.root.Path(), filepath.FromSlash(p.d.base))
	dirty, err := p.local.Dirty(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(dirty) > 0 {
		return p.c.build(ctx, dir, BuildOptions{Check: true, Base: base})
	}
	r, err := p.c.build(ctx, dir, BuildOptions{From: "HEAD", Base: base, DryRun: true})
	if err != nil || r.Catalog == nil {
		return r, err
	}
	head, err := p.local.Snapshot(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	defer head.Close()
	have, err := head.ReadFile(ctx, joinRel(p.d.base, r.Path), catalog.MaxBytes)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	var want bytes.Buffer
	if _, err := r.Catalog.WriteTo(&want); err != nil {
		return nil, err
	}
	r.Problems = append(r.Problems, catalog.Stale(r.Path, have, want.Bytes())...)
	return r, nil
}

// place adds a problem of a build to the package that it is about.
func (p *pullRequest) place(q problem.Problem) {
	if q.Rule == ruleVersionChangedID {
		for i := range p.report.Packages {
			if k := &p.report.Packages[i]; k.Status != PackageRemoved && strings.HasPrefix(joinRel(p.d.base, q.File), k.job.dir+"/") {
				k.Problems.Add(p.atVersion(k, q))
				return
			}
		}
	}
	q.File = p.shown(joinRel(p.d.base, q.File))
	p.report.Problems.Add(q)
}

const ruleVersionChangedID = "catalog/version-changed"

// compareListed holds the packages that the change touches against native
// catalogs: the one there is, and what was released.
func (p *pullRequest) compareListed() {
	for i := range p.report.Packages {
		k := &p.report.Packages[i]
		if k.Status == PackageRemoved || k.Digest.IsZero() || !strings.HasPrefix(within(p.d.base, k.job.dir), pluginsDir+"/") {
			continue
		}
		for _, l := range p.before {
			for _, e := range l.cat.Named(k.ID) {
				if l.cat.Native && manifest.Release(e.Version) == manifest.Release(k.Version) && e.Digest != k.Digest {
					k.Problems.Add(p.atVersion(k, catalog.VersionChanged(k.ID, k.Version, e.Digest, k.Digest)))
				}
			}
		}
		for _, l := range p.after {
			in := func(e catalog.Entry) bool { return e.Version == k.Version && e.Digest == k.Digest }
			if l.cat.Native && !slices.ContainsFunc(l.cat.Named(k.ID), in) {
				p.report.Problems.Add(catalog.NotListed(k.ID, k.Version).At(p.shown(l.file), 0, 0))
			}
		}
	}
}

// scope reports every changed file that is not part of an own package.
func (p *pullRequest) scope(prefixes []string) {
	if len(prefixes) == 0 {
		return
	}
	own := func(id string) bool {
		return slices.ContainsFunc(prefixes, func(pre string) bool { return strings.HasPrefix(id, pre) })
	}
	for _, file := range p.files {
		if i := slices.IndexFunc(p.after, func(l listing) bool { return l.file == file }); i >= 0 {
			p.catalogScope(p.after[i], own)
			continue
		}
		if !p.isOwn(file, own) {
			p.report.Problems.Add(ruleScope.Report("%s is in no package whose id begins with %s", path.Base(file), strings.Join(prefixes, " or ")).
				At(p.shown(file), 0, 0))
		}
	}
}

// isOwn reports whether a file belongs to own packages and to no other. A new
// package in a directory that had something in it is not own: a catalog entry
// could claim any directory.
func (p *pullRequest) isOwn(file string, own func(id string) bool) bool {
	mine := false
	for i := range p.report.Packages {
		k := &p.report.Packages[i]
		if !k.has(file) && (k.Status != PackageMoved || !strings.HasPrefix(p.shown(file), k.PreviousPath+"/")) {
			continue
		}
		mine = own(k.ID) && (k.PreviousID == "" || own(k.PreviousID)) && (k.fresh || k.Status == PackageChanged || k.Status == PackageRemoved)
		if !mine {
			return false
		}
	}
	return mine
}

// has reports whether a file, from the root of the repository, is the package's.
func (k *CheckedPackage) has(file string) bool {
	rel, ok := file, k.job.dir == "."
	if !ok {
		rel, ok = strings.CutPrefix(file, k.job.dir+"/")
	}
	return ok && k.job.selection().Want(rel)
}

// catalogScope reports the entries of a catalog that changed and are not own.
func (p *pullRequest) catalogScope(l listing, own func(string) bool) {
	var was []byte
	for _, b := range p.before {
		if b.file == l.file {
			was = b.data
		}
	}
	at := p.shown(l.file)
	for _, name := range catalog.Touched(was, l.data) {
		switch named := l.cat.Named(name); {
		case name == "":
			p.report.Problems.Add(ruleScope.Report("what the catalog says of itself is not the change's to touch").At(at, 1, 1))
		case own(name):
		case len(named) > 0:
			p.report.Problems.Add(ruleScope.Report("the entry %q is not the change's to touch", name).At(at, named[0].Line, named[0].Column))
		default:
			p.report.Problems.Add(ruleScope.Report("the entry %q is not the change's to remove", name).At(at, 0, 0))
		}
	}
}
