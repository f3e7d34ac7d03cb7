//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pinion/internal/testkit"
	"pinion/source"
)

// security 3.3 row 54: the end of the context ends git and what it started
func TestProcessGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fake := filepath.Join(dir, "git")
	pidFile := filepath.Join(dir, "pid")
	script := "#!/bin/sh\nsleep 600 &\necho $! > " + pidFile + ".new\nmv " + pidFile + ".new " + pidFile + "\nwait\n"
	if err := os.WriteFile(fake, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := New(source.Spec{Kind: source.Git, URL: "file:///nowhere"}, Options{Backend: System, Program: fake})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var pid int
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if b, err := os.ReadFile(pidFile); err == nil {
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if _, err := r.Resolve(ctx, source.Pin{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Resolve = %v, want context.Canceled", err)
	}
	<-ctx.Done()
	for range 1000 { // until init has reaped it
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d lives on", pid)
}

func zombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}

// A stand-in for ssh that runs the command here: git's ssh transport with
// everything but the network.
func TestSSH(t *testing.T) {
	t.Parallel()
	repo := testkit.NewRepo(t)
	first := repo.Commit("main", testkit.Marketplace(3, 3))
	repo.Update("main", testkit.Files{"x": testkit.Text("y")})
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	script := "#!/bin/sh\necho \"$@\" >> " + log + "\nfor last; do :; done\nexec sh -c \"$last\"\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	path := bin + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, text := range []string{"ssh://git@host.example" + repo.Dir, "git@host.example:" + repo.Dir} {
		spec, err := source.Parse(text, "/")
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(spec, Options{Getenv: func(k string) string {
			if k == "PATH" {
				return path
			}
			return ""
		}})
		if err != nil {
			t.Fatal(err)
		}
		s := openNow(t, r, t.TempDir())
		if got := readTree(t, s, "."); len(got) != 11 {
			t.Errorf("%s: %d lines", text, len(got))
		}
		if a, err := s.Descends(t.Context(), first); a != source.Descendant || err != nil {
			t.Errorf("%s: Descends = %v, %v", text, a, err)
		}
	}
	b, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(b), "-oBatchMode=yes") || !strings.Contains(string(b), "git@host.example git-upload-pack") {
		t.Errorf("ssh was called as %q, %v", b, err)
	}
}
