package fsx

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const (
	canSyncDir    = false // FlushFileBuffers refuses directories
	hasSyncFS     = false
	hasRenameFlag = false
	openFlags     = 0
	lockFlags     = 0
)

func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// isOtherDisk reports that a rename would have to go to another volume.
func isOtherDisk(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }

func isNoSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func isUnsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// checkPrivate accepts everything: mode bits do not exist here, and the profile
// directory of a user is closed to others by its access list.
func checkPrivate(string, fs.FileInfo) error { return nil }

// syncFile opens for writing, which FlushFileBuffers needs, and lifts the
// read-only attribute for that time.
func syncFile(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 != 0 {
		return openAndSync(root, name, os.O_RDWR)
	}
	if err := root.Chmod(name, 0o600); err != nil {
		return err
	}
	return errors.Join(openAndSync(root, name, os.O_RDWR), root.Chmod(name, 0o400))
}

func syncFS(*os.File) error { return errors.ErrUnsupported }

func renameExclusive(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }

func renameExchange(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }

func renamePlain(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }
