package store

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pinion/internal/fsx"
	"pinion/internal/testkit"
)

// mountFor mounts something for one test, or skips with the reason.
func mountFor(t *testing.T, args ...string) (dir string, again func(), umount func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir = t.TempDir()
	mount := func() error {
		out, err := exec.Command("mount", append(args, dir)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	mounted := true
	umount = func() {
		if mounted {
			must(t, syscall.Unmount(dir, 0))
			mounted = false
		}
	}
	if err := mount(); err != nil {
		t.Skipf("cannot mount here: %v", err)
	}
	t.Cleanup(func() {
		if mounted {
			_ = syscall.Unmount(dir, syscall.MNT_DETACH)
		}
	})
	return dir, func() { must(t, mount()); mounted = true }, umount
}

// security 3.6 row 94: on a read-only file system reading works and each write
// is one clear error.
func TestReadOnlyHome(t *testing.T) {
	dir, _, _ := mountFor(t, "-t", "tmpfs", "-o", "size=4m", "tmpfs")
	root := filepath.Join(dir, "home")
	h := &home{t: t, root: root}
	d, err := fsx.OpenHome(root, fsx.Options{Create: true})
	must(t, err)
	h.dir = d
	must(t, prepareState(t.Context(), h.open(), t.TempDir()))
	// What a killed process left cannot be removed either.
	h.write("staging/0123456789abcdef.lock", nil)
	must(t, d.Close())
	must(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	d, err = fsx.OpenHome(root, fsx.Options{})
	must(t, err)
	defer d.Close()
	h.dir = d
	s := h.open()
	ctx := t.Context()
	rs, damaged, err := s.List(ctx)
	if err != nil || len(rs) != 3 || len(damaged) != 0 {
		t.Errorf("List = %v, %v, %v", rs, damaged, err)
	}
	if p, err := s.Previous(ctx, Scope{}, "x"); err != nil || p.Version != "1.0.0" {
		t.Errorf("Previous = %v, %v", p, err)
	}
	if diffs, err := s.Verify(ctx); err != nil || len(diffs) != 0 {
		t.Errorf("Verify = %v, %v", diffs, err)
	}
	if plan, err := s.GC(ctx, 0, nil, true); err != nil || len(plan.Remove) != 1 {
		t.Errorf("GC = %+v, %v", plan, err)
	}
	before := h.snapshot()
	for _, o := range operations() {
		if err := o.run(ctx, s, t.TempDir()); !errors.Is(err, fsx.ErrReadOnly) {
			t.Errorf("%s = %v, want ErrReadOnly", o.name, err)
		}
	}
	same(t, "afterwards", h.snapshot(), before)
}

// security 3.6 row 93: on a file system that is really full the installation
// fails with one error, leaves nothing, and succeeds once there is room.
func TestFullDisk(t *testing.T) {
	for _, size := range []string{"size=192k", "nr_inodes=60,size=1m"} {
		t.Run(size, func(t *testing.T) {
			dir, _, _ := mountFor(t, "-t", "tmpfs", "-o", size, "tmpfs")
			root := filepath.Join(dir, "home")
			h := &home{t: t, root: root}
			d, err := fsx.OpenHome(root, fsx.Options{Create: true})
			must(t, err)
			defer d.Close()
			h.dir = d
			s := h.open()
			ctx := t.Context()
			var last error
			for i := range 100 {
				before := h.snapshot()
				last = func() error {
					p, err := stage(ctx, s, t.TempDir(), files("x", fmt.Sprintf("1.%d.0", i)))
					if err != nil {
						return err
					}
					defer p.Stage.Discard()
					_, err = s.Commit(ctx, []Placement{p})
					return err
				}()
				if last != nil {
					if got := h.snapshot(); i > 0 {
						same(t, "after the failure", got, before)
					}
					break
				}
			}
			if !errors.Is(last, fsx.ErrNoSpace) {
				t.Fatalf("the last installation = %v, want ErrNoSpace", last)
			}
			rs, _, err := s.List(ctx)
			must(t, err)
			if diffs, err := s.Verify(ctx); err != nil || len(diffs) != 0 || len(rs) == 0 {
				t.Errorf("%d installed, Verify = %v, %v", len(rs), diffs, err)
			}
			// A full disk can be emptied, without room for a new file.
			if err := s.Uninstall(ctx, rs[0].Build(), false); err != nil {
				t.Errorf("Uninstall on the full disk: %v", err)
			}
			h.install(s, "x", "2.0.0")
			if left := h.staged(); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

const (
	shutdownRequest = 0x8004587d // FS_IOC_SHUTDOWN
	shutdownNoLog   = 2          // without writing out the journal
)

// powerCut takes the file system away as a power cut does: what was not synced
// is lost.
func powerCut(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.IoctlSetPointerInt(int(f.Fd()), shutdownRequest, shutdownNoLog)
}

// security 3.6 row 90, 4.2 layer 6: after a power cut behind the end of a call
// its result is there; after one at any step before, the old or the new state.
func TestPowerCut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	mkfs, err := exec.LookPath("mkfs.ext4")
	if err != nil {
		t.Skip("mkfs.ext4 is not installed")
	}
	image := filepath.Join(fastDir(t), "disk")
	must(t, os.WriteFile(image, nil, 0o600))
	must(t, os.Truncate(image, 16<<20))
	if out, err := exec.Command(mkfs, "-q", "-F", image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v: %s", err, out)
	}
	dir, again, umount := mountFor(t, "-o", "loop", image)
	template := newHome(t)
	must(t, prepareState(t.Context(), template.open(), t.TempDir()))

	round := 0
	// cut runs an operation with a power cut before step n, and returns what is
	// there afterwards, or false when there are fewer steps: then the cut was
	// behind the end.
	cut := func(o operation, n int) (h *home, before bool) {
		round++
		root := filepath.Join(dir, fmt.Sprint(round))
		testkit.CopyTree(t, template.root, root)
		unix.Sync()
		h = &home{t: t, root: root}
		d, err := fsx.OpenHome(root, fsx.Options{Hook: h.step})
		must(t, err)
		h.dir = d
		s := h.open()
		step := 0
		h.setHook(func(fsx.Op, string) error {
			step++
			if step < n {
				return nil
			}
			if step == n {
				must(t, powerCut(dir))
			}
			return syscall.EIO
		})
		err = o.run(t.Context(), s, t.TempDir())
		h.setHook(nil)
		if before = step >= n; !before {
			must(t, err)
			must(t, powerCut(dir))
		}
		for _, note := range s.stuck {
			s.release(note) // the file system is busy as long as they are open
		}
		must(t, d.Close())
		umount()
		again()
		d, err = fsx.OpenHome(root, fsx.Options{Hook: h.step})
		must(t, err)
		h.dir = d
		return h, before
	}
	if err := powerCut(dir); err != nil {
		t.Skipf("the file system cannot be shut down: %v", err)
	}
	umount()
	again()
	for _, o := range operations() {
		old, new, steps := o.states(t, template)
		stride := 4 // each cut is a mount and a repair of the file system
		if o.name == "install" || o.single {
			stride = 1
		}
		for n := 1; n <= steps+stride; n += stride {
			what := fmt.Sprintf("%s, power cut before step %d", o.name, n)
			h, before := cut(o, n)
			if !before {
				what = o.name + ", power cut behind the end"
				s := h.open()
				got := visible(h.snapshot())
				if !maps.Equal(got, visible(new)) {
					t.Errorf("%s: what was reported as done is lost", what)
					same(t, what, got, visible(new))
				}
				must(t, s.Prepare(t.Context()))
			}
			o.check(t, what, h, old, new)
			must(t, h.dir.Close())
			must(t, testkit.RemoveTree(h.root))
			if !before {
				break
			}
		}
	}
}
