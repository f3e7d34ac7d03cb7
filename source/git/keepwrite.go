package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// maxLinks is how many deltas are copied to make a pack complete, and maxLinked
// how many bytes they may stand for, unless they are fewer. All of them are
// applied whenever the object is read; above that it is packed whole.
const (
	maxLinks  = 16
	maxLinked = 1 << 20
)

// link is an entry that an object is made of, as it lies in a pack.
type link struct {
	p   *pack
	e   entry
	off int64 // where it begins
	end int64 // where its compressed bytes end
}

// trace is entry with the places of what the object is made of: first the
// object's own entry, last the one that is whole.
func (u *unpacker) trace(p *pack, off int64) (links []link, kind int, data []byte, err error) {
	var deltas [][]byte
	left := int64(smallObjects)
	for {
		e, err := u.head(p, off)
		if err != nil {
			return nil, 0, nil, err
		}
		if left -= e.size; left < 0 || len(links) > maxChain {
			return nil, 0, nil, errOversize
		}
		if data, err = u.inflate(p, e, true); err != nil {
			return nil, 0, nil, err
		}
		links = append(links, link{p, e, off, u.win.pos()})
		if !e.delta() {
			kind = e.kind
			break
		}
		deltas, off = append(deltas, data), e.base
	}
	left = maxUnpacked
	var free []byte // that of the object before last
	for _, delta := range slices.Backward(deltas) {
		next, err := u.patch(free, data, delta, &left)
		if err != nil {
			return nil, 0, nil, err
		}
		free, data = data, next
	}
	return links, kind, data, nil
}

// write puts the pack into the cache, with the bases that it lacks behind its
// own objects, so that it is complete by itself as git wants it. It reports
// false when that cannot be done.
func (k *keeping) write() (bool, error) {
	w := &packWriter{at: int64(len(k.data) - sha1.Size)}
	for _, o := range k.objects {
		w.index = append(w.index, indexed{o.id, o.at, o.crc})
	}
	for _, id := range k.order {
		if done, err := k.complete(w, id); !done || err != nil {
			return false, err
		}
	}
	head := bytes.Clone(k.data[:packHead])
	binary.BigEndian.PutUint32(head[8:], uint32(len(w.index)))
	sum := sha1.New()
	parts := [][]byte{head, k.data[packHead : len(k.data)-sha1.Size], w.more.Bytes()}
	for _, part := range parts {
		sum.Write(part)
	}
	trailer := sum.Sum(nil)
	dir := filepath.Join(k.set.dir, "objects", "pack")
	name := filepath.Join(dir, "pack-"+hex.EncodeToString(trailer))
	if err := writeNew(name+".pack", append(parts, trailer)...); err != nil {
		return false, fmt.Errorf("cache: %w", err)
	}
	// The index last: with it the pack counts.
	index, err := w.encode(trailer)
	if err == nil {
		err = writeNew(name+".idx", index)
	}
	if err != nil {
		os.Remove(name + ".pack")
		return false, fmt.Errorf("cache: %w", err)
	}
	return true, nil
}

// complete appends a base: as it is in the pack that has it, with the deltas it
// is made of, or packed anew. A pack in which it would be twice is none of ours.
func (k *keeping) complete(w *packWriter, id oid) (bool, error) {
	b := k.bases[id]
	if k.byID[id] != nil {
		return false, nil
	}
	if w.has(id) {
		return true, nil
	}
	if n := len(b.links) - 1; n > maxLinks && n*len(b.data) > maxLinked {
		return true, w.whole(id, b.kind, b.data)
	}
	var base int64
	for i, l := range slices.Backward(b.links) {
		own := id
		if i > 0 {
			raw, err := l.p.idAt(l.off, k.r.u.ids)
			if err != nil {
				return false, nil
			}
			own = oid(raw)
		}
		if k.byID[own] != nil || w.has(own) {
			// An order of deltas that ends where it began could come of it.
			return true, w.whole(id, b.kind, b.data)
		}
		content := make([]byte, l.end-l.e.data)
		if _, err := l.p.data.ReadAt(content, l.e.data); err != nil {
			return false, nil
		}
		kind := l.e.kind
		if l.e.delta() {
			kind = entryOfsDelta
		}
		base = w.entry(own, kind, l.e.size, base, content)
	}
	return true, nil
}

