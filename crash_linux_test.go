package pinion_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pinion/internal/testkit"
)

// crashEverywhere makes the tests below try every point instead of a sample:
// make crash.
const crashEverywhere = "PINION_CRASH_ALL"

// The points that are tried without it, in all.
const (
	maxKills  = 140
	maxFaults = 60
)

// changing are the system calls that change files.
var changing = []string{
	"openat", "mkdirat", "write", "pwrite64", "fsync", "fdatasync", "syncfs", "rename", "renameat", "renameat2", "link", "linkat",
	"unlink", "unlinkat", "rmdir", "mkdir", "fchmodat", "fchmod", "chmod", "ftruncate", "flock",
}

// job is one command that is broken off.
type job struct {
	name string
	args []string
	dir  string // where it is run, "project" when empty
	// parts are what it changes, in this order: at every moment those before
	// some point are new, those after it are old.
	parts []string
	// next is the command that follows when the same one again would go further
	// on; it changes nothing but what was left over.
	next []string
}

// jobs are the commands of issue section 5.
func jobs(m *machine) []job {
	allow := []string{"--allow", "extension", "--allow", "computer"}
	return []job{
		{name: "add", args: []string{"marketplace", "add", m.spec("beta"), "--name", "beta"}, parts: []string{"ledger", "markets"}},
		{name: "add again", args: []string{"marketplace", "add", m.spec("acme") + "@other", "--name", "renamed"}, parts: []string{"markets"}},
		{name: "refresh", args: []string{"refresh", "acme"}, parts: []string{"ledger", "markets"}},
		{name: "refresh foreign", args: []string{"refresh", "foreign"}, parts: []string{"ledger", "markets"}},
		{name: "install", args: []string{"install", "mail@acme"}, parts: []string{"plugins"}},
		{name: "install for the project", args: []string{"install", "mail@acme", "--activate", "--project"}, parts: []string{"plugins", "active", "lock"}},
		{name: "activate", args: append([]string{"activate", "text-tools", "1.0.0"}, allow...), parts: []string{"active"}},
		{name: "activate for the project", args: append([]string{"activate", "text-tools", "1.0.0", "--project"}, allow...), parts: []string{"active", "lock"}},
		{name: "rollback", args: []string{"rollback", "text-tools"}, parts: []string{"active"}, next: []string{"enable", "text-tools"}},
		{name: "upgrade", args: append([]string{"upgrade", "--offline", "text-tools"}, allow...), parts: []string{"plugins", "active"}},
		{name: "gc", args: []string{"gc", "--keep", "0"}, parts: []string{"plugins", "active"}},
		{name: "uninstall", args: []string{"uninstall", "paint"}, parts: []string{"plugins"}, next: []string{"enable", "text-tools"}},
		{name: "remove", args: []string{"marketplace", "remove", "gone", "--uninstall"}, parts: []string{"plugins", "markets"}, next: []string{"gc", "--keep", "9"}},
		{name: "sync", args: append([]string{"sync", "-C", m.at("project")}, allow...), parts: []string{"plugins", "active"}},
		{name: "build-catalog", args: []string{"build-catalog", "--owner", "Acme"}, dir: "author", parts: []string{"catalog"}},
	}
}

// TestCrash breaks the whole tool in every way an operating system has, and
// looks at what is left. Issue section 5; security 3.6 rows 89 to 97.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	bin := filepath.Join(t.TempDir(), "pinion")
	build := exec.Command("go", "build", "-o", bin, "./cmd/pinion")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	for name, test := range map[string]func(*testing.T, string){
		"kill": testKilled, "fault": testFaults, "two processes": testTwoProcesses, "stopped": testStoppedHolder,
		"interrupt": testInterrupted, "full disk": testFullDisk, "read-only": testReadOnly, "strange home": testStrangeHome,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, bin)
		})
	}
}

// result is how a command ended.
type result struct {
	code           int // -1 when it was killed
	how            string
	stdout, stderr string
}

