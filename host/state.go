package host

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"pinion/internal/fsx"
)

// Limits on what is read of a host's own state. A host that has more is
// reported, never read in part.
const (
	MaxState   = 16 << 20 // bytes of one file
	MaxEntries = 20_000   // names in one directory
	maxRef     = 4 << 10  // bytes of one file below .git
)

// ErrTooMany is a directory with more than [MaxEntries] names.
var ErrTooMany = errors.New("more entries than are read")

// Look reports a host as present when its directory is there, or else its program
// is on PATH.
func Look(dir, program string) Presence {
	_, err := os.Stat(dir)
	if err != nil {
		_, err = exec.LookPath(program)
	}
	return Presence{Found: err == nil, Dir: dir}
}

// ReadState returns a file that a host keeps, by its slash path below dir, of
// at most limit bytes. It is fs.ErrNotExist when the directory or the file is
// not there; a file that is a link or no regular file is refused.
func ReadState(dir, name string, limit int64) ([]byte, error) {
	d, err := fsx.OpenDir(dir, fsx.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadFile(name, limit)
}

// ListState returns the names in a directory that a host keeps, sorted. One that
// is not there has none.
func ListState(dir string) ([]fs.DirEntry, error) {
	d, err := fsx.OpenDir(dir, fsx.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	list, err := d.ReadDir(".")
	if err == nil && len(list) > MaxEntries {
		return nil, ErrTooMany
	}
	return list, err
}

// GitHead returns the commit that a clone has checked out, and the full name of
// its branch, "" when there is none. It reads the files of .git; no program
// runs. A .git that is a file is not followed: it could lead anywhere. Without a
// commit the result is "".
func GitHead(clone string) (commit, ref string) {
	d, err := fsx.OpenDir(clone, fsx.Options{})
	if err != nil {
		return "", ""
	}
	defer d.Close()
	head, err := d.ReadFile(".git/HEAD", maxRef)
	if err != nil {
		return "", ""
	}
	text := strings.TrimSpace(string(head))
	name, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		return hexCommit(text), ""
	}
	name = strings.TrimSpace(name)
	if !strings.HasPrefix(name, "refs/") || !fs.ValidPath(name) {
		return "", ""
	}
	if data, err := d.ReadFile(path.Join(".git", name), maxRef); err == nil {
		return hexCommit(strings.TrimSpace(string(data))), name
	}
	packed, err := d.ReadFile(".git/packed-refs", MaxState)
	if err != nil {
		return "", ""
	}
	for line := range strings.Lines(string(packed)) {
		if id, of, ok := strings.Cut(strings.TrimSpace(line), " "); ok && of == name {
			return hexCommit(id), name
		}
	}
	return "", ""
}

// hexCommit returns s when it is a whole commit id, else "".
func hexCommit(s string) string {
	if len(s) != 40 && len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}

// IsOurs reports whether a path is a link that leads into Pinion's home. It is
// not followed.
func (p Place) IsOurs(name string) bool {
	target, err := os.Readlink(name)
	return err == nil && p.Owns(target)
}

// Owns reports whether an absolute path lies in Pinion's home.
func (p Place) Owns(name string) bool {
	if p.Base == "" || !filepath.IsAbs(name) {
		return false
	}
	rel, err := filepath.Rel(p.Base, name)
	return err == nil && filepath.IsLocal(rel)
}

// Words joins what was counted for a sentence: "hooks", "hooks and agents",
// "hooks, agents and programs".
func Words(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}
