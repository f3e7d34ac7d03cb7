package pinion

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"

	"pinion/author"
	"pinion/catalog"
	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/manifest/native"
	"pinion/pkgfmt"
	"pinion/tree"
)

// InitReport is the JSON document pinion.init/v1.
type InitReport struct {
	Schema string   `json:"schema"`
	ID     string   `json:"id"`
	Dir    string   `json:"dir"`
	Files  []string `json:"files"`
	DryRun bool     `json:"dryRun"`
}

// Init starts a package that validates at once. Without a holder of the
// copyright it is git's user.name.
func (c *Client) Init(ctx context.Context, o author.InitOptions) (*InitReport, error) {
	if o.Dir == "" {
		o.Dir = author.DefaultDir(c.o.Cwd, o.ID)
	}
	o.Dir = c.abs(o.Dir)
	if o.Holder == "" {
		if local, err := c.localGit(c.o.Cwd); err == nil && local != nil {
			o.Holder = local.UserName(ctx)
		}
	}
	made, err := author.Init(ctx, o)
	if err != nil {
		return nil, err
	}
	return &InitReport{Schema: "pinion.init/v1", ID: o.ID, Dir: made.Dir, Files: known(made.Files), DryRun: o.DryRun}, nil
}

// BumpReport is the JSON document pinion.bump/v1.
type BumpReport struct {
	Schema  string   `json:"schema"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Files   []string `json:"files"`
	Rebuild []string `json:"rebuild"` // catalogs to be built again
	DryRun  bool     `json:"dryRun"`
}

// Bump writes a new version into every file that states the version of the
// package in dir.
func (c *Client) Bump(ctx context.Context, dir, how string, force, dryRun bool) (*BumpReport, error) {
	target, err := c.target(dir)
	if err != nil {
		return nil, err
	}
	o := author.BumpOptions{Catalogs: catalog.Candidates(), Force: force, DryRun: dryRun}
	if root, inGit := repoRoot(target); inGit {
		o.Repo = root
	}
	b, err := author.Bump(ctx, target, how, o)
	if err != nil {
		return nil, err
	}
	return &BumpReport{Schema: "pinion.bump/v1", From: b.From, To: b.To, Files: known(b.Files), Rebuild: known(b.Rebuild), DryRun: dryRun}, nil
}

// HashReport is the JSON document pinion.hash/v1.
type HashReport struct {
	Schema string        `json:"schema"`
	ID     string        `json:"id"`
	Digest hashes.Digest `json:"digest"`
	Files  []HashLine    `json:"files"`
}

// HashLine is one line of the digest.
type HashLine struct {
	Path string     `json:"path"`
	Sum  hashes.Sum `json:"sha256"`
}

// Hash returns the digest of a package and the lines it is made of. A package
// with errors has one too, as long as it could be read completely.
func (c *Client) Hash(ctx context.Context, path string) (*HashReport, error) {
	var r *HashReport
	err := c.single(ctx, path, func(p *pkgfmt.Package) error {
		if p.Digest.IsZero() {
			return p.Problems.Err()
		}
		r = &HashReport{Schema: "pinion.hash/v1", ID: p.ID(), Digest: p.Digest, Files: []HashLine{}}
		for _, l := range p.Lines() {
			r.Files = append(r.Files, HashLine{Path: l.Path, Sum: l.Sum})
		}
		return nil
	})
	return r, err
}

// single loads the one package that a path means and calls fn while its bytes
// are there.
func (c *Client) single(ctx context.Context, path string, fn func(*pkgfmt.Package) error) error {
	target, err := c.target(path)
	if err != nil {
		return err
	}
	if tree.IsArchive(target) {
		p, err := c.loadArchive(ctx, target, path)
		if err != nil {
			return err
		}
		return fn(p)
	}
	d, err := c.discover(ctx, target)
	if err != nil {
		return err
	}
	defer d.root.Close()
	if len(d.packages) != 1 || d.packages[0] != d.base {
		return c.notOnePackage(path, d)
	}
	var s tree.Scratch
	p, err := c.load(ctx, d, d.base, shown(path, d.base, d.base), nil, &s)
	if err != nil {
		return err
	}
	return fn(p)
}

// PackReport is the JSON document pinion.pack/v1.
type PackReport struct {
	Schema  string        `json:"schema"`
	ID      string        `json:"id"`
	Version string        `json:"version"`
	Digest  hashes.Digest `json:"digest"`
	Path    string        `json:"path"`
	Bytes   int64         `json:"bytes"`
	DryRun  bool          `json:"dryRun"`
}

// Pack writes a package as an archive: the same package gives the same bytes.
// The default name is ID-VERSION.tar.gz in the current directory. A dry run
// writes nothing.
func (c *Client) Pack(ctx context.Context, dir, out string, dryRun bool) (*PackReport, error) {
	var r *PackReport
	err := c.single(ctx, dir, func(p *pkgfmt.Package) error {
		if err := p.Problems.Err(); err != nil {
			return err
		}
		if out == "" {
			out = p.ID() + "-" + p.Version() + ".tar.gz"
		}
		out = c.abs(out)
		var b bytes.Buffer
		if err := pkgfmt.Pack(&b, p); err != nil {
			return err
		}
		r = &PackReport{Schema: "pinion.pack/v1", ID: p.ID(), Version: p.Version(), Digest: p.Digest, Path: out, Bytes: int64(b.Len()), DryRun: dryRun}
		if dryRun {
			return nil
		}
		return writeFile(out, b.Bytes())
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// writeFile puts data at an OS path with one rename.
func writeFile(file string, data []byte) error {
	return writeFrom(file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeFrom is [writeFile] for content that is written piece by piece.
func writeFrom(file string, fill func(io.Writer) error) error {
	d, err := fsx.OpenDir(filepath.Dir(file), fsx.Options{})
	if err != nil {
		return err
	}
	// A killed process may have left an unfinished file here. The directory is
	// the author's: where it cannot be listed, it is not our business.
	_ = d.CleanTemp(".")
	return errors.Join(d.WriteFrom(filepath.Base(file), 0o644, fill), d.Close())
}

// FixReport is the JSON document pinion.fix/v1: what validate --fix changed.
type FixReport struct {
	Schema string    `json:"schema"`
	Fixed  []FixFile `json:"fixed"`
}

// FixFile is one manifest that was corrected.
type FixFile struct {
	Path    string   `json:"path"`
	Added   []string `json:"added"`   // names now in the files list
	Removed []string `json:"removed"` // names that were there twice
	BOM     bool     `json:"bom"`     // a byte order mark was removed
}

// known turns nil into an empty list, which JSON documents promise.
func known(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Fix corrects in the packages under the paths what cannot change what they
// mean: the list of files of a native manifest, and a byte order mark. Hidden
// files and files that usually hold credentials are never added.
func (c *Client) Fix(ctx context.Context, paths []string, dryRun bool) (*FixReport, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	r := &FixReport{Schema: "pinion.fix/v1", Fixed: []FixFile{}}
	for _, path := range paths {
		target, err := c.target(path)
		if err != nil {
			return nil, err
		}
		if tree.IsArchive(target) {
			return nil, usage("unpack it, correct the directory, and pack it again", "%s is an archive and is not changed", path)
		}
		if err := c.fixUnder(ctx, target, path, dryRun, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (c *Client) fixUnder(ctx context.Context, target, typed string, dryRun bool, r *FixReport) error {
	d, err := c.discover(ctx, target)
	if err != nil {
		return err
	}
	defer d.root.Close()
	for _, dir := range d.packages {
		var s tree.Scratch
		p, err := c.load(ctx, d, dir, "", nil, &s)
		if err != nil {
			return err
		}
		if p.Format != "native" || p.Manifest.Path == "" {
			continue
		}
		fixed, err := native.Fix(p.Tree)
		if err != nil {
			return err
		}
		if fixed == nil {
			continue
		}
		r.Fixed = append(r.Fixed, FixFile{
			Path: shown(typed, d.base, joinRel(dir, fixed.Path)), Added: known(fixed.Added), Removed: known(fixed.Removed), BOM: fixed.BOM,
		})
		if dryRun {
			continue
		}
		if err := writeFile(filepath.Join(d.root.Path(), filepath.FromSlash(dir), fixed.Path), fixed.Data); err != nil {
			return err
		}
	}
	return nil
}
