//go:build unix

package fsx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// childEnv tells the test binary to be one of the processes of a test.
const childEnv = "FSX_TEST_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		if err := child(strings.Split(args, "|")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(args []string) error {
	if len(args) > 2 && args[0] == "umask" {
		mask, err := strconv.ParseInt(args[2], 8, 32)
		if err != nil {
			return err
		}
		syscall.Umask(int(mask))
	}
	d, err := OpenHome(args[1], Options{Create: true})
	if err != nil {
		return err
	}
	switch args[0] {
	case "hold": // take the lock and wait to be killed
		if _, err := d.Lock(context.Background(), "lock"); err != nil {
			return err
		}
		if _, err := d.Stage(); err != nil {
			return err
		}
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "count": // read, add one, write, under the lock
		for range 50 {
			if err := addOne(d); err != nil {
				return err
			}
		}
		return nil
	case "kill": // die before step args[3] of change args[2]
		return runKilled(d, args[2], args[3])
	case "umask", "user": // everything that makes files
		return makeEverything(d)
	}
	return errors.New("unknown child " + args[0])
}

func addOne(d *Dir) error {
	unlock, err := d.Lock(context.Background(), "lock")
	if err != nil {
		return err
	}
	defer unlock()
	b, err := d.ReadFile("n", 100)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	n, _ := strconv.Atoi(string(b)) // a missing file is zero
	return d.WriteFile("n", []byte(strconv.Itoa(n+1)), 0o600)
}

func runKilled(d *Dir, name, at string) error {
	n, err := strconv.Atoi(at)
	if err != nil {
		return err
	}
	for _, c := range changes() {
		if c.name != name {
			continue
		}
		armed, err := c.arm(d)
		if err != nil {
			return err
		}
		step := 0
		d.hook = func(Op, string) error {
			if step == n {
				return syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			step++
			return nil
		}
		return c.run(d, armed)
	}
	return errors.New("unknown change " + name)
}

// makeEverything uses each way to make a file, and then removes the installed
// tree, for which a user that is not root needs the right modes.
func makeEverything(d *Dir) error {
	if err := install(d, 3); err != nil {
		return err
	}
	unlock, err := d.Lock(context.Background(), "lock")
	if err != nil {
		return err
	}
	defer unlock()
	s, err := d.Stage()
	if err != nil {
		return err
	}
	err = errors.Join(s.Dir.MkdirAll("a/b"), s.Dir.WriteNew("a/b/f", []byte("x"), 0o600), d.MakeReadOnly(s.Name),
		d.Append("l", []byte("x")), d.SwapDir(s.Name, "snap"), s.Close())
	if err != nil {
		return err
	}
	if s, err = d.Stage(); err != nil {
		return err
	}
	err = errors.Join(s.Dir.MkdirAll("c"), s.Dir.WriteNew("c/f", []byte("y"), 0o600), d.MakeReadOnly(s.Name),
		d.SwapDir(s.Name, "snap"), s.Close())
	if err != nil {
		return err
	}
	if _, err := d.ReadFile("snap/c/f", 10); err != nil {
		return err
	}
	if left, err := d.root.FS().(fs.ReadDirFS).ReadDir(stagingDir); err != nil || len(left) != 0 {
		return fmt.Errorf("left over: %v, %w", left, err)
	}
	if err := d.RemoveAll("packages/k/id/1.0.0"); err != nil {
		return err
	}
	if _, err := d.Lstat("packages/k/id/1.0.0"); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removed tree: %w", err)
	}
	return install(d, 3)
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "|"))
	cmd.Stderr = os.Stderr
	return cmd
}

