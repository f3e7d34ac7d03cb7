package git

import (
	"bufio"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"pinion/source/web"
)

// goGit keeps objects with go-git, for machines without git. It only writes the
// index of a pack: go-git's transport and its worktree are never used.
type goGit struct {
	dir    string
	limits Limits
	packs  *packSet
}

var _ objects = (*goGit)(nil)

func newGoGit(dir string, l Limits) *goGit {
	return &goGit{dir: dir, limits: l, packs: newPackSet(dir, sha1.Size, l)}
}

// thin is false: go-git resolves such deltas only in memory. The server then
// sends whole objects, of which none are sent that are here.
func (g *goGit) thin() bool { return false }

func (g *goGit) close() error { return g.packs.close() }

func (g *goGit) reader() (objectReader, error)     { return g.packs.reader(), nil }
func (g *goGit) bulkReader() (objectReader, error) { return g.packs.reader(), nil }

func (g *goGit) index(ctx context.Context, pack io.Reader, _ bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, g.limits.Total, web.ErrTooSlow)
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
	st := filesystem.NewStorageWithOptions(osfs.New(g.dir), cache.NewObjectLRU(16*cache.MiByte), filesystem.Options{
		ExclusiveAccess: true, LargeObjectThreshold: 8 << 20,
	})
	if err := keepPack(st, &errReader{r: &ctxReader{ctx, file}}); err != nil {
		st.Close()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return st.Close()
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
