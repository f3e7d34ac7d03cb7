package git

import (
	"bytes"
	"crypto"
	"crypto/sha1"
	"maps"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/hash"
)

// Limits of a pack that is kept without git.
const (
	smallCount   = 500      // objects
	smallPack    = 4 << 20  // bytes
	smallObjects = 48 << 20 // bytes of its objects, and of any one they are made from
)

// oid is the id of an object in a repository that uses SHA-1.
type oid [sha1.Size]byte

// arrival is one object of a pack that came in.
type arrival struct {
	at     int64 // where it begins in the pack
	crc    uint32
	kind   int // of the object, 0 while it is a delta
	id     oid
	data   []byte // the object, or the delta
	delta  bool   // it came as one
	byID   bool   // the base of the delta is named by its id
	base   oid
	baseAt int64
}

// keeping is a small pack on its way into a cache. git's index-pack does the
// same, and better for many objects; but to start it costs more than all of
// this, and the one large object of a refresh, its catalog, would be unpacked,
// hashed and packed once more there.
type keeping struct {
	set      *packSet
	r        *packReader
	data     []byte // the pack
	objects  []*arrival
	byOffset map[int64]*arrival
	byID     map[oid]*arrival
	bases    map[oid]*outer
	order    []oid // of bases
	left     int64 // bytes that may still be unpacked
}

// outer is an object of the cache that deltas of the pack are against.
type outer struct {
	kind  int
	data  []byte
	links []link
}

// keep stores a pack without git. It reports false, and has stored nothing, when
// the pack is none that this process can be sure of: it is large, it is broken,
// its deltas are against what is not here, or, when its form is to be checked,
// an object is not plainly in order. What to think of it is for git to say.
func (s *packSet) keep(data []byte, complete bool) (kept bool, err error) {
	if s.idLen != sha1.Size || len(data) > smallPack {
		return false, nil
	}
	k := &keeping{
		set: s, r: s.reader(), data: data, left: smallObjects,
		byOffset: map[int64]*arrival{}, byID: map[oid]*arrival{}, bases: map[oid]*outer{},
	}
	defer k.r.close()
	k.r.u.max = smallObjects
	s.warmUp()
	if !k.scan() || !k.resolve() || complete && !k.plain() || !k.agrees() {
		return false, nil
	}
	done, err := k.write()
	if done {
		s.remember(k.objects)
		s.leave(k)
	}
	return done, err
}

// scan reads the entries of the pack.
func (k *keeping) scan() bool {
	s := packfile.NewScanner(bytes.NewReader(k.data))
	_, count, err := s.Header()
	if err != nil || count == 0 || count > smallCount {
		return false
	}
	for range count {
		h, err := s.NextObjectHeader()
		if err != nil {
			return false
		}
		if k.left -= h.Length; h.Length < 0 || k.left < 0 {
			return false
		}
		o := &arrival{at: h.Offset}
		switch h.Type {
		case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject:
			o.kind = int(h.Type)
		case plumbing.OFSDeltaObject:
			o.delta, o.baseAt = true, h.OffsetReference
		case plumbing.REFDeltaObject:
			o.delta, o.byID, o.base = true, true, oid(h.Reference)
		default:
			return false
		}
		content := bytes.NewBuffer(make([]byte, 0, h.Length))
		n, crc, err := s.NextObject(content)
		if err != nil || n != h.Length {
			return false
		}
		o.data, o.crc = content.Bytes(), crc
		k.objects = append(k.objects, o)
		k.byOffset[o.at] = o
	}
	end, err := s.SeekFromStart(0)
	body := k.data[:max(0, len(k.data)-sha1.Size)]
	sum := sha1.Sum(body)
	return err == nil && end == int64(len(body)) && bytes.Equal(sum[:], k.data[len(body):])
}

// resolve works out the deltas and the ids. What is in the pack goes before what
// is in the cache.
func (k *keeping) resolve() bool {
	for _, o := range k.objects {
		if o.kind != 0 && !k.named(o) {
			return false
		}
	}
	for {
		changed, waiting := false, []*arrival(nil)
		for _, o := range k.objects {
			if o.kind != 0 {
				continue
			}
			kind, data := k.inner(o)
			if kind == 0 {
				waiting = append(waiting, o)
				continue
			}
			if !k.apply(o, kind, data) {
				return false
			}
			changed = true
		}
		if len(waiting) == 0 {
			return true
		}
		for _, o := range waiting {
			if changed {
				break // one of them may be the base that another waits for
			}
			if !o.byID {
				continue
			}
			b, ok := k.outer(o.base)
			if !ok || !k.apply(o, b.kind, b.data) {
				return false
			}
			changed = true
		}
		if !changed {
			return false
		}
	}
}

