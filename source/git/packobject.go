package git

import (
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"sync/atomic"
)

// Types of the entries of a pack (gitformat-pack(5)).
const (
	entryCommit   = 1
	entryTree     = 2
	entryBlob     = 3
	entryTag      = 4
	entryOfsDelta = 6
	entryRefDelta = 7
)

var entryKinds = [...]string{entryCommit: "commit", entryTree: "tree", entryBlob: "blob", entryTag: "tag"}

const (
	// maxChain is how many deltas may stand between an object and its base. It
	// is the most that git itself writes (git-config(1), pack.depth).
	maxChain = 4_095
	// maxReused is the size up to which the memory of an object is used again.
	maxReused = 64 << 10
)

// unpacker takes objects out of packs and checks each against its id. It is
// for one goroutine.
type unpacker struct {
	max    int64        // bytes of one object
	killed *atomic.Bool // ends long work
	win    window
	zip    io.ReadCloser // nil before the first object
	buf    []byte
	ids    []byte // idWindow bytes, for the index
	bases  baseCache
	sum    hash.Hash // of the repository's ids
}

// entry is the head of one object in a pack.
type entry struct {
	kind int
	size int64 // of what is compressed: the object, or the delta
	base int64 // where the base of a delta begins
	data int64 // where the compressed bytes begin
}

// head reads the head of the entry at off.
func (u *unpacker) head(p *pack, off int64) (entry, error) {
	u.win.seek(p, off)
	b, err := u.win.ReadByte()
	if err != nil {
		return entry{}, err
	}
	e := entry{kind: int(b >> 4 & 7), size: int64(b & 15)}
	for shift := 4; b&0x80 != 0; shift += 7 {
		if b, err = u.win.ReadByte(); err != nil {
			return entry{}, err
		}
		if shift > 50 {
			return entry{}, errMalformed
		}
		e.size |= int64(b&0x7f) << shift
	}
	switch e.kind {
	case entryCommit, entryTree, entryBlob, entryTag:
	case entryOfsDelta:
		var back int64
		for i := 0; ; i++ {
			if b, err = u.win.ReadByte(); err != nil {
				return entry{}, err
			}
			if i > 0 {
				back++
			}
			if back = back<<7 | int64(b&0x7f); back > off {
				return entry{}, errMalformed
			}
			if b&0x80 == 0 {
				break
			}
		}
		if e.base = off - back; back == 0 || e.base < packHead {
			return entry{}, errMalformed
		}
	case entryRefDelta:
		var id [32]byte
		if _, err := io.ReadFull(&u.win, id[:p.idLen]); err != nil {
			return entry{}, err
		}
		// index-pack adds to a pack what its deltas refer to.
		if e.base, err = p.find(id[:p.idLen], u.ids); err == nil && e.base == 0 {
			err = errMalformed
		}
		if err != nil {
			return entry{}, err
		}
	default:
		return entry{}, errMalformed
	}
	e.data = u.win.pos()
	return e, nil
}

func (e entry) delta() bool { return e.kind == entryOfsDelta || e.kind == entryRefDelta }

// inflater begins to read what is compressed in an entry.
func (u *unpacker) inflater(p *pack, e entry) (err error) {
	u.win.seek(p, e.data)
	if u.zip == nil {
		u.zip, err = zlib.NewReader(&u.win)
		return err
	}
	return u.zip.(zlib.Resetter).Reset(&u.win, nil)
}

// inflate returns what is compressed in an entry, in memory that is used again
// unless it is to be kept. The limit is checked before anything is allocated,
// and zlib's checksum at the end.
func (u *unpacker) inflate(p *pack, e entry, keep bool) (b []byte, err error) {
	if e.size > u.max {
		return nil, fmt.Errorf("%d bytes: %w", e.size, errOversize)
	}
	if keep || e.size > maxReused {
		b = make([]byte, e.size)
	} else {
		if u.buf == nil {
			u.buf = make([]byte, maxReused)
		}
		b = u.buf[:e.size]
	}
	if err := u.inflater(p, e); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(u.zip, b); err != nil {
		return nil, err
	}
	var more [1]byte
	if n, err := u.zip.Read(more[:]); n != 0 || !errors.Is(err, io.EOF) {
		return nil, errors.Join(errMalformed, err)
	}
	return b, nil
}

// size returns the bytes of the object that the entry at off stands for.
func (u *unpacker) size(p *pack, off int64) (int64, error) {
	e, err := u.head(p, off)
	if err != nil || !e.delta() {
		return e.size, err
	}
	if err := u.inflater(p, e); err != nil {
		return 0, err
	}
	var head deltaHead
	head.n, err = io.ReadFull(u.zip, head.data[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	return head.target()
}

// object returns the kind and the content of the entry at off, which must have
// the id. The content is valid until the next call.
func (u *unpacker) object(p *pack, off int64, id []byte) (string, []byte, error) {
	kind, data, err := u.entry(p, off)
	if err != nil {
		return "", nil, err
	}
	u.sum.Reset()
	var head [32]byte
	h := append(head[:0], entryKinds[kind]...)
	h = strconv.AppendInt(append(h, ' '), int64(len(data)), 10)
	u.sum.Write(append(h, 0))
	u.sum.Write(data)
	if got := u.sum.Sum(head[:0]); string(got) != string(id) {
		return "", nil, fmt.Errorf("its id is %s: %w", hex.EncodeToString(got), errMalformed)
	}
	return entryKinds[kind], data, nil
}

// entry works out an entry: from the last delta back to an object that is
// whole, and from there forward.
func (u *unpacker) entry(p *pack, off int64) (kind int, data []byte, err error) {
	var chain []entry
	var at []int64
	for {
		var ok bool
		if kind, data, ok = u.bases.find(p, off); ok {
			break
		}
		e, err := u.head(p, off)
		if err != nil {
			return 0, nil, err
		}
		if !e.delta() {
			if data, err = u.inflate(p, e, len(chain) > 0); err != nil || len(chain) == 0 {
				return e.kind, data, err
			}
			kind = e.kind
			u.bases.add(p, off, kind, data)
			break
		}
		if len(chain) == maxChain {
			return 0, nil, fmt.Errorf("more than %d deltas in a chain: %w", maxChain, errMalformed)
		}
		chain, at = append(chain, e), append(at, off)
		off = e.base
	}
	left := int64(maxUnpacked)
	for i := len(chain) - 1; i >= 0; i-- {
		if data, err = u.apply(p, chain[i], data, &left); err != nil {
			return 0, nil, err
		}
		if i > 0 {
			u.bases.add(p, at[i], kind, data)
		}
	}
	return kind, data, nil
}

// apply returns what a delta makes of its base. All that is made on the way to
// one object may have left bytes.
func (u *unpacker) apply(p *pack, e entry, base []byte, left *int64) ([]byte, error) {
	delta, err := u.inflate(p, e, false)
	if err != nil {
		return nil, err
	}
	return u.patch(nil, base, delta, left)
}

func (u *unpacker) patch(buf, base, delta []byte, left *int64) ([]byte, error) {
	var head deltaHead
	head.n = copy(head.data[:], delta)
	size, err := head.target()
	if err != nil {
		return nil, err
	}
	if *left -= size; size > u.max || *left < 0 {
		return nil, fmt.Errorf("a delta stands for %d bytes: %w", size, errOversize)
	}
	if u.killed.Load() {
		return nil, errKilled
	}
	return patchDelta(buf, base, delta)
}
