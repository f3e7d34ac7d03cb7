//go:build linux

package tree

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// samplePackage makes a package of 10 files in 8 directories.
func samplePackage(t testing.TB, dir string) {
	files := map[string]string{"SKILL.md": strings.Repeat("x", 4096), "LICENSE": "MIT", "top.md": "t"}
	for i := range 7 {
		files[fmt.Sprintf("d%d/file.md", i)] = strings.Repeat("y", 4096)
	}
	write(t, dir, files)
}

// At most 10 KB may be allocated for a package; once the first has been read,
// the reader keeps it far below: names and contents have their place already.
func TestAllocation(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		samplePackage(t, filepath.Join(dir, fmt.Sprintf("p%02d", i)))
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var s Scratch
	all := func() {
		for i := range 20 {
			s.Reset()
			tr, err := d.Read(t.Context(), fmt.Sprintf("p%02d", i), Options{Profile: strict}, &s)
			if err != nil || len(tr.Problems) > 0 || len(tr.Files) != 10 {
				t.Fatalf("%v %v", tr, err)
			}
		}
	}
	all()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all()
	runtime.ReadMemStats(&after)
	each := (after.TotalAlloc - before.TotalAlloc) / 20
	t.Logf("%d bytes in %d allocations a package", each, (after.Mallocs-before.Mallocs)/20)
	if each > 1_000 {
		t.Errorf("%d bytes are allocated a package, more than 1,000", each)
	}
}

// At most 75 file system calls for a package of 10 files in 8 directories, and
// each file is opened once. The test runs itself under strace.
func TestSystemCalls(t *testing.T) {
	const begin, end = "/pinion-count-begins", "/pinion-count-ends"
	if dir := os.Getenv("PINION_TREE_COUNT"); dir != "" {
		d, err := OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		runtime.LockOSThread()
		_ = unix.Access(begin, unix.F_OK)
		tr, err := d.Read(t.Context(), "pkg", Options{Profile: strict}, new(Scratch))
		_ = unix.Access(end, unix.F_OK)
		if err != nil || len(tr.Files) != 10 {
			t.Fatalf("%v %v", tr, err)
		}
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace on this machine")
	}
	dir := t.TempDir()
	samplePackage(t, filepath.Join(dir, "pkg"))
	out := filepath.Join(t.TempDir(), "trace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-e", "trace=%file,%desc", "-o", out, self, "-test.run=^TestSystemCalls$")
	cmd.Env = append(os.Environ(), "PINION_TREE_COUNT="+dir)
	if msg, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(msg), "ptrace") || strings.Contains(string(msg), "not permitted") {
			t.Skipf("strace cannot trace here: %s", msg)
		}
		t.Fatalf("%v\n%s", err, msg)
	}
	trace, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	_, between, ok := strings.Cut(string(trace), begin)
	between, _, ok2 := strings.Cut(between, end)
	if !ok || !ok2 {
		t.Fatal("the marks are not in the trace")
	}
	calls, opened := 0, map[string]int{}
	for line := range strings.Lines(between[strings.IndexByte(between, '\n')+1:]) {
		for _, name := range []string{"openat(", "openat2(", "open(", "fstat(", "newfstatat(", "statx(", "lstat(", "stat(", "getdents64(", "read(", "pread64(", "readlinkat(", "close(", "lseek(", "fcntl("} {
			if strings.Contains(line, " "+name) {
				calls++
			}
		}
		if strings.Contains(line, "openat(") && !strings.Contains(line, "O_DIRECTORY") {
			// Seven of the files have one name, so they count together.
			opened[strings.Split(line, `"`)[1]]++
		}
	}
	t.Logf("%d calls, opened %v", calls, opened)
	if calls > 75 || calls < 30 {
		t.Errorf("%d file system calls, want at most 75 (and not hardly any):\n%s", calls, between)
	}
	if opened["SKILL.md"] != 1 || opened["LICENSE"] != 1 || opened["top.md"] != 1 || opened["file.md"] != 7 {
		t.Errorf("files were opened %v", opened)
	}
}

// A file that this user may not read is one finding; the rest is read. Root
// may read everything, so the test runs itself as nobody.
func TestUnreadable(t *testing.T) {
	if dir := os.Getenv("PINION_TREE_UNREADABLE"); dir != "" {
		for _, p := range []func([]string) Profile{strict, foreign} {
			tr := read(t, dir, ".", p)
			if got := verdict(tr); got != "files/unreadable error, files/unreadable error" || !tr.Partial {
				t.Errorf("%q, partial %v: %v", got, tr.Partial, tr.Problems)
			}
			if f := tr.Lookup("open.md"); f == nil || string(f.Data) != "open" {
				t.Errorf("the readable file is %v", f)
			}
		}
		return
	}
	dir, err := os.MkdirTemp("", "unreadable") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	write(t, dir, map[string]string{"closed.md": "closed", "open.md": "open", "sub/x": "x"})
	for name, mode := range map[string]os.FileMode{"": 0o755, "closed.md": 0, "sub": 0} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestUnreadable$")
	if os.Getuid() == 0 {
		setpriv, err := exec.LookPath("setpriv")
		if err != nil {
			t.Skip("root reads everything, and there is no setpriv")
		}
		// The test binary lies where only root may go.
		copied := filepath.Join(dir, "..", filepath.Base(dir)+".test")
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, data, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(copied) })
		cmd = exec.CommandContext(t.Context(), setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", copied, "-test.run=^TestUnreadable$")
		cmd.Dir = os.TempDir()
	}
	cmd.Env = append(os.Environ(), "PINION_TREE_UNREADABLE="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "setpriv:") {
			t.Skipf("setpriv cannot change the user here: %s", out)
		}
		t.Errorf("%v\n%s", err, out)
	}
}
