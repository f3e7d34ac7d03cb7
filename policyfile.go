package pinion

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinion/policy"
	"pinion/problem"
	"pinion/scan/checks"
)

// configDir is $XDG_CONFIG_HOME/pinion, else ~/.config/pinion; "" without
// either. It belongs to the user: nothing of a package or project is read there.
func (c *Client) configDir() string {
	if x := c.o.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "pinion")
	}
	if h := c.o.Getenv("HOME"); filepath.IsAbs(h) {
		return filepath.Join(h, ".config", "pinion")
	}
	return ""
}

// policies returns the user's policy and, where a project is meant, that of the
// project; nil for one that is not there. A policy with mistakes is a
// [*problem.ContentError]: the line with the mistake may be the one that
// forbids, so nothing is decided by the rest.
func (c *Client) policies(project string) (user, proj *policy.Policy, err error) {
	if dir := c.configDir(); dir != "" {
		if user, err = readUserPolicy(dir); err != nil {
			return nil, nil, err
		}
	}
	if project != "" {
		if proj, err = readProjectPolicy(project); err != nil {
			return nil, nil, err
		}
	}
	return user, proj, nil
}

const policyFile = "policy.toml"

// readUserPolicy reads the user's policy. It may be a link, as some people keep
// their settings; one that leads nowhere is not a policy that says nothing.
func readUserPolicy(dir string) (*policy.Policy, error) {
	file := filepath.Join(dir, policyFile)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range []string{filepath.Dir(dir), dir, file} {
			if _, err := os.Lstat(name); err != nil {
				break
			}
			if _, err := os.Stat(name); err != nil {
				return nil, &BlockedError{Msg: name + " is a link that leads nowhere, so it is not known what your policy says"}
			}
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := checkPolicy(file, info); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	return parsePolicy(f, file, false)
}

// readProjectPolicy reads the policy of a project, which somebody else wrote: no
// link is followed, so that no other file of the user is read and shown.
func readProjectPolicy(project string) (*policy.Policy, error) {
	at := filepath.Join(project, ".pinion")
	info, err := os.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, &BlockedError{Msg: at + " is a link; a project's policy is read from a directory of the project"}
	}
	file := filepath.Join(at, policyFile)
	if info, err = os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := checkPolicy(file, info); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, &BlockedError{Msg: file + " was replaced while it was opened"}
	}
	return parsePolicy(f, file, true)
}

// checkPolicy looks before a file is opened: a pipe would wait for a writer, and
// what is no regular file could be read without end.
func checkPolicy(file string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() || info.Size() > policy.MaxBytes {
		return &BlockedError{Msg: file + " is no policy: a regular file of at most 1 MiB is read"}
	}
	return nil
}

func parsePolicy(f *os.File, file string, project bool) (*policy.Policy, error) {
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, policy.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > policy.MaxBytes {
		return nil, &BlockedError{Msg: file + " is no policy: a regular file of at most 1 MiB is read"}
	}
	p, problems := policy.Parse(file, data, project)
	if problems.HasErrors() {
		return nil, &problem.ContentError{Problems: problems}
	}
	for _, s := range p.Scanners() {
		if ownGroup(s.Name) {
			return nil, &BlockedError{Msg: file + ": a scanner cannot be called " + s.Name + ": that is how Pinion's own rules begin"}
		}
	}
	return p, nil
}

// ownGroup reports whether rules of ours begin with a name. A finding of another
// scanner must not look like one of them.
func ownGroup(name string) bool {
	return slices.ContainsFunc(checks.Rules(), func(r problem.Rule) bool { return strings.HasPrefix(r.ID, name+"/") })
}
