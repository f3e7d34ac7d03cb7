package store

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changing are the system calls that change files, as Go's library makes them.
// openat also counts where it only reads, so it has the most points.
var changing = []string{"openat", "mkdirat", "write", "pwrite64", "fsync", "syncfs", "renameat", "renameat2", "linkat", "unlinkat", "fchmodat", "fchmod", "flock"}

// maxKills is how many points are tried in all.
const maxKills = 200

// point is one system call of one operation to be killed at.
type point struct {
	op      operation
	syscall string
	n       int
}

// security 3.6 row 89, 4.2 layer 4: the process is killed at every system call
// that changes files, of installation, activation, rollback, disabling,
// uninstallation, collection and repair; then the next command works, and the
// state is the old one or the new one.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if out, err := exec.Command(strace, "-f", "-e", "trace=none", "true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v: %s", err, out)
	}
	template := newHome(t)
	must(t, prepareState(t.Context(), template.open(), t.TempDir()))
	type state struct{ old, new map[string]string }
	states := map[string]state{}
	var points []point
	for _, o := range operations() {
		old, new, _ := o.states(t, template)
		states[o.name] = state{old, new}
		for call, n := range countCalls(t, strace, o, template) {
			for i := range n {
				points = append(points, point{o, call, i + 1})
			}
		}
	}
	all := len(points)
	slices.SortFunc(points, func(a, b point) int {
		return strings.Compare(fmt.Sprint(a.op.name, a.syscall, 1000+a.n), fmt.Sprint(b.op.name, b.syscall, 1000+b.n))
	})
	// A reading openat is the same point as the change after it.
	points = sample(points, func(p point) bool { return p.syscall == "openat" }, 30)
	points = sample(points, func(point) bool { return true }, maxKills)
	t.Logf("%d of %d points", len(points), all)
	killed := 0
	for _, p := range points {
		what := fmt.Sprintf("%s killed at %s %d", p.op.name, p.syscall, p.n)
		h := template.clone(t)
		cmd, out := process(t, p.op.name, h.root, fastDir(t), strace, "-f", "-qq", "-o", os.DevNull,
			"-e", "trace="+p.syscall, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", p.syscall, p.n))
		if err := cmd.Run(); err != nil {
			killed++
		} else if out.Len() > 0 {
			t.Errorf("%s: %s", what, out)
		}
		p.op.check(t, what, h, states[p.op.name].old, states[p.op.name].new)
	}
	// The number of calls may differ a little from run to run.
	if killed < len(points)*9/10 {
		t.Errorf("only %d of %d processes were killed", killed, len(points))
	}
}

// sample keeps at most n of the points that match, spread evenly.
func sample(points []point, match func(point) bool, n int) []point {
	total := 0
	for _, p := range points {
		if match(p) {
			total++
		}
	}
	if total <= n {
		return points
	}
	var kept []point
	i := 0
	for _, p := range points {
		if match(p) {
			i++
			if i*n/total == (i-1)*n/total {
				continue
			}
		}
		kept = append(kept, p)
	}
	return kept
}

var tracedCall = regexp.MustCompile(`^(\d+) +(\w+)\(`)

// countCalls runs the operation once and counts the calls of its main thread
// by name.
func countCalls(t *testing.T, strace string, o operation, template *home) map[string]int {
	t.Helper()
	h := template.clone(t)
	log := filepath.Join(fastDir(t), "trace")
	cmd, out := process(t, o.name, h.root, fastDir(t), strace, "-f", "-qq", "-o", log, "-e", "trace="+strings.Join(changing, ","))
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s", o.name, err, out)
	}
	data, err := os.ReadFile(log)
	must(t, err)
	n := map[string]int{}
	main := ""
	for line := range strings.Lines(string(data)) {
		m := tracedCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if main == "" {
			main = m[1]
		}
		if m[1] == main {
			n[m[2]]++
		}
	}
	return n
}
