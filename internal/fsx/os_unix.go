//go:build unix

package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	canSyncDir = true
	// openFlags keeps the open of a FIFO that took the place of a file from
	// waiting for its other end for ever.
	openFlags = unix.O_NONBLOCK
	// lockFlags: the lock library opens by path, so the link check is its open's.
	lockFlags = unix.O_NONBLOCK | unix.O_NOFOLLOW
)

func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }

// isOtherDisk reports that a rename would have to go to another file system.
func isOtherDisk(err error) bool { return errors.Is(err, unix.EXDEV) }

func isNoSpace(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// isUnsupported reports that the file system or the kernel does not have the
// call, so the portable way must do.
func isUnsupported(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP)
}

// checkPrivate refuses what another user owns or could have written.
func checkPrivate(path string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return insecure(path,
			fmt.Sprintf("belongs to user %d, and this process runs as user %d", st.Uid, os.Geteuid()),
			"run pinion as the owner (not with sudo), or set PINION_HOME to a directory of your own")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return insecure(path,
			fmt.Sprintf("can be written by other users (mode %04o)", info.Mode().Perm()),
			fmt.Sprintf("check that its content is what you expect, then run: chmod go-w %q", path))
	}
	return nil
}

func syncFile(root *os.Root, name string) error { return openAndSync(root, name, os.O_RDONLY) }

// withDirs runs f with the handles of two directories, again after EINTR.
func withDirs(from, to *os.File, f func(from, to int) error) error {
	fromConn, err := from.SyscallConn()
	if err != nil {
		return err
	}
	toConn, err := to.SyscallConn()
	if err != nil {
		return err
	}
	var opErr error
	err = fromConn.Control(func(a uintptr) {
		err := toConn.Control(func(b uintptr) {
			for {
				opErr = f(int(a), int(b))
				if !errors.Is(opErr, unix.EINTR) {
					return
				}
			}
		})
		if err != nil {
			opErr = err
		}
	})
	return errors.Join(err, opErr)
}

// renamePlain is rename(2), which replaces an empty directory.
func renamePlain(from *os.File, old string, to *os.File, new string) error {
	return withDirs(from, to, func(a, b int) error { return unix.Renameat(a, old, b, new) })
}
