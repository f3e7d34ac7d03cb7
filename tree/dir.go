package tree

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// Errors of the directory reader.
var (
	// ErrNotDirectory is a path that is not a directory, or that is reached
	// through a symbolic link.
	ErrNotDirectory = errors.New("not a directory")
	// ErrNotRegular is a path that is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge is a file above the limit given for it.
	ErrTooLarge = errors.New("larger than the limit")
)

// ResolveLink returns what the target of the symbolic link means, both from the
// root of the repository, or why it cannot be copied. It is purely lexical;
// whoever opens the result does so without following links.
func ResolveLink(link, target string) (resolved, why string) {
	switch {
	case target == "":
		return "", "its target is empty or too long"
	case target[0] == '/' || strings.Contains(target, `\`) || len(target) > 1 && target[1] == ':':
		return "", "its target is an absolute path"
	}
	joined := path.Join(path.Dir(link), target)
	if joined == ".." || strings.HasPrefix(joined, "../") {
		return "", "its target lies outside the repository"
	}
	if !fs.ValidPath(joined) {
		return "", "its target is not a valid path"
	}
	for part := range strings.SplitSeq(joined, "/") {
		if isGitDir(part) {
			return "", "its target lies in git's own directory"
		}
	}
	return joined, ""
}

func join(dir, name string) string {
	if dir == "" || dir == "." {
		return name
	}
	return dir + "/" + name
}
