package git

import "golang.org/x/sys/unix"

// limitProcess bounds what the process and what it will start can take: the
// memory, and when maxFile is not 0 the size of every file written (security 3.3
// rows 51 and 53). The second is a second line: packs over HTTP are counted while
// they are read. The first is the only one against a delta of a few bytes that
// stands for an object of many gigabytes, for which git takes memory in one
// piece.
func limitProcess(pid int, maxFile int64) {
	set := func(resource int, bytes int64) {
		lim := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
		// It fails only when the process has ended already.
		_ = unix.Prlimit(pid, resource, &lim, nil)
	}
	set(unix.RLIMIT_DATA, maxMemory)
	if maxFile > 0 {
		set(unix.RLIMIT_FSIZE, maxFile)
	}
}