// security 3.6 row 96: the lock names its holder, and is free after kill -9.
func TestLockHolderKilled(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	cmd := command(t, "hold", d.abs)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "held\n" {
		t.Fatalf("child said %q, %v", line, err)
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	short, cancel2 := context.WithTimeout(t.Context(), 3*lockPoll)
	defer cancel2()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		lock func(context.Context, string) (func(), error)
	}{{"Lock", ended, d.Lock}, {"RLock", ended, d.RLock}, {"Lock, waiting", short, d.Lock}} {
		_, err = tt.lock(tt.ctx, "lock")
		var le *LockedError
		if !errors.As(err, &le) || le.PID != cmd.Process.Pid || !errors.Is(err, ErrLocked) || !errors.Is(err, tt.ctx.Err()) {
			t.Errorf("%s = %v, want *LockedError with pid %d", tt.name, err, cmd.Process.Pid)
		} else if !strings.Contains(err.Error(), strconv.Itoa(le.PID)) {
			t.Errorf("%s: message %q does not name the process", tt.name, err)
		}
	}
	if n, err := d.CleanStaging(); n != 0 || err != nil || len(staged(t, d)) != 2 {
		t.Errorf("CleanStaging = %d, %v with %v; the stage is in use", n, err, staged(t, d))
	}
	// A waiter gets the lock when the holder dies.
	got := make(chan error, 1)
	go func() {
		unlock, err := d.Lock(t.Context(), "lock")
		if err == nil {
			unlock()
			unlock()
		}
		got <- err
	}()
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // reports the kill
	must(t, <-got)
	if n, err := d.CleanStaging(); n != 1 || err != nil || len(staged(t, d)) != 0 {
		t.Errorf("CleanStaging = %d, %v, left %v", n, err, staged(t, d))
	}
}

// security 3.6 row 96: processes are serialised.
func TestLockSerialises(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	var cmds []*exec.Cmd
	for range 3 {
		cmd := command(t, "count", d.abs)
		must(t, cmd.Start())
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		must(t, cmd.Wait())
	}
	if b, err := d.ReadFile("n", 100); err != nil || string(b) != "150" {
		t.Errorf("count = %q, %v, want 150", b, err)
	}
}

func TestLockInOneProcess(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r1, err := d.RLock(ended, "lock")
	must(t, err)
	r2, err := d.RLock(ended, "lock")
	must(t, err)
	var le *LockedError
	if _, err := d.Lock(ended, "lock"); !errors.As(err, &le) || le.PID != 0 {
		t.Errorf("Lock beside readers = %v, want *LockedError without pid", err)
	}
	r1()
	r2()
	unlock, err := d.Lock(ended, "lock")
	must(t, err)
	if _, err := d.RLock(ended, "lock"); !errors.As(err, &le) || le.PID != os.Getpid() {
		t.Errorf("RLock beside a writer = %v, want our pid", err)
	}
	unlock()
	again, err := d.Lock(ended, "lock")
	must(t, err)
	unlock() // must not free the lock of the next holder
	if _, err := d.Lock(ended, "lock"); !errors.As(err, &le) || le.PID != os.Getpid() {
		t.Errorf("Lock beside a writer = %v, want our pid", err)
	}
	again()
}

// security 3.6 row 97.
func TestLockRefuses(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	must(t, d.WriteFile("target", []byte("x"), 0o600))
	must(t, os.Symlink("target", d.Path("link")))
	must(t, os.Symlink("nowhere", d.Path("dangling")))
	must(t, d.MkdirAll("dir"))
	must(t, syscall.Mkfifo(d.Path("fifo"), 0o600))
	must(t, os.WriteFile(d.Path("open"), nil, 0o600))
	must(t, os.Chmod(d.Path("open"), 0o666))
	for _, name := range []string{"link", "dangling", "dir", "fifo"} {
		if _, err := d.Lock(t.Context(), name); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Lock(%q) = %v, want ErrNotRegular", name, err)
		}
		if _, err := d.RLock(t.Context(), name); !errors.Is(err, ErrNotRegular) {
			t.Errorf("RLock(%q) = %v, want ErrNotRegular", name, err)
		}
	}
	if _, err := d.Lock(t.Context(), "open"); !errors.As(err, new(*InsecureError)) {
		t.Errorf("Lock(mode 0666) = %v, want *InsecureError", err)
	}
	if _, err := d.ReadFile("fifo", 1); !errors.Is(err, ErrNotRegular) {
		t.Errorf("ReadFile(fifo) = %v, want ErrNotRegular", err)
	}
	if _, err := os.Lstat(d.Path("nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dangling link was followed")
	}
}

// security 3.6 row 89: kill -9 before every step, then the next command.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before, after, steps := c.states(t)
			for n := range steps {
				d := openHome(t, nil)
				must(t, c.prepare(d))
				cmd := command(t, "kill", d.abs, c.name, strconv.Itoa(n))
				if err := cmd.Run(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatalf("step %d: child was not killed: %v", n, err)
				}
				c.checkHealed(t, fmt.Sprintf("killed at step %d", n), d, before, after)
			}
		})
	}
}

