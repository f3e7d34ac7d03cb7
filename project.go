package pinion

import (
	"os"
	"path/filepath"
)

// projectMarks make a directory the root of a project.
var projectMarks = []string{".pinion", ".smooth", ".shiro", ".git"}

// Project returns the root that project scope means. Without one it is a
// [*UsageError].
func (c *Client) Project() (string, error) { return c.projectRoot() }

// projectRoot returns the root of the project: the given one, PINION_PROJECT,
// or the nearest directory at or above the current one with a mark, never at
// or above the user's home.
func (c *Client) projectRoot() (string, error) {
	if p := c.o.Project; p != "" {
		return c.abs(p), nil
	}
	if p := c.o.Getenv("PINION_PROJECT"); p != "" {
		return c.abs(p), nil
	}
	home := c.o.Getenv("HOME")
	for d := c.o.Cwd; d != home; d = filepath.Dir(d) {
		for _, mark := range projectMarks {
			if _, err := os.Lstat(filepath.Join(d, mark)); err == nil {
				return d, nil
			}
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	return "", usage("make one with: mkdir .pinion; or set PINION_PROJECT", "there is no project at or above %s", c.o.Cwd)
}

// projectOrNone is the project for reading, "" when there is none.
func (c *Client) projectOrNone() string {
	p, err := c.projectRoot()
	if err != nil {
		return ""
	}
	return p
}

func (c *Client) abs(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(c.o.Cwd, p)
}
