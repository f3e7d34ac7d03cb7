package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"pinion/source"
)

// goGit keeps objects with go-git, for machines without git. Only its object
// storage is used: never its transport, and never its worktree.
type goGit struct {
	dir    string
	limits Limits

	mu sync.Mutex // go-git's storage is not safe for concurrent reading
	st *filesystem.Storage
}

var _ objects = (*goGit)(nil)

func newGoGit(dir string, l Limits) *goGit {
	g := &goGit{dir: dir, limits: l}
	g.open()
	return g
}

func (g *goGit) open() {
	g.st = filesystem.NewStorageWithOptions(osfs.New(g.dir), cache.NewObjectLRU(16*cache.MiByte), filesystem.Options{
		ExclusiveAccess: true, KeepDescriptors: true, LargeObjectThreshold: 8 << 20,
	})
}

// thin is false: go-git resolves such deltas only in memory. The server then
// sends whole objects, of which none are sent that are here.
func (g *goGit) thin() bool { return false }

func (g *goGit) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.st.Close()
}

func (g *goGit) index(ctx context.Context, pack io.Reader, _ bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, g.limits.Total, errTooSlow)
	defer cancel()
	file, err := os.CreateTemp(g.dir, "pack-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	in := &errReader{r: &ctxReader{ctx, pack}}
	if err := g.check(file, in); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return errors.Join(in.err, err)
	}
	if err := keepPack(g.st, &errReader{r: &ctxReader{ctx, file}}); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	// The storage lists its packs once.
	err = g.st.Close()
	g.open()
	return err
}

// check brings a pack into a file, looks at the sizes of its objects and goes
// back to the beginning.
func (g *goGit) check(file *os.File, pack io.Reader) error {
	if _, err := io.Copy(file, pack); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := scanPack(bufio.NewReaderSize(file, 64<<10), g.limits.Blob, maxUnpacked); err != nil {
		return err
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}

// keepPack reads a pack into a storage.
func keepPack(st *filesystem.Storage, in *errReader) (err error) {
	defer func() {
		// go-git has panicked on packs made to break it.
		if p := recover(); p != nil {
			err = fmt.Errorf("pack: %w: %v", errMalformed, p)
		}
	}()
	if err := packfile.UpdateObjectStorage(st, in); err != nil {
		return errors.Join(in.err, fmt.Errorf("pack: %w", err))
	}
	return nil
}

type ctxReader struct {
	ctx context.Context // for the length of one call
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func (g *goGit) list(ctx context.Context, root string) ([]item, error) {
	r, err := g.reader()
	if err != nil {
		return nil, err
	}
	defer r.close()
	return walk(ctx, r, []item{{id: root}}, g.limits.Entries)
}

func (g *goGit) reader() (objectReader, error) {
	r := &goGitReader{g: g}
	r.more = sync.NewCond(&r.mu)
	return r, nil
}

// goGitReader answers the requests one by one.
type goGitReader struct {
	g *goGit

	mu     sync.Mutex
	more   *sync.Cond // a request came, or killed was set
	queue  []string
	killed bool
}

var errKilled = errors.New("reading was stopped")

func (r *goGitReader) request(id string) error {
	if len(id) != 40 || !source.IsCommit(id) {
		return fmt.Errorf("object id %q: %w", id, errMalformed)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed {
		return errKilled
	}
	r.queue = append(r.queue, id)
	r.more.Signal()
	return nil
}

func (r *goGitReader) flush() error { return nil }

func (r *goGitReader) next() (string, int64, io.Reader, error) {
	r.mu.Lock()
	for len(r.queue) == 0 && !r.killed {
		r.more.Wait()
	}
	if r.killed {
		r.mu.Unlock()
		return "", 0, nil, errKilled
	}
	id := r.queue[0]
	r.queue = r.queue[1:]
	r.mu.Unlock()
	return r.g.read(id)
}

func (r *goGitReader) sizes(ctx context.Context, ids []string) ([]int64, error) {
	g := r.g
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]int64, len(ids))
	for i, id := range ids {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n, err := g.st.EncodedObjectSize(plumbing.NewHash(id))
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound):
			n = -1
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errCorrupt, err)
		}
		out[i] = n
	}
	return out, nil
}

func (g *goGit) read(id string) (kind string, size int64, content io.Reader, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	obj, err := g.st.EncodedObject(plumbing.AnyObject, plumbing.NewHash(id))
	switch {
	case errors.Is(err, plumbing.ErrObjectNotFound):
		return "missing", -1, nil, nil
	case err != nil:
		return "", 0, nil, fmt.Errorf("%w: object %s: %w", errCorrupt, id, err)
	case obj.Size() > g.limits.Blob:
		return "", 0, nil, fmt.Errorf("object %s of %d bytes: %w", id, obj.Size(), errOversize)
	}
	rd, err := obj.Reader()
	if err != nil {
		return "", 0, nil, fmt.Errorf("%w: object %s: %w", errCorrupt, id, err)
	}
	defer rd.Close()
	data := make([]byte, obj.Size())
	if _, err := io.ReadFull(rd, data); err != nil {
		return "", 0, nil, fmt.Errorf("%w: object %s: %w", errCorrupt, id, err)
	}
	return obj.Type().String(), obj.Size(), bytes.NewReader(data), nil
}

func (r *goGitReader) kill() {
	r.mu.Lock()
	r.killed = true
	r.mu.Unlock()
	r.more.Broadcast()
}

func (r *goGitReader) usable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.killed
}

func (r *goGitReader) close() error {
	r.kill()
	return nil
}
