package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	hasSyncFS     = false
	hasRenameFlag = true
)

func syncFS(*os.File) error { return errors.ErrUnsupported }

func renameExclusive(from *os.File, old string, to *os.File, new string) error {
	return withDirs(from, to, func(a, b int) error { return unix.RenameatxNp(a, old, b, new, unix.RENAME_EXCL) })
}

func renameExchange(from *os.File, old string, to *os.File, new string) error {
	return withDirs(from, to, func(a, b int) error { return unix.RenameatxNp(a, old, b, new, unix.RENAME_SWAP) })
}
