package pinion_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pinion/internal/testkit"
)

// reads are commands that need no writable home, and what they print.
var reads = map[string]string{
	"list": "text-tools", "info text-tools@acme": "1.3.0", "search words": "text-tools", "path text-tools": "packages", "verify": "",
	"history text-tools": "1.0.0", "marketplace list": "acme", "marketplace info acme": "mail", "status --offline": "text-tools",
	"outdated --offline": "1.3.0", "gc -n --keep 0": "text-tools", "lock --check": "", "doctor": "",
}

// ofHome are the jobs that change the home.
func ofHome(m *machine) []job {
	return slices.DeleteFunc(jobs(m), func(j job) bool { return j.dir != "" || j.name == "sync" })
}

// security 3.6 row 93: on a disk without room a command fails with one error
// that says so, and works once there is room. Removing works without any.
func testFullDisk(t *testing.T, bin string) {
	m := newMachine(t)
	m.must(os.Mkdir(m.at("disk"), 0o700))
	testkit.MountAt(t, m.at("disk"), "-t", "tmpfs", "-o", "size=1m", "tmpfs")
	for _, j := range ofHome(m) {
		o := outcome{job: j}
		fill := m.at("disk/fill")
		_ = os.Remove(fill)
		m.restore()
		_ = testkit.RemoveTree(m.at("disk/home"))
		testkit.CopyTree(t, m.at("old/home"), m.at("disk/home"))
		o.old = m.onDisk(m.look)
		f, err := os.Create(fill)
		m.must(err)
		for _, size := range []int{64 << 10, 4 << 10, 1} {
			for buf := make([]byte, size); ; {
				if _, err := f.Write(buf); err != nil {
					break
				}
			}
		}
		m.must(f.Close())
		r := m.doOnDisk(bin, j)
		now := m.onDisk(m.look)
		switch {
		case j.name == "gc" || j.name == "uninstall" || j.name == "remove":
			if r.code != 0 {
				t.Errorf("%s on a full disk: %s", j.name, r)
			}
		case r.code != 1 || !strings.Contains(r.stderr, "no space left on device") || !strings.Contains(r.stderr, "free some space"):
			t.Errorf("%s on a full disk: %s", j.name, r)
		default:
			m.clear(j.name+" on a full disk", r)
			// The ledger may know what was seen, which is no harm.
			delete(now, "ledger")
			delete(o.old, "ledger")
			if parts := differs(o.old, now); len(parts) > 0 && !onlyNew(j, parts) {
				t.Errorf("%s on a full disk changed %v:\n%s", j.name, parts, lines(now[parts[0]], o.old[parts[0]]))
			}
		}
		m.must(os.Remove(fill))
		if r.code != 0 {
			if r := m.doOnDisk(bin, j); r.code != 0 {
				t.Errorf("%s with room again: %s", j.name, r)
			}
		}
		m.onDisk(func() state {
			if left := m.leftovers(); len(left) > 0 {
				t.Errorf("%s: left over: %v", j.name, left)
			}
			return nil
		})
	}
}

// onlyNew reports whether a job of several steps did only its first ones.
func onlyNew(j job, parts []string) bool {
	return len(j.parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool {
		return p != "trees" && !slices.Contains(j.parts[:len(j.parts)-1], p)
	})
}

// onDisk runs f with the home being the one on the small disk.
func (m *machine) onDisk(f func() state) state {
	m.Helper()
	m.homeDir = "disk/home"
	defer func() { m.homeDir = "home" }()
	return f()
}

func (m *machine) doOnDisk(bin string, j job) (r result) {
	m.Helper()
	m.onDisk(func() state { r = m.do(bin, j); return nil })
	return r
}