// security 3.2 row 31: directories 0700 and files 0600 under every umask.
func TestUmask(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"000", "022", "077"} {
		home := filepath.Join(t.TempDir(), "x", "home")
		must(t, command(t, "umask", home, mask).Run())
		d, err := OpenHome(home, Options{})
		must(t, err)
		modes := 0
		must(t, filepath.WalkDir(filepath.Dir(home), func(p string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			modes++
			perm := info.Mode().Perm()
			if perm&0o022 != 0 {
				t.Errorf("umask %s: %s has mode %04o", mask, p, perm)
			}
			rel, _ := filepath.Rel(home, p)
			// Package files take their mode from what they are installed with.
			if inTree := strings.HasPrefix(rel, "packages/k/id/1.0.0") || strings.HasPrefix(rel, "snap/"); !inTree && rel != "snap" && perm&0o077 != 0 {
				t.Errorf("umask %s: %s has mode %04o", mask, p, perm)
			}
			return nil
		}))
		if modes < 15 {
			t.Errorf("umask %s: only %d files were looked at", mask, modes)
		}
		must(t, errors.Join(d.RemoveAll("packages"), d.RemoveAll("snap"), d.Close()))
	}
}

// Root ignores modes, so the read-only trees are also made, moved and removed
// by a user that does not (security 3.6 row 94).
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	cmd := command(t, "user", filepath.Join(base, "work", "home"))
	if os.Geteuid() == 0 {
		// The test binary is where only root may look.
		open, err := os.MkdirTemp("/tmp", "fsx")
		if err != nil {
			t.Skipf("no directory that every user can enter: %v", err)
		}
		t.Cleanup(func() { os.RemoveAll(open) })
		must(t, os.Chmod(open, 0o755))
		data, err := os.ReadFile(cmd.Path)
		must(t, err)
		bin := filepath.Join(open, "fsx.test")
		must(t, os.WriteFile(bin, data, 0o755))
		work := filepath.Join(open, "work")
		must(t, os.Mkdir(work, 0o700))
		must(t, os.Chown(work, 65534, 65534))
		next := command(t, "user", filepath.Join(work, "home"))
		next.Path, next.Args[0], next.Dir = bin, bin, work
		next.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd = next
	} else {
		must(t, os.Mkdir(filepath.Join(base, "work"), 0o700))
	}
	if err := cmd.Run(); errors.Is(err, syscall.EPERM) {
		t.Skipf("cannot become another user: %v", err)
	} else if err != nil {
		t.Error(err)
	}
	if os.Geteuid() != 0 {
		if d, err := OpenHome(filepath.Join(base, "work", "home"), Options{}); err == nil {
			must(t, errors.Join(d.RemoveAll("packages"), d.RemoveAll("snap"), d.Close()))
		}
	}
}

// security 3.2 rows 22 and 23: a link that takes the place of the file between
// the look and the open is never read through.
func TestReadWhileFlippedToLink(t *testing.T) {
	t.Parallel()
	d := openHome(t, nil)
	must(t, d.WriteNew("secret", []byte("secret"), 0o600))
	must(t, d.WriteNew("file", []byte("public"), 0o600))
	must(t, os.Symlink("secret", d.Path("link")))
	must(t, os.Link(d.Path("file"), d.Path("f")))
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			for _, from := range []string{"link", "file"} {
				// A second name of the file or link, renamed over f.
				err := errors.Join(os.Link(d.Path(from), d.Path("next")), os.Rename(d.Path("next"), d.Path("f")))
				if err != nil {
					stopped <- err
					return
				}
				_ = os.Remove(d.Path("next")) // renaming one inode over itself does nothing
			}
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
		}
	}()
	public := 0
	for range 5000 {
		b, err := d.ReadFile("f", 100)
		if string(b) == "secret" {
			t.Error("read through the link")
			break
		}
		if err == nil {
			public++
		}
	}
	close(stop)
	must(t, <-stopped)
	if public == 0 {
		t.Error("the file was never read, so nothing was tested")
	}
}
