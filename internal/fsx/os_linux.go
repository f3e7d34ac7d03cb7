package fsx

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	hasSyncFS     = true
	hasRenameFlag = true
)

// syncFS writes out the file system that holds f. Since Linux 5.8 it also
// reports write errors that happened before the call.
func syncFS(f *os.File) error {
	return withDirs(f, f, func(fd, _ int) error { return unix.Syncfs(fd) })
}

func renameExclusive(from *os.File, old string, to *os.File, new string) error {
	return withDirs(from, to, func(a, b int) error { return unix.Renameat2(a, old, b, new, unix.RENAME_NOREPLACE) })
}

func renameExchange(from *os.File, old string, to *os.File, new string) error {
	return withDirs(from, to, func(a, b int) error { return unix.Renameat2(a, old, b, new, unix.RENAME_EXCHANGE) })
}
