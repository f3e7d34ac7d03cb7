//go:build unix

package store

import (
	"io/fs"
	"syscall"
)

const hasModes = true

// linkCount returns the number of names of a file: a second one is a way to
// change it from outside the store (security 3.2 row 24).
func linkCount(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