// inner returns the base of a delta when it is in the pack and known.
func (k *keeping) inner(o *arrival) (kind int, data []byte) {
	b := k.byOffset[o.baseAt]
	if o.byID {
		b = k.byID[o.base]
	}
	if b == nil {
		return 0, nil
	}
	return b.kind, b.data
}

// outer reads the base of a delta from the cache.
func (k *keeping) outer(id oid) (*outer, bool) {
	b := k.bases[id]
	if b != nil {
		return b, true
	}
	if b = k.set.ready(id); b == nil {
		b = k.r.outer(id)
	}
	if b == nil {
		return nil, false
	}
	if k.left -= int64(len(b.data)); k.left < 0 {
		return nil, false
	}
	k.bases[id] = b
	k.order = append(k.order, id)
	return b, true
}

// outer reads an object with the places of what it is made of, nil when it is not
// there or not what its id says.
func (r *packReader) outer(id oid) *outer {
	p, off, err := r.find(id[:], len(r.set.all()) == 0)
	if err != nil || p == nil {
		return nil
	}
	b := &outer{}
	if b.links, b.kind, b.data, err = r.u.trace(p, off); err != nil || objectID(sha1.New(), b.kind, b.data) != id {
		return nil
	}
	return b
}

// apply makes an object out of a delta.
func (k *keeping) apply(o *arrival, kind int, base []byte) bool {
	var head deltaHead
	head.n = copy(head.data[:], o.data)
	size, err := head.target()
	if err != nil {
		return false
	}
	if k.left -= size; size < 0 || k.left < 0 {
		return false // the limit is checked before anything is allocated
	}
	data, err := patchDelta(nil, base, o.data)
	if err != nil {
		return false
	}
	o.kind, o.data = kind, data
	return k.named(o)
}

// named gives an object its id, computed with go-git's check for collisions
// (security 3.3 row 58). No object may be there twice.
func (k *keeping) named(o *arrival) bool {
	o.id = objectID(hash.New(crypto.SHA1), o.kind, o.data)
	_, twice := k.byID[o.id]
	k.byID[o.id] = o
	return !twice
}

func objectID(sum interface {
	Write([]byte) (int, error)
	Sum([]byte) []byte
}, kind int, data []byte) (id oid) {
	var head [32]byte
	h := append(head[:0], entryKinds[kind]...)
	h = strconv.AppendInt(append(h, ' '), int64(len(data)), 10)
	sum.Write(append(h, 0))
	sum.Write(data)
	sum.Sum(id[:0])
	return id
}

// plain checks the form of the objects.
func (k *keeping) plain() bool {
	fresh := func(id []byte) bool { return k.byID[oid(id)] != nil }
	for _, o := range k.objects {
		switch o.kind {
		case entryCommit:
			if !plainCommit(o.data) {
				return false
			}
		case entryTree:
			if !plainTree(o.data, sha1.Size, fresh) {
				return false
			}
		}
	}
	return true
}

// agrees compares what came with what the cache has under the same ids.
func (k *keeping) agrees() bool {
	for id, o := range k.byID {
		p, off, err := k.r.find(id[:], len(k.set.all()) == 0)
		if err != nil {
			return false
		}
		if p == nil {
			continue
		}
		kind, data, err := k.r.u.object(p, off, id[:])
		if err != nil || kind != entryKinds[o.kind] || !bytes.Equal(data, o.data) {
			return false
		}
	}
	return true
}

// memo are the objects of the last small packs: what was just fetched is what is
// read next.
type memo struct {
	bytes   int64
	objects map[oid]*arrival
}

func (s *packSet) remember(objects []*arrival) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := memo{objects: make(map[oid]*arrival, len(objects))}
	for _, o := range objects {
		now.objects[o.id] = o
		now.bytes += int64(len(o.data))
	}
	if now.bytes+s.memo.bytes <= smallObjects {
		now.bytes += s.memo.bytes
		maps.Copy(now.objects, s.memo.objects) // readers have the old map
	}
	s.memo = now
}

// recent returns an object of the memo. It must not be changed.
func (s *packSet) recent(id []byte) *arrival {
	if len(id) != sha1.Size {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memo.objects[oid(id)]
}
