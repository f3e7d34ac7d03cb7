package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pinion/internal/testkit"
)

// On a full disk and on one that takes no writes, what reads goes on and what
// writes fails with exit code 1, says why and what to do, and changes nothing.
// Issue section 5; security 3.6.
func TestFullAndReadOnlyHome(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.publish("repo")
	disk := testkit.Mount(t, "-t", "tmpfs", "-o", "size=2m", "none")
	s.vars["PINION_HOME"] = filepath.Join(disk, "home")
	must := func(line string) {
		t.Helper()
		if code, out, errs := s.run(strings.Fields(line)...); code != 0 {
			t.Fatalf("pinion %s: exit %d\n%s%s", line, code, out, errs)
		}
	}
	must("marketplace add file://" + filepath.ToSlash(filepath.Join(s.dir, "repo")) + " --name acme")
	must("install text-tools --activate --allow extension --allow computer")
	_, before, _ := s.run("list")

	refuse := func(what string) {
		t.Helper()
		for _, line := range []string{"install writing-style", "disable text-tools", "hold text-tools"} {
			code, out, errs := s.run(strings.Fields(line)...)
			if code != exitFailed || out != "" || !strings.Contains(errs, what) || !strings.Contains(errs, "\n  nothing was changed") {
				t.Errorf("pinion %s with %s: exit %d, %q\n%s", line, what, code, out, errs)
			}
		}
		if code, after, errs := s.run("list"); code != 0 || after != before {
			t.Errorf("list with %s: exit %d, %q, before it was %q\n%s", what, code, after, before, errs)
		}
		must("verify")
		must("path text-tools")
	}

	fill := filepath.Join(disk, "fill")
	f, err := os.Create(fill)
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if err := f.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	refuse("no space left")
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	must("install writing-style")
	_, before, _ = s.run("list")

	if err := syscall.Mount("none", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	refuse("read-only")
}
