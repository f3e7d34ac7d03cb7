package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/testkit"
	"pinion/source"
)

func TestLocalChanged(t *testing.T) {
	t.Parallel()
	dir := worktree(t, map[string]string{"a.md": "a", "sub/b.md": "b", "c.md": "c", ".gitignore": "ignored\n", "é.md": "e"})
	l := local(t, dir, nil)
	base, err := l.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "checkout", "-q", "-b", "change")
	put(t, filepath.Join(dir, "a.md"), "changed")
	put(t, filepath.Join(dir, "é.md"), "changed")
	testkit.Git(t, dir, "commit", "-qam", "second")
	put(t, filepath.Join(dir, "sub", "b.md"), "not committed")
	put(t, filepath.Join(dir, "new.md"), "untracked")
	put(t, filepath.Join(dir, "ignored"), "x")
	if err := os.Remove(filepath.Join(dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	got, err := l.Changed(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a.md", "c.md", "new.md", "sub/b.md", "é.md"}, got); d != "" {
		t.Error(d)
	}
	testkit.Git(t, dir, "checkout", "-q", "-f", "main")
	put(t, filepath.Join(dir, "other.md"), "x")
	testkit.Git(t, dir, "add", "other.md")
	testkit.Git(t, dir, "commit", "-q", "-m", "third")
	head, _ := l.Resolve(t.Context(), "main")
	change, _ := l.Resolve(t.Context(), "change")
	if got, err := l.MergeBase(t.Context(), head, change); err != nil || got != base {
		t.Errorf("MergeBase = %q, %v, want %q", got, err, base)
	}
	for _, bad := range []string{"nowhere", "--all", "", "HEAD\n"} {
		if got, err := l.Resolve(t.Context(), bad); err == nil {
			t.Errorf("Resolve(%q) = %q", bad, got)
		}
	}
	if _, err := l.Resolve(t.Context(), "nowhere"); !errors.Is(err, source.ErrNotFound) {
		t.Error(err)
	}
}

// A shallow clone of one branch gets the base of a pull request, and what the
// repository's configuration names as a program does not run.
func TestLocalFetchBranch(t *testing.T) {
	t.Parallel()
	origin := worktree(t, map[string]string{"a.md": "a"})
	testkit.Git(t, origin, "checkout", "-q", "-b", "change")
	put(t, filepath.Join(origin, "a.md"), "b")
	testkit.Git(t, origin, "commit", "-qam", "second")
	dir := filepath.Join(t.TempDir(), "clone")
	testkit.Git(t, t.TempDir(), "clone", "-q", "--depth=1", "--branch=change", "file://"+filepath.ToSlash(origin), dir)
	ran := filepath.Join(t.TempDir(), "ran")
	testkit.Git(t, dir, "config", "remote.origin.uploadpack", "touch "+ran+"; git-upload-pack")
	l := local(t, dir, nil)
	if _, err := l.Resolve(t.Context(), "origin/main"); !errors.Is(err, source.ErrNotFound) {
		t.Fatal(err)
	}
	if err := l.FetchBranch(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	got, err := l.Resolve(t.Context(), "origin/main")
	want := strings.TrimSpace(testkit.Git(t, origin, "rev-parse", "main"))
	if err != nil || got != want {
		t.Errorf("origin/main = %q, %v, want %q", got, err, want)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository's configuration ran")
	}
	head, _ := l.Resolve(t.Context(), "HEAD")
	if base, err := l.MergeBase(t.Context(), head, got); err != nil || base != "" {
		t.Errorf("MergeBase in a shallow clone = %q, %v", base, err)
	}
	for _, bad := range []string{"no-such-branch", "--upload-pack=x", "a..b"} {
		if err := l.FetchBranch(t.Context(), bad); err == nil {
			t.Errorf("FetchBranch(%q) did not fail", bad)
		}
	}
}

// What a shallow clone lacks: parents that are only named, a commit by its
// number, history. A clone that has everything stays one.
func TestLocalHistory(t *testing.T) {
	t.Parallel()
	origin := worktree(t, map[string]string{"a.md": "a"})
	first := testkit.Git(t, origin, "rev-parse", "HEAD")
	testkit.Git(t, origin, "checkout", "-q", "-b", "change")
	for _, text := range []string{"b", "c", "d"} {
		put(t, filepath.Join(origin, "a.md"), text)
		testkit.Git(t, origin, "commit", "-q", "-a", "-m", "parent "+first+"\n\nparent "+first)
	}
	head := testkit.Git(t, origin, "rev-parse", "HEAD")
	before := testkit.Git(t, origin, "rev-parse", "HEAD~1")
	clone := func(args ...string) (*Local, string) {
		dir := filepath.Join(t.TempDir(), "clone")
		testkit.Git(t, origin, append(append([]string{"clone", "-q"}, args...), "file://"+filepath.ToSlash(origin), dir)...)
		return local(t, dir, nil), dir
	}
	ctx := t.Context()

	l, _ := clone("--depth=1", "--branch=change")
	if got, err := l.Parents(ctx, head); err != nil || !cmp.Equal(got, []string{before}) {
		t.Errorf("Parents = %q, %v, want %s alone", got, err, before)
	}
	if _, err := l.Resolve(ctx, before); !errors.Is(err, source.ErrNotFound) {
		t.Errorf("the parent is there before it is fetched: %v", err)
	}
	if err := l.FetchCommit(ctx, before); err != nil {
		t.Error(err)
	}
	if got, err := l.Resolve(ctx, before); got != before || err != nil {
		t.Errorf("the fetched commit: %q, %v", got, err)
	}
	if err := l.FetchBranch(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	if base, err := l.MergeBase(ctx, head, first); err != nil || base != "" {
		t.Errorf("MergeBase before = %q, %v", base, err)
	}
	if err := l.Deepen(ctx, 10, "main", head); err != nil {
		t.Fatal(err)
	}
	if base, err := l.MergeBase(ctx, head, first); err != nil || base != first {
		t.Errorf("MergeBase after = %q, %v, want %s", base, err, first)
	}

	l, _ = clone("--single-branch", "--branch=change")
	if err := errors.Join(l.FetchBranch(ctx, "main"), l.FetchCommit(ctx, first)); err != nil {
		t.Fatal(err)
	}
	if is, err := l.Shallow(ctx); is || err != nil {
		t.Errorf("Shallow = %t, %v: a whole clone lost its history", is, err)
	}

	for _, bad := range []string{"", "--all", "HEAD", "main\n"} {
		if _, err := l.Parents(ctx, bad); err == nil {
			t.Errorf("Parents(%q) did not fail", bad)
		}
		if l.FetchCommit(ctx, bad) == nil || l.Deepen(ctx, 1, "main", bad) == nil {
			t.Errorf("fetching %q did not fail", bad)
		}
	}
}

func TestLocalLinks(t *testing.T) {
	t.Parallel()
	dir := worktree(t, map[string]string{"a.md": "a"})
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../a.md", filepath.Join(dir, "sub", "link\tmd")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	testkit.Git(t, dir, "add", "-A")
	if got, err := local(t, dir, nil).Links(t.Context()); err != nil || !cmp.Equal(got, []string{"sub/link\tmd"}) {
		t.Errorf("Links = %q, %v", got, err)
	}
}
