package git

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// widen lets a pipe hold more, so that the two sides take turns less often.
func widen(pipe io.Reader) {
	f, ok := pipe.(*os.File)
	if !ok {
		return
	}
	if raw, err := f.SyscallConn(); err == nil {
		// It fails, and nothing is lost, when the user's pipes have used up
		// their memory (pipe(7), pipe-user-pages-soft).
		raw.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
	}
}

const pipeBytes = 512 << 10
