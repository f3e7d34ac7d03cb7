//go:build unix

package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/internal/testkit"
	"pinion/source"
)

// counted returns a git that keeps a line for each run, and a function that
// returns the lines since its last call. refuse is an option at which it ends
// as a git does that has never heard of it.
func counted(t *testing.T, refuse string) (program string, runs func() []string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	program, log := filepath.Join(dir, "git"), filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> '%s'\ncase \"$*\" in *'%s'*) echo usage >&2; exit 129;; esac\nexec '%s' \"$@\"\n", log, refuse, git)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, func() []string {
		data, err := os.ReadFile(log)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		os.Remove(log)
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")[:bytes.Count(data, []byte("\n"))]
	}
}

// Each process costs milliseconds, so what is small is fetched without any. What
// is large goes through git's index-pack.
func TestProcesses(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	repo.Commit("main", testkit.Marketplace(500, 5))
	srv := testkit.NewGitServer(t)
	program, runs := counted(t, "no such option")
	r, cache := remote(t, srv.Add("acme/plugins", repo), Options{Program: program}), t.TempDir()
	old := repo.Head("main")
	for i := range 3 {
		s := openNow(t, r, cache)
		if _, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil {
			t.Fatal(err)
		}
		if a, err := s.Descends(t.Context(), old); a != source.Descendant || err != nil {
			t.Errorf("Descends = %v, %v", a, err)
		}
		if _, err := s.TreeIDs(t.Context(), "plugins"); err != nil {
			t.Fatal(err)
		}
		if got := readTree(t, s, "plugins/p00003"); len(got) != 5 {
			t.Errorf("tree: %q", got)
		}
		s.Close()
		if got := runs(); len(got) != 0 {
			t.Errorf("opening %d ran git %d times, want 0:\n%s", i, len(got), strings.Join(got, "\n"))
		}
		repo.Update("main", testkit.Files{"plugins/p00003/d0/f0.md": testkit.Text(fmt.Sprint(i))})
	}
	s := openNow(t, r, t.TempDir())
	defer s.Close()
	if got := readTree(t, s, "."); len(got) != 2_501 {
		t.Errorf("%d files, want 2501", len(got))
	}
	if got := runs(); len(got) == 0 || !strings.Contains(got[0], "index-pack") {
		t.Errorf("reading everything ran %q, want index-pack", got)
	}
}

// What is in the cache is read without git: that a program is named which does
// not exist makes no difference.
func TestNoProcesses(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	files := testkit.Marketplace(30, 5)
	files["plugins/p00003/link"] = testkit.Link("../p00004/d0/f0.md")
	repo.Commit("main", files)
	srv := testkit.NewGitServer(t)
	for _, url := range []string{srv.Add("acme/plugins", repo), "file://" + repo.Dir} {
		program, runs := counted(t, "no such option")
		r, cache := remote(t, url, Options{Program: program}), t.TempDir()
		s := openNow(t, r, cache)
		want := readTree(t, s, ".")
		pin := s.Pin()
		s.Close()
		if n := len(runs()); (n == 0) != strings.HasPrefix(url, "http") {
			t.Errorf("%s: git ran %d times", url, n)
		}
		r = remote(t, url, Options{Program: filepath.Join(t.TempDir(), "git")})
		s, err := r.Open(t.Context(), pin, cache)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, readTree(t, s, ".")); diff != "" || len(want) < 152 {
			t.Errorf("%s: (-fetched +cached):\n%s", url, diff)
		}
		if _, err := s.ReadFile(t.Context(), "marketplace.json", 1<<20); err != nil {
			t.Error(err)
		}
		s.Close()
	}
}

// A git before 2.36 has no cat-file --batch-command.
func TestOldGit(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	files := testkit.Marketplace(150, 6) // more than is read in this process
	files["plugins/p00003/link"] = testkit.Link("../p00004/d0/f0.md")
	repo.Commit("main", files)
	srv := testkit.NewGitServer(t)
	program, runs := counted(t, "--batch-command")
	url := srv.Add("acme/plugins", repo)
	want := readTree(t, openNow(t, remote(t, url, Options{}), t.TempDir()), ".")
	s := openNow(t, remote(t, url, Options{Program: program}), t.TempDir())
	if diff := cmp.Diff(want, readTree(t, s, ".")); diff != "" || len(want) < 900 {
		t.Errorf("with an old git (-want +got):\n%s", diff)
	}
	tried := 0
	for _, run := range runs() {
		if strings.Contains(run, "--batch-command") {
			tried++
		}
	}
	if tried != 1 {
		t.Errorf("--batch-command was tried %d times, want 1", tried)
	}
}
