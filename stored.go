package pinion

import (
	"bytes"
	"context"
	"path/filepath"
	"sync"

	"pinion/pkgfmt"
	"pinion/source/git"
	"pinion/tree"
)

// converting tells, once for each repository, whether its .gitattributes ask
// for conversions that content alone does not show.
type converting struct {
	once sync.Once
	yes  bool
}

// attributesLimit is how much of a .gitattributes file is looked at, in bytes.
const attributesLimit = 1 << 20

func (cv *converting) ask(root *tree.Dir, base string) bool {
	cv.once.Do(func() {
		for dir := base; ; dir = filepath.ToSlash(filepath.Dir(dir)) {
			data, err := root.ReadFile(joinRel(dir, ".gitattributes"), attributesLimit)
			if err == nil && mentionsConversion(data) {
				cv.yes = true
			}
			if dir == "." {
				return
			}
		}
	})
	return cv.yes
}

func mentionsConversion(attributes []byte) bool {
	for _, word := range []string{"filter=", "ident", "working-tree-encoding"} {
		if bytes.Contains(attributes, []byte(word)) {
			return true
		}
	}
	return false
}

// compareStored warns where the working tree's bytes are not what git would
// store. Git is asked only when a file could be converted at all: it has CRLF,
// or the attributes name a filter.
func (c *Client) compareStored(ctx context.Context, d *discovery, dir string, pkg *pkgfmt.Package) error {
	local, err := d.git(c)
	if err != nil || local == nil {
		return err
	}
	var paths []string
	all := d.converts.ask(d.root, d.base) || mentionedInside(pkg.Tree)
	for _, f := range pkg.Tree.Files {
		if all || bytes.Contains(f.Data, []byte("\r\n")) {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	attrs, err := local.Attributes(ctx, filepath.Join(d.root.Path(), filepath.FromSlash(dir)), paths)
	if err != nil {
		return err
	}
	out := make(map[string]pkgfmt.Attributes, len(attrs))
	for path, a := range attrs {
		out[path] = pkgfmt.Attributes(a)
	}
	pkg.CheckStored(out)
	return nil
}

func mentionedInside(t *tree.Tree) bool {
	for _, f := range t.Files {
		if filepath.Base(f.Path) == ".gitattributes" && mentionsConversion(f.Data) {
			return true
		}
	}
	return false
}

// indexed returns the execute bits that git's index records for a foreign
// package, nil outside git: the bits of a working tree depend on the machine.
func (c *Client) indexed(ctx context.Context, d *discovery, dir string, format string) (map[string]bool, error) {
	if format == "" || format == "native" {
		return nil, nil
	}
	local, err := d.git(c)
	if err != nil || local == nil {
		return nil, err
	}
	return local.Executables(ctx, filepath.Join(d.root.Path(), filepath.FromSlash(dir)))
}

// git returns the repository that the discovery's root is in, nil when there is
// none. It is opened on first use, because most packages need no question.
func (d *discovery) git(c *Client) (*git.Local, error) {
	d.gitOnce.Do(func() {
		if d.inGit {
			d.local, d.gitErr = c.localGit(d.root.Path())
		}
	})
	return d.local, d.gitErr
}
