package author

import (
	"os"
	"path/filepath"
)

// DefaultDir returns where a new package goes when the author names no place:
// plugins/ID of the git repository that cwd lies in, else ID in cwd.
func DefaultDir(cwd, id string) string {
	repo, ok := repository(cwd)
	if !ok {
		return filepath.Join(cwd, id)
	}
	return filepath.Join(repo, "plugins", id)
}

// repository returns the nearest directory at or above dir that holds .git, a
// directory or the file of a worktree.
func repository(dir string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
