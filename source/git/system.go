package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"pinion/source"
)

// system keeps objects with the system's git. It only ever runs plumbing that
// does not touch the network: index-pack, ls-tree and cat-file.
type system struct {
	git  *program
	dir  string
	call call // the template of every run
}

var _ objects = (*system)(nil)

func newSystem(p *program, dir string) *system {
	return &system{git: p, dir: dir, call: call{dir: dir}}
}

func (s *system) thin() bool   { return true }
func (s *system) close() error { return nil }

func (s *system) with(args ...string) call {
	c := s.call
	c.args = args
	return c
}

// index lets git compute the id of each object, with its check for SHA-1
// collisions, and of a complete pack also its form (security 3.3 row 58). git
// refuses to check a pack whose .gitattributes is not in it.
func (s *system) index(ctx context.Context, pack io.Reader, complete bool) error {
	in := &errReader{r: pack}
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

func (s *system) sizes(ctx context.Context, ids []string) ([]int64, error) {
	out := make([]int64, 0, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	c := s.with("cat-file", "--batch-check", "--buffer")
	c.stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	err := s.git.stream(ctx, c, func(r io.Reader) error {
		sc := bufio.NewScanner(r)
		for sc.Scan() {
			_, size, err := parseHeader(sc.Text())
			if err != nil {
				return err
			}
			out = append(out, size)
		}
		return sc.Err()
	})
	if err == nil && len(out) != len(ids) {
		err = fmt.Errorf("git cat-file answered %d of %d requests: %w", len(out), len(ids), errCorrupt)
	}
	return out, corrupt(err)
}

// parseHeader reads "<id> <kind> <size>" or "<id> missing", whose size is -1.
func parseHeader(text string) (kind string, size int64, err error) {
	f := strings.Fields(text)
	if len(f) == 2 && f[1] == "missing" {
		return "missing", -1, nil
	}
	if len(f) == 3 {
		if size, err = strconv.ParseInt(f[2], 10, 64); err == nil && size >= 0 {
			return f[1], size, nil
		}
	}
	return "", 0, fmt.Errorf("git cat-file answered %q: %w", text, errCorrupt)
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
		record, rest, ok := strings.Cut(text, "\x00")
		head, path, ok2 := strings.Cut(record, "\t")
		f := strings.Split(head, " ")
		if !ok || !ok2 || len(f) != 3 || path == "" {
			return nil, fmt.Errorf("git ls-tree: %w", errMalformed)
		}
		m, ok := parseMode(f[0])
		if !ok || !source.IsCommit(f[2]) {
			return nil, fmt.Errorf("git ls-tree: %w", errMalformed)
		}
		if len(items) > 0 && items[len(items)-1].path >= path {
			// Two entries of one name, or a name with a slash in it.
			return nil, fmt.Errorf("%q is out of order in its tree: %w", path, errMalformed)
		}
		items = append(items, item{path: path, mode: m, id: f[2], size: -1})
		text = rest
	}
	return items, nil
}

// reader starts one cat-file, which serves any number of objects.
func (s *system) reader() (objectReader, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := s.git.command(ctx, s.with("cat-file", "--batch"))
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	r := &catFile{cmd: cmd, cancel: cancel, in: in, w: bufio.NewWriterSize(in, 32<<10), out: bufio.NewReaderSize(out, 64<<10)}
	cmd.Stderr = &r.stderr
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, startError(err)
	}
	return r, nil
}

type catFile struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.Closer
	w      *bufio.Writer
	out    *bufio.Reader
	stderr tail
	body   io.LimitedReader
	once   sync.Once
	err    error
	inBody bool
}

func (c *catFile) request(id string) error {
	if !source.IsCommit(id) {
		return fmt.Errorf("object id %q: %w", id, errMalformed)
	}
	c.w.WriteString(id)
	return c.w.WriteByte('\n')
}

func (c *catFile) flush() error { return c.w.Flush() }

func (c *catFile) next() (string, int64, io.Reader, error) {
	if c.inBody { // the newline after the last content
		if b, err := c.out.ReadByte(); err != nil || b != '\n' || c.body.N != 0 {
			return "", 0, nil, c.broken(err)
		}
		c.inBody = false
	}
	text, err := c.out.ReadSlice('\n')
	if err != nil {
		return "", 0, nil, c.broken(err)
	}
	kind, size, err := parseHeader(string(text))
	if err != nil || kind == "missing" {
		return kind, size, nil, err
	}
	c.body = io.LimitedReader{R: c.out, N: size}
	c.inBody = true
	return kind, size, &c.body, nil
}

// broken explains the end of the process by what it printed.
func (c *catFile) broken(err error) error {
	c.close()
	return fmt.Errorf("%w: git cat-file: %w: %q", errCorrupt, errors.Join(err, c.err), c.stderr.String())
}

func (c *catFile) kill() { c.cancel() }

func (c *catFile) close() error {
	c.once.Do(func() {
		c.in.Close()
		c.cancel()
		c.err = c.cmd.Wait()
	})
	return nil
}
