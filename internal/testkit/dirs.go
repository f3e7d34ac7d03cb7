package testkit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// FastDir is a temporary directory in memory where there is one, for tests that
// sync thousands of times. Read-only trees in it are no obstacle to its removal.
func FastDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "pinion-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() {
		if err := RemoveTree(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// RemoveTree removes a tree in which directories may be read-only.
func RemoveTree(dir string) error {
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(p, 0o700)
		}
		return nil // what cannot be read is reported by the removal
	})
	return errors.Join(err, os.RemoveAll(dir))
}

// CopyTree copies files, directories and links with their modes.
func CopyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := copyTree(from, to); err != nil {
		t.Fatal(err)
	}
}

func copyTree(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		return errors.Join(err, os.Symlink(target, to))
	case !info.IsDir():
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(to, data, 0o600), os.Chmod(to, info.Mode()))
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	// Last, or nothing could be made inside a read-only directory.
	return os.Chmod(to, info.Mode())
}
