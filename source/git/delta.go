package git

import "fmt"

// patchDelta makes the object that a delta stands for out of its base
// (gitformat-pack(5), "Deltified representation"). The size that the delta
// states is what is allocated, unless buf is as large: the caller has compared it
// with a limit.
func patchDelta(buf, base, delta []byte) ([]byte, error) {
	from, rest, ok := deltaSize(delta)
	if !ok || from != uint64(len(base)) {
		return nil, fmt.Errorf("a delta is against another base: %w", errMalformed)
	}
	size, rest, ok := deltaSize(rest)
	if !ok {
		return nil, errDelta
	}
	out := buf[:0]
	if uint64(cap(out)) < size {
		out = make([]byte, 0, size)
	}
	for len(rest) > 0 {
		op := rest[0]
		rest = rest[1:]
		var part []byte
		if op&0x80 != 0 {
			// The bits say which bytes of the offset and of the size follow.
			var v [7]uint64
			for i := range v {
				if op>>i&1 == 0 {
					continue
				}
				if len(rest) == 0 {
					return nil, errCut
				}
				v[i], rest = uint64(rest[0]), rest[1:]
			}
			at, n := v[0]|v[1]<<8|v[2]<<16|v[3]<<24, v[4]|v[5]<<8|v[6]<<16
			if n == 0 {
				n = 0x10000
			}
			if at+n > uint64(len(base)) {
				return nil, errCut
			}
			part = base[at : at+n]
		} else {
			n := int(op)
			if n == 0 || n > len(rest) {
				return nil, errCut
			}
			part, rest = rest[:n], rest[n:]
		}
		if uint64(len(out)+len(part)) > size {
			return nil, errCut
		}
		out = append(out, part...)
	}
	if uint64(len(out)) != size {
		return nil, errCut
	}
	return out, nil
}

// errCut is a delta whose instructions do not fit its base or its sizes.
var errCut = fmt.Errorf("a delta does not fit: %w", errMalformed)

// deltaSize reads one of the two numbers that a delta begins with.
func deltaSize(b []byte) (n uint64, rest []byte, ok bool) {
	for i, c := range b {
		if i > 8 {
			break
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}
