package testkit

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Mount mounts something for one test and returns where, or skips the test with
// the reason why it cannot. args are those of mount(8) before the directory.
func Mount(t testing.TB, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	MountAt(t, dir, args...)
	return dir
}

// MountAt is [Mount] on a directory of choice.
func MountAt(t testing.TB, dir string, args ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("cannot mount here: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}
