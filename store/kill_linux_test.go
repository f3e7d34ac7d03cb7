package store

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pinion/internal/testkit"
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
	strace := testkit.NewStrace(t)
	template := newHome(t)
	must(t, prepareState(t.Context(), template.open(), t.TempDir()))
	type state struct{ old, new map[string]string }
	states := map[string]state{}
	var points []point
	for _, o := range operations() {
		old, new, _ := o.states(t, template)
		states[o.name] = state{old, new}
		for _, c := range recordCalls(t, strace, o, template) {
			points = append(points, point{o, c.Name, c.N})
		}
	}
	all := len(points)
	slices.SortFunc(points, func(a, b point) int {
		return strings.Compare(fmt.Sprint(a.op.name, a.syscall, 1000+a.n), fmt.Sprint(b.op.name, b.syscall, 1000+b.n))
	})
	// A reading openat is the same point as the change after it.
	reading := func(p point) bool { return p.syscall == "openat" }
	opens := testkit.Sample(slices.Collect(filter(points, reading)), 30)
	points = slices.DeleteFunc(points, reading)
	points = testkit.Sample(append(points, opens...), maxKills)
	t.Logf("%d of %d points", len(points), all)
	killed := 0
	for _, p := range points {
		what := fmt.Sprintf("%s killed at %s %d", p.op.name, p.syscall, p.n)
		h := template.clone(t)
		cmd, out := process(t, p.op.name, h.root, fastDir(t), strace.Inject(p.syscall, "signal=KILL", p.n, false)...)
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

// filter yields the points that match.
func filter(points []point, match func(point) bool) iter.Seq[point] {
	return func(yield func(point) bool) {
		for _, p := range points {
			if match(p) && !yield(p) {
				return
			}
		}
	}
}

// recordCalls runs the operation once and returns the calls of its main thread.
func recordCalls(t *testing.T, strace *testkit.Strace, o operation, template *home) []testkit.Call {
	t.Helper()
	h := template.clone(t)
	calls := strace.Record(t, changing, func(before []string) {
		cmd, out := process(t, o.name, h.root, fastDir(t), before...)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v: %s", o.name, err, out)
		}
	})
	if len(calls) == 0 {
		t.Fatalf("%s: strace recorded nothing", o.name)
	}
	main := calls[0].Thread
	return slices.DeleteFunc(calls, func(c testkit.Call) bool { return c.Thread != main })
}
