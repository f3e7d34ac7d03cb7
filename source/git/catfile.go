package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"pinion/source"
)

// reader reads the packs of a cache in this process. For anything else it starts
// a cat-file.
func (s *system) reader() (objectReader, error) {
	if s.packs != nil && onlyPacks(s.dir) {
		return s.packs.reader(), nil
	}
	return s.bulkReader()
}

// bulkReader starts one cat-file, which serves any number of objects and of
// questions for sizes. Older gits than 2.36 need a second process for those.
func (s *system) bulkReader() (objectReader, error) {
	if !s.git.oldCatFile.Load() {
		r, err := s.catFile("cat-file", "--batch-command", "--buffer")
		if err != nil {
			return nil, err
		}
		if s.git.newCatFile.Load() {
			return r, nil
		}
		// What is asked is no matter: an old git ends without an answer.
		if _, err := r.sizes(context.Background(), []string{strings.Repeat("0", 40)}); err == nil {
			s.git.newCatFile.Store(true)
			return r, nil
		}
		r.close()
		s.git.oldCatFile.Store(true)
	}
	r, err := s.catFile("cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	r.old = s
	return r, nil
}

func (s *system) catFile(args ...string) (*catFile, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := s.git.command(ctx, s.with(args...))
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
	r := &catFile{cmd: cmd, cancel: cancel, in: in, w: bufio.NewWriterSize(in, 32<<10), out: bufio.NewReaderSize(out, 128<<10)}
	cmd.Stderr = &r.stderr
	widen(out)
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, startError(err)
	}
	return r, nil
}

// catFile is a running git cat-file.
type catFile struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.Closer
	w      *bufio.Writer
	out    *bufio.Reader
	old    *system // not nil when the process only knows --batch
	stderr tail
	body   io.LimitedReader
	once   sync.Once
	err    error
	inBody bool
	killed atomic.Bool
}

func (c *catFile) request(id string) error {
	if c.old != nil {
		return c.ask("", id)
	}
	return c.ask("contents ", id)
}

func (c *catFile) ask(command, id string) error {
	if !source.IsCommit(id) {
		return fmt.Errorf("object id %q: %w", id, errMalformed)
	}
	c.w.WriteString(command)
	c.w.WriteString(id)
	return c.w.WriteByte('\n')
}

func (c *catFile) flush() error {
	if c.old == nil {
		c.w.WriteString("flush\n")
	}
	err := c.w.Flush()
	if err != nil {
		c.kill() // or the answers to what it never saw would be waited for
	}
	return err
}

func (c *catFile) next() (string, int64, io.Reader, error) {
	kind, size, err := c.header()
	if err != nil || kind == "missing" {
		return kind, size, nil, err
	}
	c.body = io.LimitedReader{R: c.out, N: size}
	c.inBody = true
	return kind, size, &c.body, nil
}

// header reads the first line of an answer.
func (c *catFile) header() (string, int64, error) {
	if c.inBody { // the newline after the last content
		if b, err := c.out.ReadByte(); err != nil || b != '\n' || c.body.N != 0 {
			return "", 0, c.broken(err)
		}
		c.inBody = false
	}
	text, err := c.out.ReadSlice('\n')
	if err != nil {
		return "", 0, c.broken(err)
	}
	return parseHeader(string(text))
}

func (c *catFile) sizes(ctx context.Context, ids []string) ([]int64, error) {
	if c.old != nil {
		return c.old.sizes(ctx, ids)
	}
	sent := make(chan error, 1)
	go func() {
		for i, id := range ids {
			if err := c.ask("info ", id); err != nil {
				c.kill() // nobody may wait for the answers
				sent <- err
				return
			}
			if (i+1)%1_000 == 0 { // so that both sides are at work
				c.flush()
			}
		}
		sent <- c.flush()
	}()
	out := make([]int64, len(ids))
	var err error
	for i := range ids {
		if _, out[i], err = c.header(); err != nil {
			c.kill() // the answers that are still to come would be taken for others
			break
		}
	}
	return out, errors.Join(err, <-sent)
}

// sizes asks a process of its own.
func (s *system) sizes(ctx context.Context, ids []string) ([]int64, error) {
	out := make([]int64, 0, len(ids))
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

// broken explains the end of the process by what it printed.
func (c *catFile) broken(err error) error {
	c.close()
	return fmt.Errorf("%w: git cat-file: %w: %q", errCorrupt, errors.Join(err, c.err), c.stderr.String())
}

func (c *catFile) kill() {
	c.killed.Store(true)
	c.cancel()
}

func (c *catFile) usable() bool { return !c.killed.Load() }

// errEnded is a process that we ended ourselves, which must not be taken for an
// interruption by the user.
var errEnded = errors.New("it was ended")

func (c *catFile) close() error {
	c.once.Do(func() {
		c.in.Close()
		c.kill()
		c.err = c.cmd.Wait()
		if errors.Is(c.err, context.Canceled) {
			c.err = errEnded
		}
	})
	return nil
}
