package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func newTestBench(t *testing.T) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	b, err := newBench(options{dir: t.TempDir(), disk: t.TempDir(), rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestRepositoryIsServedAndChanges(t *testing.T) {
	t.Parallel()
	b := newTestBench(t)
	repo, err := b.repository(t.Context(), foreign, 3)
	if err != nil {
		t.Fatal(err)
	}
	checkout := filepath.Join(b.tmp, "checkout")
	s, err := b.time(t.Context(), b.git(b.tmp, "clone", "-q", "--depth", "1", repo.url, checkout))
	if err != nil {
		t.Fatal(err)
	}
	if s.requests != 3 || s.bytes < 1000 || s.wall <= 0 {
		t.Errorf("the clone took %+v; git makes three requests for it", s)
	}
	same := func(rel string) {
		t.Helper()
		want, err := os.ReadFile(filepath.Join(repo.source, rel))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(checkout, rel))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is served with other bytes", rel)
		}
	}
	// The first change after the first commit is that of package 1.
	manifest := filepath.Join("plugins", repo.made(1).id(), ".claude-plugin", "plugin.json")
	same(manifest)
	if err := repo.change(t.Context()); err != nil {
		t.Fatal(err)
	}
	if repo.version(1) == firstVersion {
		t.Error("package 1 has its first version")
	}
	if err := b.run(t.Context(), b.git(checkout, "pull", "-q", "--ff-only")); err != nil {
		t.Fatal(err)
	}
	same(manifest)
	same(filepath.FromSlash(repo.catalogPath()))
}

func TestFailureCarriesStderr(t *testing.T) {
	t.Parallel()
	b := newTestBench(t)
	err := b.run(t.Context(), b.git(b.tmp, "no-such-command"))
	if err == nil || len(err.Error()) < len("git no-such-command: exit status 1: ") {
		t.Errorf("run = %v, want what git said", err)
	}
}

func TestToolsBuildAndRun(t *testing.T) {
	t.Parallel()
	b := newTestBench(t)
	hello, err := b.tool(t.Context(), "hello")
	if err != nil {
		t.Skipf("no Go toolchain: %v", err)
	}
	peak, err := b.peak(t.Context(), command{path: hello})
	if err != nil {
		t.Fatal(err)
	}
	if peak < 0.5 || peak > 64 {
		t.Errorf("hello has a peak of %.1f MiB", peak)
	}
	dir, err := b.packages(t.Context(), native, 40, 600)
	if err != nil {
		t.Fatal(err)
	}
	cread, err := b.tool(t.Context(), "cread")
	if err != nil {
		t.Skipf("cread: %v", err)
	}
	out, err := b.output(t.Context(), command{path: cread, args: []string{filepath.Join(dir, "plugins"), "2"}})
	if err != nil {
		t.Fatal(err)
	}
	var files, bytes int
	for i := range 40 {
		all, err := made{index: i, version: firstVersion, size: 600}.files()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			files, bytes = files+1, bytes+len(f.data)
		}
	}
	if want := fmt.Sprintf("%d files, %d bytes", files, bytes); out != want {
		t.Errorf("cread says %q, want %q", out, want)
	}
}
