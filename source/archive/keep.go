package archive

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Kept is a file of a cache.
type Kept struct {
	Name string // in the cache
	Path string
}

// unfinished is how the name of a file begins that is being fetched.
const unfinished = "fetching-"

// Keep returns the file of a cache directory, which is made when it is missing,
// with the name, if it is there and good; else it fetches one, and keeps it under
// the name that fetch returns. The lock of the source is the caller's.
func Keep(cache, name string, good func(path string) bool, fetch func(w io.Writer) (name string, err error)) (Kept, error) {
	if name != "" {
		k := Kept{name, filepath.Join(cache, name)}
		if good(k.Path) {
			return k, nil
		}
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return Kept{}, fmt.Errorf("make the cache: %w", err)
	}
	// What a killed process left.
	if old, err := filepath.Glob(filepath.Join(cache, unfinished+"*")); err == nil {
		for _, p := range old {
			_ = os.Remove(p)
		}
	}
	f, err := os.CreateTemp(cache, unfinished)
	if err != nil {
		return Kept{}, fmt.Errorf("make a file in the cache: %w", err)
	}
	name, err = fetch(f)
	if cerr := f.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("keep what was fetched: %w", cerr)
	}
	k := Kept{name, filepath.Join(cache, name)}
	if err == nil {
		err = os.Rename(f.Name(), k.Path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return Kept{}, err
	}
	return k, nil
}

// hashFile gives a regular file to w.
func hashFile(path string, w io.Writer) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// Hash gives the bytes of a kept file to w.
func (k Kept) Hash(w io.Writer) error { return hashFile(k.Path, w) }
