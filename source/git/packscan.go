package git

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// scanPack reads a pack for the sizes of its objects before go-git works them
// out, which it does in memory and cannot be stopped at: a delta of a few bytes
// can stand for terabytes (security 3.3 row 53). It errors when one object is
// larger than each, or all together than total; both are bytes.
func scanPack(pack io.Reader, each, total int64) error {
	s := packfile.NewScanner(pack)
	_, count, err := s.Header()
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	for range count {
		h, err := s.NextObjectHeader()
		if err != nil {
			return fmt.Errorf("pack: %w", err)
		}
		size := h.Length
		if size < 0 || size > each {
			return fmt.Errorf("pack: an object has %d bytes, the limit is %d: %w", size, each, errMalformed)
		}
		var head deltaHead
		if _, _, err := s.NextObject(&head); err != nil {
			return fmt.Errorf("pack: %w", err)
		}
		if h.Type == plumbing.OFSDeltaObject || h.Type == plumbing.REFDeltaObject {
			if size, err = head.target(); err != nil {
				return fmt.Errorf("pack: %w", err)
			}
			if size > each {
				return fmt.Errorf("pack: a delta stands for %d bytes, the limit is %d: %w", size, each, errMalformed)
			}
		}
		if total -= size; total < 0 {
			return fmt.Errorf("pack: its objects together are larger than the limit: %w", errMalformed)
		}
	}
	return nil
}

// deltaHead keeps the beginning of a delta, which states two sizes, and drops
// the rest.
type deltaHead struct {
	data [20]byte // two numbers of at most ten bytes
	n    int
}

func (d *deltaHead) Write(b []byte) (int, error) {
	d.n += copy(d.data[d.n:], b)
	return len(b), nil
}

// errDelta is a delta whose sizes cannot be read.
var errDelta = errors.New("a delta does not begin with its sizes")

// target returns the size of the object that the delta stands for: the second
// of two numbers in groups of seven bits, the lowest first.
func (d *deltaHead) target() (int64, error) {
	rest := d.data[:d.n]
	var size int64
	for range 2 {
		size = 0
		for shift := 0; ; shift += 7 {
			if len(rest) == 0 || shift > 56 {
				return 0, errDelta
			}
			b := rest[0]
			rest = rest[1:]
			size |= int64(b&0x7f) << shift
			if b&0x80 == 0 {
				break
			}
		}
	}
	return size, nil
}