// packWriter collects what is appended to a pack, and its index.
type packWriter struct {
	at    int64 // in the pack, where more begins
	more  bytes.Buffer
	index []indexed
	zip   *zlib.Writer // nil until something is packed
}

type indexed struct {
	id  oid
	at  int64
	crc uint32
}

func (w *packWriter) has(id oid) bool {
	return slices.ContainsFunc(w.index, func(x indexed) bool { return x.id == id })
}

func (w *packWriter) whole(id oid, kind int, data []byte) error {
	var z bytes.Buffer
	if w.zip == nil { // it has much memory
		w.zip = zlib.NewWriter(nil)
	}
	w.zip.Reset(&z)
	_, err := w.zip.Write(data)
	if err := errors.Join(err, w.zip.Close()); err != nil {
		return err
	}
	w.entry(id, kind, int64(len(data)), 0, z.Bytes())
	return nil
}

// entry appends one entry and returns where it begins. base is where that of an
// offset delta does.
func (w *packWriter) entry(id oid, kind int, size, base int64, content []byte) (at int64) {
	at = w.at + int64(w.more.Len())
	from := w.more.Len()
	b := byte(kind<<4) | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		w.more.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	w.more.WriteByte(b)
	if kind == entryOfsDelta {
		// The number of bytes back, in groups of seven bits, the highest first,
		// each but the last one less by one (gitformat-pack(5)).
		back := at - base
		digits := []byte{byte(back & 0x7f)}
		for back >>= 7; back > 0; back >>= 7 {
			back--
			digits = append(digits, byte(back&0x7f)|0x80)
		}
		slices.Reverse(digits)
		w.more.Write(digits)
	}
	w.more.Write(content)
	w.index = append(w.index, indexed{id, at, crc32.ChecksumIEEE(w.more.Bytes()[from:])})
	return at
}

// encode makes the index of a pack that ends with sum.
func (w *packWriter) encode(sum []byte) ([]byte, error) {
	var iw idxfile.Writer
	if err := iw.OnHeader(uint32(len(w.index))); err != nil {
		return nil, err
	}
	for _, x := range w.index {
		iw.Add(plumbing.Hash(x.id), uint64(x.at), x.crc)
	}
	if err := iw.OnFooter(plumbing.Hash(sum)); err != nil {
		return nil, err
	}
	m, err := iw.Index()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err = idxfile.NewEncoder(&out).Encode(m)
	return out.Bytes(), err
}

// writeNew writes a file as git does one of a pack: under another name first,
// synced, and read-only.
func writeNew(path string, parts ...[]byte) (err error) {
	// The name is one that sweep removes, as it does git's own.
	f, err := os.CreateTemp(filepath.Dir(path), "tmp_keep_")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	for _, part := range parts {
		if err == nil {
			_, err = f.Write(part)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o444)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// small reads a pack that may be small to its end. What it returns is the
// beginning of any other.
func small(pack io.Reader) (data []byte, whole bool, err error) {
	head := make([]byte, packHead)
	if n, err := io.ReadFull(pack, head); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil // git has something to say about it
		}
		return head[:n], false, err
	}
	if binary.BigEndian.Uint32(head[8:]) > smallCount {
		return head, false, nil
	}
	var b bytes.Buffer
	b.Write(head)
	_, err = b.ReadFrom(io.LimitReader(pack, smallPack+1-packHead))
	return b.Bytes(), err == nil && b.Len() <= smallPack, err
}
