package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pinion/source"
)

// Resolve returns the commit that a revision means. It errors with
// source.ErrNotFound when there is none.
func (l *Local) Resolve(ctx context.Context, rev string) (string, error) {
	if rev == "" || rev[0] == '-' || strings.ContainsAny(rev, "\x00\n") {
		return "", &source.SpecError{Text: rev, Why: "is not a revision", Hint: "use HEAD, a branch, a tag or a commit"}
	}
	out, err := l.git.output(ctx, l.call("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"), 4<<10)
	var re *runError
	if err != nil && !errors.As(err, &re) {
		return "", err
	}
	if commit := strings.TrimSpace(string(out)); err == nil && source.IsCommit(commit) {
		return commit, nil
	}
	return "", fmt.Errorf("%w: %s has no commit %q", source.ErrNotFound, l.top, rev)
}

// MergeBase returns the best common ancestor of two commits, "" when there is
// none, or none that a shallow clone knows.
func (l *Local) MergeBase(ctx context.Context, a, b string) (string, error) {
	for _, c := range []string{a, b} {
		if !source.IsCommit(c) {
			return "", &source.SpecError{Text: c, Why: "is not a commit"}
		}
	}
	out, err := l.git.output(ctx, l.call("merge-base", a, b), 4<<10)
	var re *runError
	if errors.As(err, &re) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	commit, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return commit, nil
}

// Changed returns the files of the work tree, from its top and sorted, that are
// not what a commit has: changed, added, removed, untracked ones included and
// ignored ones not. A renamed file is a removed and an added one. Filters are
// not run, so a file that a filter changes counts as changed.
func (l *Local) Changed(ctx context.Context, commit string) ([]string, error) {
	if !source.IsCommit(commit) {
		return nil, &source.SpecError{Text: commit, Why: "is not a commit"}
	}
	off, err := l.noFilters(ctx)
	if err != nil {
		return nil, err
	}
	diff := l.call("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", commit, "--")
	diff.config = off
	if v := l.AutoCRLF(ctx); v != "" {
		diff.config = append(diff.config, "core.autocrlf="+v)
	}
	others := l.call("ls-files", "--others", "--exclude-standard", "-z", "--full-name")
	var paths []string
	for _, c := range []call{diff, others} {
		out, err := l.git.output(ctx, c, maxListing)
		if err != nil {
			return nil, err
		}
		for p := range strings.SplitSeq(string(out), "\x00") {
			if p != "" {
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// Shallow reports whether the clone lacks a part of its history.
func (l *Local) Shallow(ctx context.Context) (bool, error) {
	out, err := l.git.output(ctx, l.call("rev-parse", "--is-shallow-repository"), 4<<10)
	return strings.TrimSpace(string(out)) == "true", err
}

// Parents returns the parents that a commit names, those too that a shallow
// clone lacks.
func (l *Local) Parents(ctx context.Context, commit string) ([]string, error) {
	if !source.IsCommit(commit) {
		return nil, &source.SpecError{Text: commit, Why: "is not a commit"}
	}
	out, err := l.git.output(ctx, l.call("cat-file", "commit", commit), 16<<20)
	if err != nil {
		return nil, err
	}
	var parents []string
	for line := range strings.Lines(string(out)) {
		if line == "\n" {
			break // what follows is the message, which may say anything
		}
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "parent "); ok && source.IsCommit(id) {
			parents = append(parents, id)
		}
	}
	return parents, nil
}

// Links returns the symbolic links that the index records, from the top of the
// work tree.
func (l *Local) Links(ctx context.Context) ([]string, error) {
	out, err := l.git.output(ctx, l.call("ls-files", "--stage", "-z", "--full-name"), maxListing)
	if err != nil {
		return nil, err
	}
	var links []string
	for record := range strings.SplitSeq(string(out), "\x00") {
		if head, path, ok := strings.Cut(record, "\t"); ok && strings.HasPrefix(head, "120000 ") {
			links = append(links, path)
		}
	}
	return links, nil
}

// FetchBranch fetches a branch of the remote "origin" into refs/remotes/origin:
// in a shallow clone its newest commit alone, else with its history, since a
// clone that has everything must not become shallow. The repository's own
// settings for the remote count, since they hold its credentials; none of them
// can name a program.
func (l *Local) FetchBranch(ctx context.Context, branch string) error {
	if why, hint := source.RefProblem(branch); why != "" {
		return &source.SpecError{Text: branch, Why: why, Hint: hint}
	}
	if err := l.fetchTip(ctx, tracking(branch)); err != nil {
		return fmt.Errorf("fetch the branch %s of origin: %w", branch, err)
	}
	return nil
}

// FetchCommit is FetchBranch for a commit of origin, which gets no name.
func (l *Local) FetchCommit(ctx context.Context, commit string) error {
	if !source.IsCommit(commit) {
		return &source.SpecError{Text: commit, Why: "is not a commit"}
	}
	if err := l.fetchTip(ctx, commit); err != nil {
		return fmt.Errorf("fetch %s of origin: %w", commit, err)
	}
	return nil
}

// Deepen adds n commits of history to a shallow clone, for a branch of origin
// and a commit.
func (l *Local) Deepen(ctx context.Context, n int, branch, commit string) error {
	if why, hint := source.RefProblem(branch); why != "" {
		return &source.SpecError{Text: branch, Why: why, Hint: hint}
	}
	if !source.IsCommit(commit) {
		return &source.SpecError{Text: commit, Why: "is not a commit"}
	}
	return l.fetch(ctx, []string{fmt.Sprintf("--deepen=%d", n)}, tracking(branch), commit)
}

func tracking(branch string) string {
	return "+refs/heads/" + branch + ":refs/remotes/origin/" + branch
}

func (l *Local) fetchTip(ctx context.Context, what string) error {
	shallow, err := l.Shallow(ctx)
	if err != nil {
		return err
	}
	if shallow {
		return l.fetch(ctx, []string{"--depth=1"}, what)
	}
	return l.fetch(ctx, nil, what)
}

// fetch gets refs or commits of origin.
func (l *Local) fetch(ctx context.Context, depth []string, what ...string) error {
	args := slices.Concat([]string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"}, depth,
		[]string{"--upload-pack=git-upload-pack", "--end-of-options", "origin"}, // goes before remote.origin.uploadpack, which is a program
		what)
	c := l.call(args...)
	c.allow = "https:http:ssh:file"
	_, err := l.git.output(ctx, c, 1<<20)
	return err
}
