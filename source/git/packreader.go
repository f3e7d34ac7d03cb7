package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"pinion/source"
)

// packReader reads objects of a [packSet], in this process: for a few objects
// a git would take longer to start than they take to read.
type packReader struct {
	set *packSet
	u   unpacker

	killed atomic.Bool
	mu     sync.Mutex
	more   *sync.Cond // a request came, or killed was set
	queue  []string
}

var _ objectReader = (*packReader)(nil)

func (s *packSet) reader() *packReader {
	r := &packReader{set: s}
	r.more = sync.NewCond(&r.mu)
	r.u.max, r.u.killed, r.u.sum = s.limits.Blob, &r.killed, sha1.New()
	r.u.ids = make([]byte, idWindow)
	if s.idLen == sha256.Size {
		r.u.sum = sha256.New()
	}
	return r
}

var errKilled = errors.New("reading was stopped")

func (r *packReader) request(id string) error {
	if len(id) != 2*r.set.idLen || !source.IsCommit(id) {
		return fmt.Errorf("object id %q: %w", id, errMalformed)
	}
	if r.killed.Load() {
		return errKilled
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, id)
	r.more.Signal()
	return nil
}

func (r *packReader) flush() error { return nil }

func (r *packReader) next() (string, int64, io.Reader, error) {
	r.mu.Lock()
	for len(r.queue) == 0 && !r.killed.Load() {
		r.more.Wait()
	}
	if r.killed.Load() {
		r.mu.Unlock()
		return "", 0, nil, errKilled
	}
	id := r.queue[0]
	r.queue = r.queue[1:]
	r.mu.Unlock()
	return r.read(id)
}

func (r *packReader) read(id string) (kind string, size int64, content io.Reader, err error) {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return "", 0, nil, fmt.Errorf("object id %q: %w", id, errMalformed)
	}
	if o := r.set.recent(raw); o != nil {
		return entryKinds[o.kind], int64(len(o.data)), &shared{*bytes.NewReader(o.data), o.data}, nil
	}
	p, off, err := r.find(raw, true)
	if err != nil {
		return "", 0, nil, err
	}
	if p == nil {
		return "missing", -1, nil, nil
	}
	kind, data, err := r.u.object(p, off, raw)
	if err != nil {
		return "", 0, nil, r.broken(id, err)
	}
	return kind, int64(len(data)), bytes.NewReader(data), nil
}

// shared is content that is in memory already.
type shared struct {
	bytes.Reader
	data []byte
}

// find looks for an object in the packs, with again also in those that came
// meanwhile. The pack is nil when it is in none.
func (r *packReader) find(id []byte, again bool) (*pack, int64, error) {
	for {
		packs := r.set.all()
		// The newest pack has what was just fetched.
		for i := len(packs) - 1; i >= 0; i-- {
			if off, err := packs[i].find(id, r.u.ids); err != nil || off != 0 {
				return packs[i], off, err
			}
		}
		if !again {
			return nil, 0, nil
		}
		grown, err := r.set.refresh()
		if err != nil || !grown {
			return nil, 0, err
		}
	}
}

func (r *packReader) sizes(ctx context.Context, ids []string) ([]int64, error) {
	out := make([]int64, len(ids))
	again := true
	for i, id := range ids {
		if r.killed.Load() {
			return nil, errKilled
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		raw, err := hex.DecodeString(id)
		if err != nil || len(raw) != r.set.idLen {
			return nil, fmt.Errorf("object id %q: %w", id, errMalformed)
		}
		if o := r.set.recent(raw); o != nil {
			out[i] = int64(len(o.data))
			continue
		}
		p, off, err := r.find(raw, again)
		if err != nil {
			return nil, err
		}
		if p == nil {
			out[i], again = -1, false // they were looked through just now
			continue
		}
		if out[i], err = r.u.size(p, off); err != nil {
			return nil, r.broken(id, err)
		}
	}
	return out, nil
}

// broken explains why an object cannot be read. One that is too large is no
// damage.
func (r *packReader) broken(id string, err error) error {
	if errors.Is(err, errOversize) {
		return fmt.Errorf("object %s: %w", id, err)
	}
	return fmt.Errorf("%w: object %s: %w", errCorrupt, id, err)
}

func (r *packReader) kill() {
	r.mu.Lock()
	r.killed.Store(true)
	r.mu.Unlock()
	r.more.Broadcast()
}

func (r *packReader) usable() bool { return !r.killed.Load() }

func (r *packReader) close() error {
	r.kill()
	return nil
}
