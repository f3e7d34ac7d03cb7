package fsx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// mount makes a tmpfs and returns its path and a function that makes it
// read-only.
func mount(t *testing.T, options string) (dir string, readOnly func()) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("this machine does not let the test mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir, func() { must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")) }
}

// fill uses operation f until it does not succeed, and returns its error.
func fill(t *testing.T, f func(i int) error) error {
	t.Helper()
	for i := range 100000 {
		if err := f(i); err != nil {
			return err
		}
	}
	t.Fatal("the disk never got full")
	return nil
}

// security 3.6 row 93: a full disk, and no inode left.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{"1 MiB": "size=1m", "20 inodes": "size=1m,nr_inodes=20"} {
		t.Run(name, func(t *testing.T) {
			dir, _ := mount(t, options)
			d, err := OpenHome(filepath.Join(dir, "home"), Options{Create: true})
			must(t, err)
			defer d.Close()
			must(t, d.WriteFile("f", []byte("old"), 0o600))
			must(t, d.WriteFile("spare", make([]byte, 64<<10), 0o600))
			must(t, d.Append("l", []byte("old")))
			must(t, d.MkdirAll("many"))
			before := []string{"f", "l"}

			err = fill(t, func(i int) error { return d.WriteFile(fmt.Sprintf("many/%d", i), make([]byte, 10000), 0o600) })
			if !errors.Is(err, ErrNoSpace) {
				t.Errorf("WriteFile on the full disk = %v, want ErrNoSpace", err)
			}
			// With the last pages gone as well, a ledger cannot grow.
			if name == "1 MiB" {
				_ = fill(t, func(i int) error { return d.WriteNew(fmt.Sprintf("many/n%d", i), make([]byte, 4096), 0o600) })
				if err := d.WriteFile("f", make([]byte, 5000), 0o600); !errors.Is(err, ErrNoSpace) {
					t.Errorf("WriteFile = %v, want ErrNoSpace", err)
				}
				if err := d.Append("l", make([]byte, 9000)); !errors.Is(err, ErrNoSpace) {
					t.Errorf("Append = %v, want ErrNoSpace", err)
				}
			} else if _, err := d.Stage(); !errors.Is(err, ErrNoSpace) {
				t.Errorf("Stage = %v, want ErrNoSpace", err)
			}
			for _, f := range before {
				if b, err := d.ReadFile(f, 100); err != nil || string(b[:3]) != "old" || len(b) > 4 {
					t.Errorf("%s = %q, %v, want the old content", f, b, err)
				}
			}
			if left := staged(t, d); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
			// Retry works once there is room.
			must(t, d.Remove("spare"))
			must(t, d.WriteFile("f", []byte("new"), 0o600))
			must(t, d.Append("l", []byte("new")))
		})
	}
}

// security 3.6 row 94: a store on a read-only mount can be read, and every
// write says so.
func TestReadOnlyMount(t *testing.T) {
	t.Parallel()
	dir, readOnly := mount(t, "size=1m")
	home := filepath.Join(dir, "home")
	d, err := OpenHome(home, Options{Create: true})
	must(t, err)
	must(t, d.WriteFile("f", []byte("x"), 0o600))
	must(t, d.Append("l", []byte("x")))
	must(t, d.MkdirAll("tree/a"))
	must(t, os.WriteFile(d.Path("lock"), nil, 0o600))
	must(t, os.WriteFile(d.Path("staging/0123456789abcdef.tmp"), nil, 0o600))
	must(t, d.Close())
	readOnly()

	d, err = OpenHome(home, Options{Create: true})
	must(t, err)
	defer d.Close()
	if b, err := d.ReadFile("f", 10); err != nil || string(b) != "x" {
		t.Errorf("ReadFile = %q, %v", b, err)
	}
	if lines, torn, err := d.ReadLines("l", 10); len(lines) != 1 || torn || err != nil {
		t.Errorf("ReadLines = %q, %v, %v", lines, torn, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"lock", "no-lock-yet"} {
		unlock, err := d.RLock(ctx, name)
		if err != nil {
			t.Errorf("RLock(%s) = %v", name, err)
			continue
		}
		unlock()
	}
	if err := d.MkdirAll("tree/a"); err != nil {
		t.Errorf("MkdirAll of what is there = %v", err)
	}
	writes := map[string]func() error{
		"WriteFile":       func() error { return d.WriteFile("f", []byte("y"), 0o600) },
		"WriteNew":        func() error { return d.WriteNew("n", nil, 0o600) },
		"Append":          func() error { return d.Append("l", []byte("y")) },
		"Append new":      func() error { return d.Append("m", []byte("y")) },
		"MkdirAll":        func() error { return d.MkdirAll("b/c") },
		"Remove":          func() error { return d.Remove("f") },
		"RemoveAll":       func() error { return d.RemoveAll("tree") },
		"RenameNoReplace": func() error { return d.RenameNoReplace("tree", "wood") },
		"Place":           func() error { return d.Place("tree", "wood") },
		"SwapDir":         func() error { return d.SwapDir("tree", "wood") },
		"CleanStaging":    func() error { _, err := d.CleanStaging(); return err },
		"Stage":           func() error { _, err := d.Stage(); return err },
		"Lock":            func() error { _, err := d.Lock(ctx, "lock"); return err },
		"Lock new":        func() error { _, err := d.Lock(ctx, "lock2"); return err },
		"OpenHome": func() error {
			_, err := OpenHome(filepath.Join(dir, "other"), Options{Create: true})
			return err
		},
	}
	for name, write := range writes {
		if err := write(); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s = %v, want ErrReadOnly", name, err)
		}
	}
	if _, err := d.Lstat("tree/a"); errors.Is(err, fs.ErrNotExist) {
		t.Error("the tree is gone")
	}
}
