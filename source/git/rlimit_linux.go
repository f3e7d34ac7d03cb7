package git

import "golang.org/x/sys/unix"

// limitFiles bounds the size of every file that the process and what it will
// start can write (security 3.3 row 51). It is a second line: packs over HTTP
// are counted while they are read.
func limitFiles(pid int, bytes int64) {
	if bytes > 0 {
		lim := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
		// It fails only when the process has ended already.
		_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &lim, nil)
	}
}