// security 3.6 row 94: with a home on a read-only file system reading works,
// and every change is one error that says so and what to do.
func testReadOnly(t *testing.T, bin string) {
	m := newMachine(t)
	testkit.MountAt(t, m.at("home"), "--bind", m.at("home"))
	if out, err := exec.Command("mount", "-o", "remount,bind,ro", m.at("home")).CombinedOutput(); err != nil {
		t.Skipf("cannot mount read-only here: %v: %s", err, out)
	}
	before := m.look()
	for _, line := range slices.Sorted(maps.Keys(reads)) {
		r := m.run(bin, "project", nil, strings.Fields(line)...)
		if r.code != 0 || !strings.Contains(r.stdout, reads[line]) {
			t.Errorf("%s: %s", line, r)
		}
	}
	for _, j := range ofHome(m) {
		r := m.do(bin, j)
		if r.code != 1 || !strings.Contains(r.stderr, "read-only file system") || !strings.Contains(r.stderr, "choose a home that can be written") {
			t.Errorf("%s: %s", j.name, r)
		}
		m.clear(j.name, r)
	}
	if parts := differs(before, m.look()); len(parts) > 0 {
		t.Errorf("changed %v", parts)
	}
}

// security 3.6 rows 94 and 97: a home that others could change, or that is not
// one, is refused by every command that needs it, and authors need none.
func testStrangeHome(t *testing.T, bin string) {
	m := newMachine(t)
	for name, c := range map[string]struct {
		make func()
		says string
		code int
	}{
		"a link": {func() {
			m.must(os.Rename(m.at("home"), m.at("elsewhere")))
			m.must(os.Symlink(m.at("elsewhere"), m.at("home")))
		}, "symbolic link", 1},
		"writable by others": {func() { m.must(os.Chmod(m.at("home"), 0o777)) }, "can be written by other users", 1},
		"of another user": {func() {
			if err := os.Chown(m.at("home"), 12345, 12345); err != nil {
				t.Skipf("cannot give a directory away: %v", err)
			}
		}, "belongs", 1},
		"a file": {func() {
			m.must(testkit.RemoveTree(m.at("home")))
			m.must(os.WriteFile(m.at("home"), nil, 0o600))
		}, "is not a directory", 1},
	} {
		m.must(os.RemoveAll(m.at("elsewhere")))
		if info, err := os.Lstat(m.at("home")); err == nil && !info.IsDir() {
			m.must(os.Remove(m.at("home")))
			m.must(os.Mkdir(m.at("home"), 0o700))
		}
		m.restore()
		c.make()
		for _, args := range [][]string{{"list"}, {"install", "mail@acme"}, {"refresh"}, {"verify"}} {
			r := m.run(bin, "project", nil, args...)
			if r.code != c.code || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 2 {
				t.Errorf("the home is %s: %v: %s", name, args, r)
			}
			m.clear(name, r)
		}
		if r := m.run(bin, "author", nil, "build-catalog", "--owner", "Acme"); r.code != 0 {
			t.Errorf("the home is %s: build-catalog: %s", name, r)
		}
	}
	without := func(dir string, env []string, args ...string) result {
		cmd := m.command(dir, []string{bin}, args...)
		cmd.Env = env
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run() // the exit code tells
		return result{cmd.ProcessState.ExitCode(), cmd.ProcessState.String(), out.String(), errs.String()}
	}
	path := "PATH=" + os.Getenv("PATH")
	if r := without("project", []string{path}, "list"); r.code != 2 || !strings.Contains(r.stderr, "PINION_HOME") {
		t.Errorf("without HOME: %s", r)
	}
	if r := without("author", []string{path}, "validate"); r.code != 0 {
		t.Errorf("without HOME: validate: %s", r)
	}
	if r := without("project", []string{path, "PINION_HOME=/"}, "list"); r.code != 1 || !strings.Contains(r.stderr, "root of the file system") {
		t.Errorf("the home is /: %s", r)
	}
	// A HOME that cannot be written: nothing is made, and it says so.
	closed := filepath.Join(m.base, "closed")
	m.must(os.Mkdir(closed, 0o700))
	testkit.MountAt(t, closed, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
	m.must(syscall.Mount("", closed, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	r := without("project", []string{path, "HOME=" + closed}, "marketplace", "add", m.spec("beta"))
	if r.code != 1 || !strings.Contains(r.stderr, "read-only file system") {
		t.Errorf("HOME is read-only: %s", r)
	}
	m.clear("HOME is read-only", r)
	if r := without("project", []string{path, "HOME=" + closed}, "list"); r.code != 0 {
		t.Errorf("HOME is read-only: list: %s", r)
	}
}
