package fsx

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// powerCut is FS_IOC_SHUTDOWN of linux/fs.h; noLogFlush drops what the journal
// has not written, as a power cut does.
const (
	powerCut   = 0x8004587d
	noLogFlush = 2
)

// security 3.6 row 90: what returned nil before a power cut is there after it.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	mkfs, err := exec.LookPath("mkfs.ext4")
	if err != nil {
		t.Skipf("no mkfs.ext4: %v", err)
	}
	image, dir := filepath.Join(t.TempDir(), "disk"), t.TempDir()
	must(t, os.WriteFile(image, nil, 0o600))
	must(t, os.Truncate(image, 16<<20))
	if out, err := exec.Command(mkfs, "-q", "-F", image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v: %s", err, out)
	}
	mount := func() error {
		out, err := exec.Command("mount", "-o", "loop", image, dir).CombinedOutput()
		if err != nil {
			return errors.New(string(out) + err.Error())
		}
		return nil
	}
	if err := mount(); err != nil {
		t.Skipf("this machine does not let the test mount a loop device: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })

	home := filepath.Join(dir, "home")
	d, err := OpenHome(home, Options{Create: true})
	must(t, err)
	must(t, d.WriteFile("f", []byte("old"), 0o600))
	must(t, d.WriteFile("gone", []byte("old"), 0o600))
	must(t, d.Append("l", []byte("1")))
	s, err := d.Stage()
	must(t, err)
	must(t, s.Dir.WriteNew("f", []byte("old"), 0o600))
	must(t, d.SyncTree(s.Name))
	must(t, d.SwapDir(s.Name, "snap"))
	must(t, s.Close())
	// From here each step is made durable by its own syncs only.
	s, err = d.Stage()
	must(t, err)
	must(t, s.Dir.WriteNew("f", []byte("new"), 0o600))
	must(t, d.SyncTree(s.Name))
	must(t, d.SwapDir(s.Name, "snap"))
	must(t, s.Close())
	must(t, install(d, 3))
	must(t, d.Append("l", []byte("2")))
	must(t, d.MkdirAllSynced("active/x"))
	must(t, d.WriteFile("active/x/id.json", []byte("new"), 0o600))
	must(t, d.Remove("gone"))
	must(t, d.WriteFile("f", []byte("new"), 0o600))
	must(t, d.WriteNew("unsynced", []byte("x"), 0o600))

	f, err := os.Open(dir)
	must(t, err)
	err = unix.IoctlSetPointerInt(int(f.Fd()), powerCut, noLogFlush)
	must(t, errors.Join(f.Close(), d.Close()))
	if err != nil {
		t.Skipf("the file system cannot simulate a power cut: %v", err)
	}
	must(t, unix.Unmount(dir, 0))
	must(t, mount())

	d, err = OpenHome(home, Options{})
	must(t, err)
	defer d.Close()
	for name, want := range map[string]string{
		"f": "new", "snap/f": "new", "l": "1\n2\n", "active/x/id.json": "new",
		"packages/k/id/1.0.0/f0": "x", "packages/k/id/1.0.0/f2": "x", "receipts/k/id/1.0.0.json": "{}",
	} {
		if b, err := d.ReadFile(name, 100); err != nil || string(b) != want {
			t.Errorf("%s = %q, %v, want %q", name, b, err, want)
		}
	}
	if _, err := d.Lstat("gone"); err == nil {
		t.Error("a removed file came back")
	}
	// Without this the test could pass on a file system that loses nothing.
	if _, err := d.Lstat("unsynced"); err == nil {
		t.Error("a file that was never synced survived: no power was cut")
	}
	if _, err := d.CleanStaging(); err != nil {
		t.Error(err)
	}
	if left := staged(t, d); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}
