//go:build linux

package tree

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// maxKnown is how many paths a [Scratch] remembers, and maxKnownPath how
	// many bytes one of them may have. Packages of one kind have much the same
	// names; a repository in which all differ costs no more memory than this.
	maxKnown     = 4096
	maxKnownPath = 128
	// maxKeptEntries bounds the listing that is kept for the next package.
	maxKeptEntries = 8192
)

// pathz is a path with a NUL after it, so that the system can be handed any end
// of it without a copy.
type pathz struct{ s string }

func newPathz(path []byte) pathz {
	b := make([]byte, len(path)+1)
	copy(b, path)
	return pathz{unsafe.String(&b[0], len(b))} // b is not used again
}

// path is the text without the NUL.
func (p pathz) path() string { return p.s[:len(p.s)-1] }

// known is a path that was met before, and whether [plainName] holds for it.
type known struct {
	pathz
	plain bool
}

// dirent is one name in a directory. Its path is that of the package.
type dirent struct {
	known
	name int // where the name begins in the path
	typ  byte
}

// know returns the path for text, without allocating when it was met before.
func (s *Scratch) know(text []byte) known {
	if k, ok := s.known[string(text)]; ok {
		return k
	}
	z := newPathz(text)
	k := known{z, plainName(z.path())}
	if len(text) > maxKnownPath {
		return k
	}
	if s.known == nil {
		s.known = map[string]known{}
	} else if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[z.path()] = k
	return k
}

// readEntries lists fd, whose path in the package is dir, "" for the top. The
// entries are s.ents[from:to], sorted by name; whoever is done with them cuts
// s.ents back to from.
func readEntries(fd int, dir string, s *Scratch) (from, to int, err error) {
	from = len(s.ents)
	prefix := append(s.path[:0], dir...)
	if dir != "" {
		prefix = append(prefix, '/')
	}
	name := len(prefix)
	err = readDir(fd, s, MaxEntries, func(raw []byte, typ byte) {
		s.path = append(prefix, raw...)
		s.ents = append(s.ents, dirent{s.know(s.path), name, typ})
	})
	if err != nil {
		s.ents = s.ents[:from]
		return from, from, err
	}
	// All begin with the same directory, so this is the order of the names.
	slices.SortFunc(s.ents[from:], func(a, b dirent) int { return strings.Compare(a.s, b.s) })
	return from, len(s.ents), nil
}

// readDir calls add for each name in fd but "." and "..", at most limit. The
// name is valid during the call.
func readDir(fd int, s *Scratch, limit int, add func(name []byte, typ byte)) error {
	if s.dents == nil {
		s.dents = make([]byte, 32<<10)
	}
	count := 0
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(fd, s.dents) })
		if err != nil || n == 0 {
			return err
		}
		for rest := s.dents[:n]; len(rest) > 0; {
			d := (*unix.Dirent)(unsafe.Pointer(&rest[0]))
			raw := rest[unsafe.Offsetof(unix.Dirent{}.Name):d.Reclen]
			rest = rest[d.Reclen:]
			if i := bytes.IndexByte(raw, 0); i >= 0 {
				raw = raw[:i]
			}
			if string(raw) == "." || string(raw) == ".." {
				continue
			}
			if count++; count > limit {
				return fmt.Errorf("more than %d names in one directory", limit)
			}
			add(raw, d.Type)
		}
	}
}

// openEntry opens the name that e has in the directory at, unless it is a link.
// [unix.Openat] would copy the name for each of 18 calls a package.
func openEntry(at int, e *dirent, flags int) (int, error) {
	return retry(func() (int, error) {
		name := unsafe.Pointer(unsafe.StringData(e.s[e.name:])) // ends with a NUL
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(at), uintptr(name), uintptr(flags|unix.O_NOFOLLOW|unix.O_LARGEFILE), 0, 0, 0)
		if errno != 0 {
			return -1, errno
		}
		return int(fd), nil
	})
}
