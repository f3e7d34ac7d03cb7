package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"syscall"

	"pinion/source"
)

// lsRemote lists the refs with the given full names by way of git.
func (p *program) lsRemote(ctx context.Context, rawURL string, names []string) ([]ref, error) {
	args := []string{"ls-remote", "--quiet", "--symref", "--end-of-options", rawURL}
	for _, n := range names {
		args = append(args, n, n+"^{}")
	}
	out, err := p.output(ctx, call{allow: scheme(rawURL), args: args}, p.limits.Refs)
	if err != nil {
		return nil, transportError(rawURL, err)
	}
	var refs []ref
	byName := map[string]int{}
	head := ""
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n"), "\n") {
		id, name, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if target, ok := strings.CutPrefix(id, "ref: "); ok {
			if name == "HEAD" {
				head = target
			}
			continue
		}
		if tag, ok := strings.CutSuffix(name, "^{}"); ok {
			if i, ok := byName[tag]; ok {
				refs[i].peeled = id
			}
			continue
		}
		byName[name] = len(refs)
		refs = append(refs, ref{name: name, id: id})
	}
	if i, ok := byName["HEAD"]; ok {
		refs[i].symref = head
	}
	return refs, nil
}

// gitFetch fetches one commit without history, or with filter "tree:0" the
// whole history without content, into the repository dir. For servers that
// give no commits by id the ref it was found under is tried.
func (r *Remote) gitFetch(ctx context.Context, dir, commit, refName, filter string) error {
	args := []string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance"}
	max := r.opts.Limits.Pack
	if filter == "" {
		args = append(args, "--depth=1")
	} else {
		args = append(args, "--filter="+filter)
		max = r.opts.Limits.History
	}
	// In a pack, where the objects can be read without git.
	c := call{dir: dir, allow: scheme(r.url), maxFile: max, config: []string{"fetch.unpackLimit=1"}}
	if w := r.wire; w != nil && w.auth != "" {
		c.secret = []string{"http." + originOf(r.url) + ".extraHeader=Authorization: " + w.auth}
	}
	// The mark that git itself writes comes after its own checks.
	run := func(what string) error {
		c.args = append(args[:len(args):len(args)], "--end-of-options", r.url, "+"+what+":"+markDir+"/fetched")
		_, err := r.git.output(ctx, c, 1<<20)
		return err
	}
	err := run(commit)
	var re *runError
	if errors.As(err, &re) && refName != "" && strings.Contains(re.stderr, "unadvertised") {
		err = run(refName)
	}
	return transportError(r.url, err)
}

func originOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return rawURL
	}
	return u.Scheme + "://" + u.Host + "/"
}

// transportError sorts git's messages into the errors that callers know.
func transportError(rawURL string, err error) error {
	var re *runError
	if !errors.As(err, &re) {
		return err
	}
	for _, text := range [...]string{"not our ref", "unadvertised object", "does not exist", "not found", "couldn't find remote ref",
		"does not appear to be a git repository", "Repository not found", "Authentication failed", "could not read Username"} {
		if strings.Contains(re.stderr, text) {
			return fmt.Errorf("%w: %s: %w", source.ErrNotFound, rawURL, err)
		}
	}
	for _, text := range [...]string{"died of signal 25", "signal 25", "File too large"} {
		if strings.Contains(re.stderr, text) {
			return fmt.Errorf("%s: a pack is %w: %w", rawURL, source.ErrTooLarge, err)
		}
	}
	for text, errno := range map[string]error{"No space left on device": syscall.ENOSPC, "Disk quota exceeded": syscall.ENOSPC, "Read-only file system": syscall.EROFS} {
		if strings.Contains(re.stderr, text) {
			return fmt.Errorf("%s: keep what was fetched: %w: %w", rawURL, errno, err)
		}
	}
	if strings.Contains(re.stderr, "error: object ") {
		// git's own check of what it was sent; trying again gives the same.
		return fmt.Errorf("%s sends objects that git refuses: %w: %w", rawURL, errMalformed, err)
	}
	if strings.Contains(re.stderr, "dubious ownership") {
		return fmt.Errorf("%s belongs to another user, so git does not read it: %w", rawURL, err)
	}
	return fmt.Errorf("%w: %s: %w", source.ErrOffline, rawURL, err)
}
