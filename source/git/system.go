package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pinion/source"
)

// system keeps objects with the system's git. It only ever runs plumbing that
// does not touch the network: index-pack, ls-tree and cat-file.
type system struct {
	git   *program
	dir   string
	call  call     // the template of every run
	packs *packSet // nil for a repository that is not a cache
}

var _ objects = (*system)(nil)

// newSystem returns the objects of any repository. All of them are read by git,
// which knows of alternates and of objects that are not in packs.
func newSystem(p *program, dir string) *system {
	return &system{git: p, dir: dir, call: call{dir: dir}}
}

// newSystemCache returns the objects of a cache.
func newSystemCache(p *program, dir string, idLen int) *system {
	s := newSystem(p, dir)
	s.packs = newPackSet(dir, idLen/2, p.limits)
	return s
}

func (s *system) thin() bool { return true }

func (s *system) close() error {
	if s.packs == nil {
		return nil
	}
	return s.packs.close()
}

func (s *system) with(args ...string) call {
	c := s.call
	c.args = args
	return c
}

// index keeps a small pack itself, and lets git do it for any other: it computes
// the id of each object, with its check for SHA-1 collisions, and of a complete
// pack also its form (security 3.3 row 58). git refuses to check a pack whose
// .gitattributes is not in it.
func (s *system) index(ctx context.Context, pack io.Reader, complete bool) error {
	in := &errReader{r: pack}
	if s.packs != nil {
		data, whole, err := small(in)
		if err != nil {
			return err
		}
		if whole {
			if kept, err := s.packs.keep(data, complete); kept || err != nil {
				return err
			}
		}
		in.r = io.MultiReader(bytes.NewReader(data), pack)
	}
	c := s.with("index-pack", "--stdin", "--fix-thin")
	if complete {
		c.args = append(c.args, "--fsck-objects")
	}
	c.stdin, c.maxFile = in, 2*s.git.limits.Pack
	_, err := s.git.output(ctx, c, 1<<20)
	if in.err != nil {
		return in.err
	}
	return err
}

// errReader remembers what ended the reading, which says more than git's own
// message.
type errReader struct {
	r   io.Reader
	err error
}

func (e *errReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		e.err = err
	}
	return n, err
}

// corrupt adds errCorrupt to a failure of git itself; all that is read here
// was checked when it came in.
func corrupt(err error) error {
	var re *runError
	if errors.As(err, &re) {
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return err
}

func (s *system) list(ctx context.Context, root string) ([]item, error) {
	if s.packs != nil && onlyPacks(s.dir) {
		r := s.packs.reader()
		defer r.close()
		items, err := walk(ctx, r, []item{{id: root}}, fewFiles)
		if !errors.Is(err, source.ErrTooLarge) {
			return items, err
		}
	}
	var items []item
	err := s.git.stream(ctx, s.with("ls-tree", "-r", "-z", "--full-tree", root), func(r io.Reader) error {
		all := listing{max: s.git.limits.Entries}
		if _, err := io.Copy(&all, r); err != nil {
			return err
		}
		var err error
		items, err = parseListing(all.String())
		return err
	})
	return items, corrupt(err)
}

// listing collects the output of ls-tree up to the limits, so that a tree that
// repeats itself without end is cut early.
type listing struct {
	bytes.Buffer
	files, max int
}

func (l *listing) Write(p []byte) (int, error) {
	l.files += bytes.Count(p, []byte{0})
	if l.files > l.max || l.Len()+len(p) > maxListing {
		return 0, fmt.Errorf("more than %d files: %w", l.max, source.ErrTooLarge)
	}
	return l.Buffer.Write(p)
}

// ReadFrom hides the one of the buffer, which has no limit.
func (l *listing) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{l}, r)
}

// parseListing reads the output of ls-tree -z. The paths share its memory.
func parseListing(text string) ([]item, error) {
	items := make([]item, 0, strings.Count(text, "\x00"))
	for len(text) > 0 {
		// "<mode> <kind> <id>\t<path>\x00"
		record, rest, ok := strings.Cut(text, "\x00")
		head, path, ok2 := strings.Cut(record, "\t")
		modeText, head, ok3 := strings.Cut(head, " ")
		_, id, ok4 := strings.Cut(head, " ")
		m, ok5 := parseMode(modeText)
		if !ok || !ok2 || !ok3 || !ok4 || !ok5 || path == "" || !source.IsCommit(id) {
			return nil, fmt.Errorf("git ls-tree: %w", errMalformed)
		}
		if len(items) > 0 && items[len(items)-1].path >= path {
			// Two entries of one name, or a name with a slash in it.
			return nil, fmt.Errorf("%q is out of order in its tree: %w", path, errMalformed)
		}
		items = append(items, item{path: path, mode: m, id: id, size: -1})
		text = rest
	}
	return items, nil
}
