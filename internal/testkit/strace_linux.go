package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Strace runs commands under strace, which can kill them or fail them at a
// system call of choice.
type Strace struct{ path string }

// NewStrace skips the test, with the reason, where processes cannot be traced.
func NewStrace(t testing.TB) *Strace {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if out, err := exec.Command(path, "-f", "-e", "trace=none", "true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v: %s", err, out)
	}
	return &Strace{path}
}

// Inject returns what stands before a command so that what ("signal=KILL",
// "error=ENOSPC") happens to its n-th call of one system call. With onward it
// happens to all later ones too. strace counts for each thread of each process.
func (s *Strace) Inject(call, what string, n int, onward bool) []string {
	when := fmt.Sprint(n)
	if onward {
		when += "+"
	}
	return []string{s.path, "-f", "-qq", "-o", os.DevNull, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:%s:when=%s", call, what, when)}
}

// Call is one system call of a recorded run.
type Call struct {
	Name   string
	Thread string
	N      int    // it is the N-th of this name in its thread
	Line   string // as strace prints it; a file descriptor is followed by <its path>
}

var straceLine = regexp.MustCompile(`^(\d+) +(\w+)\(`)

// Record runs a command, which run starts with the words it is given in front,
// and returns its calls of the named system calls in the order they began.
func (s *Strace) Record(t testing.TB, names []string, run func(before []string)) []Call {
	t.Helper()
	log := filepath.Join(FastDir(t), "trace")
	run([]string{s.path, "-f", "-qq", "-y", "-s", "8", "-o", log, "-e", "trace=" + strings.Join(names, ",")})
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var calls []Call
	count := map[[2]string]int{}
	for line := range strings.Lines(string(data)) {
		m := straceLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		key := [2]string{m[1], m[2]}
		count[key]++
		calls = append(calls, Call{Name: m[2], Thread: m[1], N: count[key], Line: strings.TrimSpace(line)})
	}
	return calls
}

// Sample keeps at most n of some points, spread evenly.
func Sample[T any](points []T, n int) []T {
	total := len(points)
	if total <= n {
		return points
	}
	kept := make([]T, 0, n)
	for i, p := range points {
		if (i+1)*n/total != i*n/total {
			kept = append(kept, p)
		}
	}
	return kept
}