func (r result) String() string { return fmt.Sprintf("%s: %s%s", r.how, r.stdout, r.stderr) }

// command prepares the binary on a machine. One thread at a time, so that the
// n-th system call of a thread is nearly always the same one.
func (m *machine) command(dir string, before []string, args ...string) *exec.Cmd {
	words := slices.Concat(before, args)
	// Only what hangs takes this long.
	ctx, cancel := context.WithTimeout(m.Context(), 30*time.Second)
	m.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Dir = m.at(dir)
	cmd.Env = []string{"GOMAXPROCS=1"}
	for k, v := range m.env() {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// run runs the binary.
func (m *machine) run(bin, dir string, before []string, args ...string) result {
	m.Helper()
	cmd := m.command(dir, before, append([]string{bin}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil || errors.Is(err, context.DeadlineExceeded) {
		m.Fatalf("%v: %v: %s%s", args, err, &out, &errs)
	}
	return result{cmd.ProcessState.ExitCode(), cmd.ProcessState.String(), out.String(), errs.String()}
}

// do runs a job.
func (m *machine) do(bin string, j job, before ...string) result {
	m.Helper()
	dir := j.dir
	if dir == "" {
		dir = "project"
	}
	return m.run(bin, dir, before, j.args...)
}

// outcome is a job with the states before and after it, and its system calls.
type outcome struct {
	job
	old, new state
	calls    []testkit.Call
}

// written is the most writes of any thread but the first. A program that Pinion
// runs must not be the one that fails: git overlooks a failed write into a pipe,
// which no system has, and then both wait for ever.
func (o outcome) written() (most int) {
	for _, c := range o.calls {
		if c.Name == "write" && c.Thread != o.calls[0].Thread {
			most = max(most, c.N)
		}
	}
	return most
}

// rehearse runs a job once unharmed.
func (m *machine) rehearse(bin string, s *testkit.Strace, j job) outcome {
	m.Helper()
	m.start(j)
	o := outcome{job: j, old: m.look()}
	o.calls = s.Record(m.TB, changing, func(before []string) {
		if r := m.do(bin, j, before...); r.code != 0 {
			m.Fatalf("%s: %s", j.name, r)
		}
	})
	o.new = m.look()
	m.sound(j.name)
	got := differs(o.old, o.new)
	want := append([]string{"trees"}, j.parts...)
	if len(got) == 0 || slices.ContainsFunc(got, func(p string) bool { return !slices.Contains(want, p) }) {
		m.Fatalf("%s changed %v, want %v", j.name, got, j.parts)
	}
	return o
}

// start brings the machine to the state before a job.
func (m *machine) start(j job) {
	m.Helper()
	m.restore()
	if j.name == "sync" {
		// The lock file of another machine, where mail is used too.
		m.must(os.WriteFile(m.at("project/pinion.lock"), m.syncedLock(), 0o644))
	}
}

// syncedLock is the lock file after mail was installed for the project.
func (m *machine) syncedLock() []byte {
	m.Helper()
	data, err := os.ReadFile(m.at("old/synced.lock"))
	m.must(err)
	return data
}

// changes reports whether a recorded call changes something on this machine.
func (m *machine) changes(c testkit.Call) bool {
	if c.Name == "openat" && !strings.Contains(c.Line, "O_CREAT") {
		return false
	}
	return strings.Contains(c.Line, m.base)
}

// step is one call to break a job at.
type step struct {
	outcome
	call string
	n    int
}

func (s step) String() string { return fmt.Sprintf("%s, %s %d", s.name, s.call, s.n) }

// steps are the calls of all jobs that change files on this machine, each
// once, and at most most of them.
func (m *machine) steps(bin string, s *testkit.Strace, most int, want func(outcome, testkit.Call) bool) []step {
	m.Helper()
	var all []step
	for _, j := range jobs(m) {
		o := m.rehearse(bin, s, j)
		seen := map[string]bool{}
		for _, c := range o.calls {
			st := step{o, c.Name, c.N}
			if m.changes(c) && want(o, c) && !seen[st.String()] {
				seen[st.String()] = true
				all = append(all, st)
			}
		}
	}
	if os.Getenv(crashEverywhere) != "" {
		m.Logf("all %d points", len(all))
		return all
	}
	m.Logf("%d of %d points; %s=1 tries all", min(most, len(all)), len(all), crashEverywhere)
	return testkit.Sample(all, most)
}

// security 3.6 row 89, 4.2 layer 4: killed at any call that changes a file, a
// command leaves the old state or the new one, and the next command works.
func testKilled(t *testing.T, bin string) {
	s := testkit.NewStrace(t)
	m := newMachine(t)
	m.prepareSync(bin)
	points := m.steps(bin, s, maxKills, func(outcome, testkit.Call) bool { return true })
	outside := m.outside()
	killed := 0
	for _, p := range points {
		what := p.String() + " killed"
		m.start(p.job)
		r := m.do(bin, p.job, s.Inject(p.call, "signal=KILL", p.n, false)...)
		if r.code != 0 {
			killed++
		}
		if r.code > 1 && r.code != 6 { // a program that Pinion runs was killed
			t.Errorf("%s: %s", what, r)
		}
		m.check(what, p.outcome, r, bin)
		if got := m.outside(); got != outside {
			t.Fatalf("%s: changed outside the home: %s", what, got)
		}
	}
	if killed < len(points)*8/10 {
		t.Errorf("only %d of %d commands were killed", killed, len(points))
	}
}

// prepareSync notes the lock file that the sync job starts from.
func (m *machine) prepareSync(bin string) {
	m.Helper()
	m.restore()
	if r := m.run(bin, "project", nil, "install", "mail@acme", "--activate", "--project"); r.code != 0 {
		m.Fatal(r)
	}
	data, err := os.ReadFile(m.at("project/pinion.lock"))
	m.must(err)
	m.must(os.WriteFile(m.at("old/synced.lock"), data, 0o600))
}

// check holds the state after a broken command against I1 to I8 of the
// security specification, 4.2.
func (m *machine) check(what string, o outcome, r result, bin string) {
	m.Helper()
	now := m.look()
	fresh := true
	for _, part := range o.parts {
		switch now[part] {
		case o.new[part]:
			if !fresh && o.new[part] != o.old[part] {
				m.Errorf("%s: %s is new while something before it in %v is old", what, part, o.parts)
			}
		case o.old[part]:
			fresh = false
		default:
			m.Errorf("%s: %s is neither the old nor the new one:\n%s", what, part, lines(now[part], o.new[part]))
			fresh = false
		}
	}
	for part := range now {
		if part != "trees" && !slices.Contains(o.parts, part) && now[part] != o.old[part] {
			m.Errorf("%s: changed %s too", what, part)
		}
	}
	if r.code == 0 && !fresh && !strings.Contains(r.stderr, "cannot be") {
		m.Errorf("%s: said it was done: %s", what, r)
	}
	stages := slices.DeleteFunc(m.leftovers(), func(name string) bool {
		return !strings.HasPrefix(name, "home/staging") || strings.HasSuffix(name, ".lock")
	})
	if len(stages) > 2 {
		m.Errorf("%s: left %v", what, stages)
	}
	m.sound(what + ", at once") // readers come before anything was healed for them
	if o.next != nil && fresh {
		if r := m.run(bin, "project", nil, o.next...); r.code != 0 {
			m.Errorf("%s: then %v: %s", what, o.next, r)
		}
	} else if r := m.do(bin, o.job); r.code != 0 {
		m.Errorf("%s: again: %s", what, r)
	}
	if parts := differs(m.look(), o.new); len(parts) > 0 {
		m.Errorf("%s: after the next command %v are not what they should be:\n%s", what, parts, lines(m.look()[parts[0]], o.new[parts[0]]))
	}
	if left := m.leftovers(); len(left) > 0 {
		m.Errorf("%s: after the next command there is still %v", what, left)
	}
	m.sound(what)
}

// lines are those that are in one text only.
func lines(got, want string) string {
	var b strings.Builder
	for _, pair := range [][3]string{{"+ ", got, want}, {"- ", want, got}} {
		other := slices.Collect(strings.Lines(pair[2]))
		for line := range strings.Lines(pair[1]) {
			if !slices.Contains(other, line) {
				b.WriteString(pair[0] + strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	return b.String()
}

// errorsOf are the errors that a system call is made to fail with.
var errorsOf = map[string][]string{
	"write": {"ENOSPC", "EIO", "EDQUOT"}, "pwrite64": {"ENOSPC", "EIO"}, "openat": {"ENOSPC", "EMFILE", "EROFS"},
	"mkdirat": {"ENOSPC", "EROFS"}, "fsync": {"EIO"}, "syncfs": {"EIO"}, "renameat": {"ENOSPC", "EIO"}, "renameat2": {"EIO", "EROFS"},
	"unlinkat": {"EIO", "EROFS"}, "fchmodat": {"EIO"}, "ftruncate": {"EIO"},
}

// security 3.6 rows 91, 92 and 95: a call that changes a file fails, and the
// command ends with one clear error in the old state, or with exit 6 where the
// disk did not confirm the last step; the next command works.
func testFaults(t *testing.T, bin string) {
	s := testkit.NewStrace(t)
	m := newMachine(t)
	m.prepareSync(bin)
	points := m.steps(bin, s, maxFaults, func(o outcome, c testkit.Call) bool {
		return len(errorsOf[c.Name]) > 0 && (c.Name != "write" || c.N > o.written())
	})
	failed := 0
	for i, p := range points {
		with := errorsOf[p.call][i%len(errorsOf[p.call])]
		what := fmt.Sprintf("%s fails with %s", p, with)
		m.start(p.job)
		r := m.do(bin, p.job, s.Inject(p.call, "error="+with, p.n, false)...)
		switch r.code {
		case 0: // it was a step of which nothing depends
		case 1, 6:
			failed++
			if p.call != "write" || strings.HasPrefix(r.stderr, "pinion: ") { // else the error was what could not be written
				m.clear(what, r)
			}
		case 3, 4: // a file that could not be opened is told as one that cannot be read
			if p.call != "openat" || !strings.Contains(r.stderr, "cannot be read") {
				t.Errorf("%s: %s", what, r)
			}
		default:
			t.Errorf("%s: %s", what, r)
		}
		if got := differs(m.look(), p.new); r.code == 1 && !slices.ContainsFunc(got, func(part string) bool { return slices.Contains(p.parts, part) }) &&
			!strings.Contains(r.stderr, "by the next command") && !strings.Contains(r.stderr, "only its result could not be printed") {
			t.Errorf("%s: the new state is there: %s", what, r)
		}
		m.check(what, p.outcome, r, bin)
	}
	if failed < len(points)/3 {
		t.Errorf("only %d of %d commands failed", failed, len(points))
	}
}

var ofAProgrammer = regexp.MustCompile(`goroutine|panic`)

// clear checks that an error is fit to be read: lines that begin with the name
// of the program, each with its advice below it, and no name that nobody knows.
func (m *machine) clear(what string, r result) {
	m.Helper()
	bad := !strings.Contains(r.stderr, "pinion: ") || ofAProgrammer.MatchString(r.stderr)
	for line := range strings.Lines(r.stderr) {
		bad = bad || !strings.HasPrefix(line, "pinion: ") && !strings.HasPrefix(line, "  ") && !strings.Contains(line, "of bytes read")
	}
	if bad {
		m.Errorf("%s: the error is not clear: %s", what, r)
	}
}
