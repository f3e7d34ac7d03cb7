package author

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Change is one file of several that change together.
type Change struct {
	Path string // from the directory, slash-separated
	// Data is the new content, nil for a file that is removed.
	Data []byte
	Exec bool
}

// ReplaceAll makes, replaces and removes files below dir: all of them, or none
// when it returns an error. All new contents are on the disk before the first
// file changes. Directories are made as needed, and removed when nothing is left
// in them. Links are not followed: a file or directory that is one is refused.
func ReplaceAll(dir string, changes []Change) (err error) {
	if len(changes) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made, err := makeParents(root, changes)
	defer func() {
		if err != nil {
			removeEmpty(root, made)
		}
	}()
	if err != nil {
		return err
	}
	var edits []edit
	for _, c := range changes {
		e := edit{path: c.Path, new: c.Data, exec: c.Exec, remove: c.Data == nil}
		old, err := readRegular(root, c.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.create = true
		case err != nil:
			return fmt.Errorf("replace %s: %w", c.Path, err)
		}
		if e.old = old; e.remove && e.create {
			continue
		}
		edits = append(edits, e)
	}
	if err := (&replacement{root: root}).run(edits); err != nil {
		return err
	}
	var left []string
	for _, c := range changes {
		if c.Data == nil {
			left = append(left, parents(c.Path)...)
		}
	}
	removeEmpty(root, left)
	return nil
}

// readRegular reads a file that is no link.
func readRegular(root *os.Root, name string) ([]byte, error) {
	st, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return root.ReadFile(name)
}

// makeParents makes the directories that files are written in, and returns
// those that were not there.
func makeParents(root *os.Root, changes []Change) (made []string, err error) {
	for _, c := range changes {
		if c.Data == nil {
			continue
		}
		all := parents(c.Path)
		slices.Reverse(all) // from the top
		for _, p := range all {
			st, err := root.Lstat(p)
			switch {
			case err == nil && st.IsDir():
				continue
			case err == nil:
				return made, fmt.Errorf("write %s: %s is not a directory", c.Path, p)
			case !errors.Is(err, fs.ErrNotExist):
				return made, err
			}
			if err := root.Mkdir(p, 0o755); err != nil {
				return made, err
			}
			made = append(made, p)
		}
	}
	return made, nil
}

// parents returns the directories above a file, the nearest first.
func parents(name string) (out []string) {
	for p := path.Dir(name); p != "."; p = path.Dir(p) {
		out = append(out, p)
	}
	return out
}

// removeEmpty removes directories in which nothing is left, deepest first.
func removeEmpty(root *os.Root, dirs []string) {
	dirs = slices.Clone(dirs)
	slices.SortFunc(dirs, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, d := range slices.Compact(dirs) {
		_ = root.Remove(d) // one that is not empty stays
	}
}

// unchanged reports whether what is to be replaced is still what was read.
func (r *replacement) unchanged(e edit) (fs.FileMode, error) {
	if e.create {
		if _, err := r.root.Lstat(e.path); !errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("write %s: it appeared in the meantime", e.path)
		}
		return 0o644, nil
	}
	st, err := r.root.Lstat(e.path)
	if err != nil {
		return 0, err
	}
	now, err := r.root.ReadFile(e.path)
	if err != nil {
		return 0, err
	}
	if !st.Mode().IsRegular() || !bytes.Equal(now, e.old) {
		return 0, fmt.Errorf("replace %s: it changed in the meantime", e.path)
	}
	return st.Mode().Perm(), nil
}
