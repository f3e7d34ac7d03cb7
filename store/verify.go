package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/pkgfmt"
)

// Difference is one way in which the disk is not what a receipt says.
type Difference struct {
	Build Build  // without digest when the receipt cannot be read
	Path  string // inside the package; "." for the directory itself; for a stranger its absolute path
	What  What
	// Detail completes the sentence "PATH is WHAT: DETAIL"; "" when What says it.
	Detail string
	Fix    string
}

// What is the kind of a [Difference].
type What string

// The kinds. NoReceipt is a receipt that cannot be used, or a directory that is
// in use and has none.
const (
	Changed    What = "changed"
	Missing    What = "missing"
	Added      What = "added"
	Mode       What = "mode"
	Link       What = "link"
	Special    What = "special file"
	Unreadable What = "unreadable"
	NoReceipt  What = "receipt"
	Stranger   What = "stranger"
)

// Verify re-hashes builds against their receipts and returns every difference:
// files changed, missing or added, modes that allow writing or executing, links
// and special files. Without builds it takes all of the store, with receipts
// that cannot be used and with what does not belong into it. Results are in the
// order of the builds, or sorted as by [Store.List], then by path.
func (s *Store) Verify(ctx context.Context, builds ...Build) ([]Difference, error) {
	var receipts []Receipt
	var first []Difference
	if len(builds) == 0 {
		all, damaged, err := s.List(ctx)
		if err != nil {
			return nil, err
		}
		receipts = all
		for _, d := range damaged {
			first = append(first, Difference{Build: d.Build, Path: d.Path, What: NoReceipt, Detail: d.Reason, Fix: d.Fix})
		}
		strangers, err := s.strangers(ctx)
		if err != nil {
			return nil, err
		}
		for _, d := range strangers {
			what := Stranger
			if d.Build.ID != "" {
				what = NoReceipt
			}
			first = append(first, Difference{Build: d.Build, Path: d.Path, What: what, Detail: d.Reason, Fix: d.Fix})
		}
	}
	for _, b := range builds {
		r, err := s.Receipt(b)
		var damage *DamageError
		switch {
		case errors.As(err, &damage):
			first = append(first, Difference{Build: b, Path: damage.Path, What: NoReceipt, Detail: damage.Reason, Fix: damage.Fix})
		case err != nil:
			return nil, err
		default:
			receipts = append(receipts, r)
		}
	}
	found := make([][]Difference, len(receipts))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range receipts {
		g.Go(func() (err error) {
			found[i], err = s.compare(ctx, r.Build(), r.Files)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return append(first, slices.Concat(found...)...), nil
}

// Check is [Store.Verify] for one build that is about to be used: it is
// [*DamageError] for the first difference.
func (s *Store) Check(ctx context.Context, b Build) error {
	diffs, err := s.Verify(ctx, b)
	if err != nil || len(diffs) == 0 {
		return err
	}
	d := diffs[0]
	reason := string(d.What)
	if d.Detail != "" {
		reason += ": " + d.Detail
	}
	dir := s.home.Path(b.Dir())
	if d.What != NoReceipt && d.Path != "." {
		dir = s.home.Path(path.Join(b.Dir(), d.Path))
	}
	return &DamageError{Damage{Path: dir, Build: b, Reason: "differs from what was installed (" + reason + ")", Fix: d.Fix}}
}

// compare holds the directory of a build against the list of its files.
func (s *Store) compare(ctx context.Context, b Build, files []pkgfmt.Record) ([]Difference, error) {
	c := &comparison{ctx: ctx, build: b, files: files, seen: make([]bool, len(files))}
	info, err := s.home.Lstat(b.Dir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.add(".", Missing, "")
		return c.found, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		c.add(".", kindOf(info.Mode()), "it is not a directory")
		return c.found, nil
	}
	c.dirMode(".", info)
	if c.dir, err = s.home.Sub(b.Dir()); err != nil {
		c.add(".", Unreadable, err.Error())
		return c.found, nil
	}
	defer c.dir.Close() // opened for reading only
	if err := c.walk("."); err != nil {
		return nil, err
	}
	for i, f := range files {
		if !c.seen[i] {
			c.add(f.Path, Missing, "")
		}
	}
	slices.SortFunc(c.found, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return c.found, nil
}

type comparison struct {
	ctx   context.Context
	build Build
	dir   *fsx.Dir
	files []pkgfmt.Record // sorted by path
	seen  []bool
	found []Difference
}

func (c *comparison) add(p string, what What, detail string) {
	c.found = append(c.found, Difference{
		Build: c.build, Path: p, What: what, Detail: detail,
		Fix: fmt.Sprintf("run: pinion verify --repair %s", c.build.Ref()),
	})
}

func (c *comparison) walk(dir string) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(c.dir.FS(), dir)
	if err != nil {
		c.add(dir, Unreadable, err.Error())
		return nil
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil {
			c.add(p, Unreadable, err.Error())
			continue
		}
		at, listed := slices.BinarySearchFunc(c.files, p, func(f pkgfmt.Record, p string) int { return strings.Compare(f.Path, p) })
		switch {
		case info.IsDir() && c.expected(p):
			c.dirMode(p, info)
			if err := c.walk(p); err != nil {
				return err
			}
		case info.Mode().IsRegular() && listed:
			c.seen[at] = true
			c.file(p, info, c.files[at])
		case info.Mode().IsRegular() || info.IsDir() && !listed:
			c.add(p, Added, "")
		default:
			if listed {
				c.seen[at] = true
			}
			c.add(p, kindOf(info.Mode()), "")
		}
	}
	return nil
}

// expected reports whether files are listed below the directory p.
func (c *comparison) expected(p string) bool {
	i, _ := slices.BinarySearchFunc(c.files, p+"/", func(f pkgfmt.Record, p string) int { return strings.Compare(f.Path, p) })
	return i < len(c.files) && strings.HasPrefix(c.files[i].Path, p+"/")
}

func (c *comparison) file(p string, info fs.FileInfo, want pkgfmt.Record) {
	if hasModes {
		switch perm := info.Mode().Perm(); {
		case perm&0o222 != 0 || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0:
			c.add(p, Mode, fmt.Sprintf("%v can be written to or runs as somebody else", info.Mode()))
		case perm&0o111 != 0 && !want.Exec:
			c.add(p, Mode, "it has become executable")
		case perm&0o111 == 0 && want.Exec:
			c.add(p, Mode, "it is no longer executable")
		}
	}
	if n := linkCount(info); n > 1 {
		c.add(p, Link, fmt.Sprintf("it has %d hard links", n))
	}
	if info.Size() != want.Size {
		c.add(p, Changed, fmt.Sprintf("%d bytes, installed were %d", info.Size(), want.Size))
		return
	}
	data, err := c.dir.ReadFile(p, want.Size)
	if err != nil {
		c.add(p, Unreadable, err.Error())
		return
	}
	if hashes.Of(data) != want.Sum {
		c.add(p, Changed, "")
	}
}

func (c *comparison) dirMode(p string, info fs.FileInfo) {
	if hasModes && info.Mode().Perm()&0o222 != 0 {
		c.add(p, Mode, fmt.Sprintf("%v can be written to", info.Mode()))
	}
}

func kindOf(m fs.FileMode) What {
	switch {
	case m&fs.ModeSymlink != 0:
		return Link
	case m.IsRegular() || m.IsDir():
		return Changed // one in the place of the other
	}
	return Special
}
