package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinion/source"
)

// Local is the user's own repository: the one whose work tree contains a
// directory. It is only read, by the system's git, with the same settings as
// everything else; the user's configuration counts for two values alone,
// user.name and core.autocrlf. It is safe for concurrent use.
type Local struct {
	git    *program
	gitDir string
	top    string
	limits Limits
}

// OpenLocal finds the repository that dir is in. It errors with fs.ErrNotExist
// when there is none and with [ErrNoGit] when git is not installed. The
// repository may belong to another user: nothing in it can make git run
// anything.
func OpenLocal(dir string, o Options) (*Local, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for top := abs; ; top = filepath.Dir(top) {
		gitDir, err := gitDirOf(filepath.Join(top, ".git"))
		if err == nil {
			o = o.orDefault()
			p, err := findProgram(o)
			if err != nil {
				return nil, err
			}
			return &Local{git: p, gitDir: gitDir, top: top, limits: o.Limits}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if filepath.Dir(top) == top {
			return nil, fmt.Errorf("%s is not in a git repository: %w", dir, fs.ErrNotExist)
		}
	}
}

// gitDirOf returns the directory that path, a ".git", is or names.
func gitDirOf(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !st.IsDir() {
		// A linked work tree or a submodule names its directory in a file.
		if !st.Mode().IsRegular() || st.Size() > 4<<10 {
			return "", fmt.Errorf("%s: %w", path, source.ErrNotRegular)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
		if !ok {
			return "", fmt.Errorf("%s does not name a git directory", path)
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	if _, err := os.Stat(filepath.Join(path, "HEAD")); err != nil {
		return "", err // an empty ".git" is none
	}
	return path, nil
}

// Top returns the top of the work tree.
func (l *Local) Top() string { return l.top }

func (l *Local) call(args ...string) call {
	return call{dir: l.gitDir, worktree: l.top, args: args}
}

// rel returns dir as git names it, from the top of the work tree.
func (l *Local) rel(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(l.top, abs)
	if err == nil && !filepath.IsLocal(rel) {
		// The same directory by another way.
		top, err1 := filepath.EvalSymlinks(l.top)
		real, err2 := filepath.EvalSymlinks(abs)
		if err = errors.Join(err1, err2); err == nil {
			rel, err = filepath.Rel(top, real)
		}
	}
	if err != nil {
		return "", err
	}
	if !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in %s", dir, l.top)
	}
	return filepath.ToSlash(rel), nil
}

// Snapshot returns the files of a revision ("HEAD", a branch, a commit), with
// paths from the top of the repository. It errors with source.ErrNotFound when
// there is no such commit.
func (l *Local) Snapshot(ctx context.Context, rev string) (source.Snapshot, error) {
	if rev == "" || rev[0] == '-' || strings.ContainsAny(rev, "\x00\n") {
		return nil, &source.SpecError{Text: rev, Why: "is not a revision", Hint: "use HEAD, a branch, a tag or a commit"}
	}
	out, err := l.git.output(ctx, l.call("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"), 4<<10)
	var re *runError
	if errors.As(err, &re) {
		return nil, fmt.Errorf("%w: %s has no commit %q", source.ErrNotFound, l.top, rev)
	}
	if err != nil {
		return nil, err
	}
	commit := strings.TrimSpace(string(out))
	if !source.IsCommit(commit) {
		return nil, fmt.Errorf("%w: %s has no commit %q", source.ErrNotFound, l.top, rev)
	}
	objs := newSystem(l.git, l.gitDir)
	s, err := openSnapshot(ctx, objs, source.Pin{Commit: commit}, l.limits)
	if errors.Is(err, errCorrupt) {
		return nil, fmt.Errorf("read %s of %s; run git fsck there: %w", rev, l.top, err)
	}
	if err != nil {
		return nil, err
	}
	s.ancestry = func(ctx context.Context, older string) (source.Ancestry, error) {
		rd, err := objs.reader()
		if err != nil {
			return source.Unchecked, err
		}
		defer rd.close()
		defer context.AfterFunc(ctx, rd.kill)()
		b, err := os.ReadFile(filepath.Join(l.gitDir, "shallow"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return source.Unchecked, err
		}
		return descends(ctx, rd, commit, older, strings.Fields(string(b)))
	}
	return s, nil
}

// Executables returns the execute bits that the index records for the files
// below dir, by path from dir. Files that git does not know are left out.
func (l *Local) Executables(ctx context.Context, dir string) (map[string]bool, error) {
	rel, err := l.rel(dir)
	if err != nil {
		return nil, err
	}
	out, err := l.git.output(ctx, l.call("ls-files", "--stage", "-z", "--full-name", "--", rel), maxListing)
	if err != nil {
		return nil, err
	}
	bits := map[string]bool{}
	for record := range strings.SplitSeq(string(out), "\x00") {
		head, path, ok := strings.Cut(record, "\t")
		if !ok {
			continue
		}
		if rel != "." {
			if path, ok = strings.CutPrefix(path, rel+"/"); !ok {
				continue
			}
		}
		bits[path] = strings.HasPrefix(head, "100755 ")
	}
	return bits, nil
}

// Dirty returns the files below dir, from the top of the work tree and sorted,
// whose content is not what HEAD has, untracked ones included and ignored ones
// not. Filters are not run, so a file that a filter changes counts as dirty.
func (l *Local) Dirty(ctx context.Context, dir string) ([]string, error) {
	rel, err := l.rel(dir)
	if err != nil {
		return nil, err
	}
	c := l.call("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames", "--", rel)
	if c.config, err = l.noFilters(ctx); err != nil {
		return nil, err
	}
	c.config = append(c.config, "status.submoduleSummary=false")
	if v := l.AutoCRLF(ctx); v != "" {
		c.config = append(c.config, "core.autocrlf="+v)
	}
	out, err := l.git.output(ctx, c, maxListing)
	if err != nil {
		return nil, err
	}
	var paths []string
	for record := range strings.SplitSeq(string(out), "\x00") {
		if len(record) > 3 {
			paths = append(paths, record[3:])
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// noFilters returns settings that switch off every filter the repository's own
// configuration defines: git would run them to compare files (security 3.3 row
// 48).
func (l *Local) noFilters(ctx context.Context) ([]string, error) {
	out, err := l.git.output(ctx, l.call("config", "--null", "--name-only", "--get-regexp", `^filter\.`), 1<<20)
	var re *runError
	if err != nil && !errors.As(err, &re) {
		return nil, err
	}
	var off []string
	seen := map[string]bool{}
	for key := range strings.SplitSeq(string(out), "\x00") {
		name, ok := strings.CutPrefix(key, "filter.")
		i := strings.LastIndexByte(name, '.')
		if !ok || i < 0 || seen[name[:i]] {
			continue
		}
		name = name[:i]
		if strings.ContainsAny(name, "=\n") {
			return nil, fmt.Errorf("%s defines a filter %q, which cannot be switched off", l.gitDir, name)
		}
		seen[name] = true
		for _, k := range [...]string{"clean", "smudge", "process"} {
			off = append(off, "filter."+name+"."+k+"=")
		}
		off = append(off, "filter."+name+".required=false")
	}
	return off, nil
}
