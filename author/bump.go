package author

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"pinion/manifest"
	"pinion/tree"
)

// BumpOptions say where else versions are stated. The zero value changes the
// package directory only.
type BumpOptions struct {
	// Repo is the repository that the package lies in; catalogs are looked for
	// in every directory from the package up to it. "" looks for none.
	Repo string
	// Catalogs are the paths of catalogs below such a directory.
	Catalogs []string
	// Force allows a version that is not higher than the old one.
	Force bool
	// DryRun writes nothing.
	DryRun bool
}

// Bumped is what [Bump] did.
type Bumped struct {
	From, To string
	// Files are the files that were changed, slash-separated, from Repo, or
	// from the package directory when there is no Repo. Sorted.
	Files []string
	// Rebuild are the catalogs that state the version together with a digest.
	// They are not edited, since the digest of the new version is not known
	// before its files are final; building the catalog writes both.
	Rebuild []string
}

// Bump writes a new version into every file that states the version of the
// package in dir. how is "patch", "minor", "major", or the version itself.
//
// The first of these that states a version says which is the old one: the
// native manifest; .claude-plugin/plugin.json; the manifests of other hosts;
// the frontmatter of SKILL.md; the entry in a catalog. All of the manifests and
// entries get the new version. package.json and SKILL.md, whose version may
// mean something else, get it only when they state the old one. Links are left
// alone. Everything but the version stays as it is, byte for byte.
//
// All files are replaced or none. It errors with an [*Error] for a version that
// cannot be, or is not higher than the old one, and when nothing states a
// version, and with [*problem.ContentError] for a file that is not JSON.
func Bump(ctx context.Context, dir, how string, o BumpOptions) (Bumped, error) {
	b, err := openBump(dir, o)
	if err != nil {
		return Bumped{}, err
	}
	defer b.dir.Close()
	if err := b.collect(ctx, o.Catalogs); err != nil {
		return Bumped{}, err
	}
	from, ok := b.from()
	if !ok {
		return Bumped{}, b.stateless()
	}
	to, err := next(from, how, o.Force)
	if err != nil {
		return Bumped{}, err
	}
	out := Bumped{From: from, To: to, Rebuild: b.rebuild}
	edits, err := b.edits(from, to, o.Force)
	if err != nil {
		return Bumped{}, err
	}
	for _, e := range edits {
		out.Files = append(out.Files, e.path)
	}
	if o.DryRun || len(edits) == 0 {
		return out, nil
	}
	if err := ctx.Err(); err != nil {
		return Bumped{}, err
	}
	root, err := os.OpenRoot(b.dir.Path())
	if err != nil {
		return Bumped{}, err
	}
	defer root.Close()
	if err := (&replacement{root: root}).run(edits); err != nil {
		return Bumped{}, err
	}
	return out, nil
}

// bump is one run.
type bump struct {
	dir        *tree.Dir // of the repository, or of the package
	pkg        string    // the package inside dir, "." for dir itself
	statements []statement
	rebuild    []string
	manifests  []string // that are there, with or without a version
}

// statement is one place that states the version.
type statement struct {
	path    string // from the root
	data    []byte // of the whole file
	version string
	where   place
	// first says that the statement may name the old version.
	first bool
	// equal says that it is changed only when it states the old version.
	equal bool
}

// place writes a version into a file at the one place it stands for.
type place interface {
	set(data []byte, version string) ([]byte, error)
}

func openBump(dir string, o BumpOptions) (*bump, error) {
	root, pkg := dir, "."
	if o.Repo != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		repo, err := filepath.Abs(o.Repo)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(repo, abs)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("%s does not lie in the repository %s", dir, o.Repo)
		}
		root, pkg = o.Repo, filepath.ToSlash(rel)
	}
	d, err := tree.OpenDir(root)
	if err != nil {
		return nil, err
	}
	if _, err := d.Names(pkg); err != nil {
		d.Close()
		return nil, fmt.Errorf("open package %s: %w", dir, err)
	}
	return &bump{dir: d, pkg: pkg}, nil
}

// from returns the old version.
func (b *bump) from() (string, bool) {
	for _, s := range b.statements {
		if s.first {
			return s.version, true
		}
	}
	return "", false
}

// stateless is the error of a package that states no version anywhere.
func (b *bump) stateless() error {
	e := &Error{What: "no file of the package states a version"}
	switch {
	case len(b.manifests) > 0:
		e.Hint = fmt.Sprintf(`add "version": "0.1.0" to %s`, b.manifests[0])
	default:
		e.Hint = `add "version: 0.1.0" under "metadata:" in the frontmatter of SKILL.md, or a manifest`
	}
	return e
}

// edit is one file with its new content.
type edit struct {
	path     string
	old, new []byte

	create, remove bool // instead of replacing
	exec           bool // may be run
}

// edits makes the new content of every file that changes, sorted by path.
func (b *bump) edits(from, to string, force bool) ([]edit, error) {
	var out []edit
	for _, s := range b.statements {
		if s.version == to || s.equal && s.version != from {
			continue
		}
		if !force && manifest.ValidVersion(s.version) && compare(s.version, to) > 0 {
			return nil, &Error{
				What: fmt.Sprintf("%s states version %s, higher than %s", s.path, s.version, to),
				Hint: "choose a higher version, or use --force",
			}
		}
		i := slices.IndexFunc(out, func(e edit) bool { return e.path == s.path })
		if i < 0 {
			i = len(out)
			out = append(out, edit{path: s.path, old: s.data, new: s.data})
		}
		data, err := s.where.set(out[i].new, to)
		if err != nil {
			return nil, fmt.Errorf("write the version into %s: %w", s.path, err)
		}
		out[i].new = data
	}
	out = slices.DeleteFunc(out, func(e edit) bool { return bytes.Equal(e.old, e.new) })
	slices.SortFunc(out, func(x, y edit) int { return bytes.Compare([]byte(x.path), []byte(y.path)) })
	return out, nil
}

// at returns the path from the root of a file of the package.
func (b *bump) at(rel string) string { return path.Join(b.pkg, rel) }

// read returns a file that is there as a regular file. Absent ones, links, and
// what lies behind links are not there.
func (b *bump) read(rel string, limit int64) ([]byte, bool, error) {
	data, err := b.dir.ReadFile(rel, limit)
	switch {
	case err == nil:
		return data, true, nil
	case isAny(err, fs.ErrNotExist, tree.ErrNotRegular, tree.ErrNotDirectory):
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("read %s: %w", rel, err)
}
