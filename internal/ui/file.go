package ui

import (
	"os"
	"path/filepath"
)

// replaceFile writes a report beside name and renames it over name, so that a
// CI step that reads it early sees the old one or the whole new one.
func replaceFile(name string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The error of the write is the one to report.
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		_ = f.Close()
		return err
	}
	// CreateTemp makes a private file; a report is for other steps and users.
	// Windows knows no such bits and ignores them.
	if err = f.Chmod(0o644); err != nil {
		_ = f.Close()
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
