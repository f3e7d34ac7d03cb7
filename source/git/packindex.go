package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
)

// pack is one pack and its index, in version 2 of both formats
// (gitformat-pack(5)).
type pack struct {
	data  *os.File
	end   int64 // where the objects end
	idLen int64 // bytes of an object id

	index  *os.File // nil when it is held in memory
	held   []byte
	size   int64 // of the index
	fanout [256]uint32
}

const (
	packHead   = 12        // bytes before the first object
	indexHead  = 8 + 256*4 // bytes before the ids
	smallIndex = 256 << 10 // bytes up to which an index is read at once
	idWindow   = 16 << 10  // bytes of ids that are read at once
	largeBit   = 1 << 31   // of an offset that stands in the table of large ones
)

// openPack opens name.pack and name.idx. It errors with errMalformed when they
// are not what git writes, or do not belong together.
func openPack(name string, idLen int, maxObjects uint32) (*pack, error) {
	p := &pack{idLen: int64(idLen)}
	var err error
	if p.data, err = os.Open(name + ".pack"); err != nil {
		return nil, err
	}
	if p.index, err = os.Open(name + ".idx"); err != nil {
		p.close()
		return nil, err
	}
	if err = p.readIndex(maxObjects); err == nil {
		err = p.readEnds()
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return p, nil
}

func (p *pack) close() error {
	var err error
	for _, f := range [...]*os.File{p.data, p.index} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

func (p *pack) count() int64 { return int64(p.fanout[255]) }

// readIndex reads the beginning of the index and, of a small one, all of it.
func (p *pack) readIndex(maxObjects uint32) error {
	info, err := p.index.Stat()
	if err != nil {
		return err
	}
	if p.size = info.Size(); p.size < indexHead {
		return errMalformed
	}
	head := make([]byte, indexHead)
	if p.size <= smallIndex {
		head = make([]byte, p.size)
	}
	if _, err := p.index.ReadAt(head, 0); err != nil {
		return err
	}
	if string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return fmt.Errorf("the index: %w", errMalformed)
	}
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if i > 0 && p.fanout[i] < p.fanout[i-1] || p.fanout[i] > maxObjects {
			return fmt.Errorf("the index: %w", errMalformed)
		}
	}
	if p.size < indexHead+p.count()*(p.idLen+8)+2*p.idLen {
		return fmt.Errorf("the index is cut off: %w", errMalformed)
	}
	if int64(len(head)) == p.size {
		p.held = head
		err, p.index = p.index.Close(), nil
	}
	return err
}

// part returns n bytes of the index, in buf unless the index is held.
func (p *pack) part(buf []byte, at, n int64) ([]byte, error) {
	switch {
	case at < 0 || at+n > p.size:
		return nil, fmt.Errorf("%w: the index of a pack points out of itself", errCorrupt)
	case p.held != nil:
		return p.held[at : at+n], nil
	}
	if _, err := p.index.ReadAt(buf[:n], at); err != nil {
		return nil, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return buf[:n], nil
}

// readEnds compares the first and the last bytes of the pack with the index.
func (p *pack) readEnds() error {
	info, err := p.data.Stat()
	if err != nil {
		return err
	}
	if p.end = info.Size() - p.idLen; p.end < packHead {
		return fmt.Errorf("the pack is cut off: %w", errMalformed)
	}
	head, sum := make([]byte, packHead), make([]byte, p.idLen)
	if _, err := p.data.ReadAt(head, 0); err != nil {
		return err
	}
	if _, err := p.data.ReadAt(sum, p.end); err != nil {
		return err
	}
	stated, err := p.part(make([]byte, p.idLen), p.size-2*p.idLen, p.idLen)
	if err != nil {
		return err
	}
	if string(head[:8]) != "PACK\x00\x00\x00\x02" || int64(binary.BigEndian.Uint32(head[8:])) != p.count() || !bytes.Equal(sum, stated) {
		return fmt.Errorf("the pack is not that of its index: %w", errMalformed)
	}
	return nil
}

// find returns where the object with the id begins, 0 when it is not in the
// pack. buf has at least idWindow bytes.
func (p *pack) find(id, buf []byte) (int64, error) {
	lo, hi := int64(0), int64(p.fanout[id[0]])
	if id[0] > 0 {
		lo = int64(p.fanout[id[0]-1])
	}
	// Ids are hashes, so a window around the middle is nearly always the last.
	for lo < hi {
		n := min(hi-lo, idWindow/p.idLen)
		at := lo + (hi-lo-n)/2
		ids, err := p.part(buf, indexHead+at*p.idLen, n*p.idLen)
		if err != nil {
			return 0, err
		}
		nth := func(i int) []byte { return ids[int64(i)*p.idLen:][:p.idLen] }
		i := sort.Search(int(n), func(i int) bool { return bytes.Compare(nth(i), id) >= 0 })
		switch {
		case i == int(n):
			lo = at + n
		case bytes.Equal(nth(i), id):
			return p.offset(at+int64(i), buf)
		case i > 0:
			return 0, nil
		default:
			hi = at
		}
	}
	return 0, nil
}

// offset returns where the nth object of the index begins.
func (p *pack) offset(n int64, buf []byte) (int64, error) {
	table := indexHead + p.count()*(p.idLen+4)
	b, err := p.part(buf, table+4*n, 4)
	if err != nil {
		return 0, err
	}
	off := int64(binary.BigEndian.Uint32(b))
	if off&largeBit != 0 {
		if b, err = p.part(buf, table+4*p.count()+8*(off&^largeBit), 8); err != nil {
			return 0, err
		}
		off = int64(binary.BigEndian.Uint64(b))
	}
	if off < packHead || off >= p.end {
		return 0, fmt.Errorf("%w: an object outside of its pack", errCorrupt)
	}
	return off, nil
}

// idAt returns the id of the object that begins at off. It looks at all of them.
func (p *pack) idAt(off int64, buf []byte) ([]byte, error) {
	const most = idWindow / 4
	for at := int64(0); at < p.count(); at += most {
		n := min(most, p.count()-at)
		offsets, err := p.part(buf, indexHead+p.count()*(p.idLen+4)+4*at, 4*n)
		if err != nil {
			return nil, err
		}
		for i := range n {
			// Offsets above 2 GiB are elsewhere, and in packs that are not small.
			if int64(binary.BigEndian.Uint32(offsets[4*i:])) == off {
				return p.part(buf, indexHead+(at+i)*p.idLen, p.idLen)
			}
		}
	}
	return nil, errMalformed
}
