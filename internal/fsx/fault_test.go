package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"syscall"
	"testing"
)

// change is one state-changing operation for the fault and kill tests.
// prepare makes the old state, arm what must exist right before run, run is
// the change; it is given the name that arm returned.
type change struct {
	name    string
	prepare func(*Dir) error
	arm     func(*Dir) (string, error)
	run     func(d *Dir, armed string) error
	// heal is what the next command does besides CleanStaging.
	heal func(*Dir) error
	// leftovers: a failed step may leave garbage in staging without the
	// operation being wrong.
	leftovers bool
}

func stageWith(content string) func(*Dir) (string, error) {
	return func(d *Dir) (string, error) {
		s, err := d.Stage()
		if err != nil {
			return "", err
		}
		err = errors.Join(s.Dir.WriteNew("f", []byte(content), 0o600), s.Dir.MkdirAll("sub"),
			s.Dir.WriteNew("sub/g", []byte(content), 0o600), s.Dir.Close(), s.unlock())
		return s.Name, errors.Join(err, d.MakeReadOnly(s.Name))
	}
}

// changes is a function: the tests run it in two processes.
func changes() []change {
	none := func(*Dir) (string, error) { return "", nil }
	oldSnapshot := func(d *Dir) error {
		return errors.Join(d.MkdirAll("snap"), d.WriteNew("snap/f", []byte("old"), 0o600))
	}
	return []change{
		{
			name:    "WriteFile",
			prepare: func(d *Dir) error { return d.WriteFile("f", []byte("old"), 0o600) },
			arm:     none,
			run:     func(d *Dir, _ string) error { return d.WriteFile("f", []byte("new"), 0o600) },
		},
		{
			name:    "WriteFile new",
			prepare: func(d *Dir) error { return d.mkdirStaging() },
			arm:     none,
			run:     func(d *Dir, _ string) error { return d.WriteFile("f", []byte("new"), 0o600) },
		},
		{
			name:    "Append",
			prepare: func(d *Dir) error { return d.Append("l", []byte("old")) },
			arm:     none,
			run:     func(d *Dir, _ string) error { return d.Append("l", []byte("new"), []byte("two")) },
		},
		{
			name:    "Append new",
			prepare: func(d *Dir) error { return nil },
			arm:     none,
			run:     func(d *Dir, _ string) error { return d.Append("l", []byte("new")) },
		},
		{
			name:    "Place",
			prepare: func(d *Dir) error { return d.MkdirAll("p") },
			arm:     stageWith("new"),
			run:     func(d *Dir, s string) error { return d.Place(s, "p/1") },
			// The tree that was not placed is for its owner to close.
			leftovers: true,
		},
		{
			name:    "Place portable",
			prepare: func(d *Dir) error { return d.MkdirAll("p") },
			arm:     stageWith("new"),
			run:     func(d *Dir, s string) error { return d.renamePortable(s, "p/1") },
			heal: func(d *Dir) error { // a version without receipt is garbage
				if err := d.root.Remove("p/1"); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) {
					return err
				}
				return nil
			},
			leftovers: true,
		},
		{
			name:      "SwapDir",
			prepare:   oldSnapshot,
			arm:       stageWith("new"),
			run:       func(d *Dir, s string) error { return d.SwapDir(s, "snap") },
			heal:      func(d *Dir) error { return d.RecoverSwap("snap") },
			leftovers: true,
		},
		{
			name:      "SwapDir in two renames",
			prepare:   oldSnapshot,
			arm:       stageWith("new"),
			run:       func(d *Dir, s string) error { return d.swapAside(s, "snap") },
			heal:      func(d *Dir) error { return d.RecoverSwap("snap") },
			leftovers: true,
		},
		{
			name: "RemoveAll",
			prepare: func(d *Dir) error {
				s, err := stageWith("old")(d)
				return errors.Join(err, d.Place(s, "tree"), d.root.Remove(s+lockSuffix))
			},
			arm:       none,
			run:       func(d *Dir, _ string) error { return d.RemoveAll("tree") },
			leftovers: true,
		},
		{
			name:    "Remove",
			prepare: func(d *Dir) error { return d.WriteFile("f", []byte("old"), 0o600) },
			arm:     none,
			run:     func(d *Dir, _ string) error { return d.Remove("f") },
		},
	}
}

// states returns the state before and after the change, healed, and the number
// of steps that it takes.
func (c change) states(t *testing.T) (before, after map[string]string, steps int) {
	t.Helper()
	d := openHome(t, nil)
	must(t, c.prepare(d))
	before = snapshot(t, d.abs)
	armed, err := c.arm(d)
	must(t, err)
	d.hook = func(Op, string) error { steps++; return nil }
	must(t, c.run(d, armed))
	d.hook = nil
	if c.heal != nil {
		must(t, c.heal(d))
	}
	return before, snapshot(t, d.abs), steps
}

// security 3.6 rows 91, 92: every step in turn fails once with each error.
func TestEveryStepFails(t *testing.T) {
	t.Parallel()
	for _, c := range changes() {
		before, after, steps := c.states(t)
		if steps == 0 {
			t.Fatalf("%s: the hook saw no step", c.name)
		}
		for _, errno := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
			for n := range steps {
				// once: the steps of the clean-up work; for ever: nothing works any more.
				for _, forEver := range []bool{false, true} {
					what := fmt.Sprintf("%s: step %d: %v, for ever %v", c.name, n, errno, forEver)
					c.failAt(t, what, n, errno, forEver, before, after)
				}
			}
		}
	}
}

func (c change) failAt(t *testing.T, what string, n int, errno error, forEver bool, before, after map[string]string) {
	t.Helper()
	d := openHome(t, nil)
	must(t, c.prepare(d))
	armed, err := c.arm(d)
	must(t, err)
	step := 0
	d.hook = func(op Op, _ string) error {
		step++
		if step == n+1 || forEver && step > n {
			return errno
		}
		return nil
	}
	err = c.run(d, armed)
	d.hook = nil
	if err == nil && !c.leftovers {
		t.Errorf("%s: succeeded", what)
	}
	if err != nil {
		if !errors.Is(err, errno) || !errors.As(err, new(*OpError)) {
			t.Errorf("%s: error %v does not wrap the reason", what, err)
		}
		if errors.Is(err, ErrReadOnly) != (errno == syscall.EROFS) || errors.Is(err, ErrNoSpace) != (errno == syscall.ENOSPC) {
			t.Errorf("%s: error %v is not named", what, err)
		}
	}
	if !forEver && !c.leftovers {
		if left := staged(t, d); len(left) != 0 {
			t.Errorf("%s: left over: %v", what, left)
		}
		if err != nil && !errors.Is(err, ErrNotDurable) {
			same(t, what, snapshot(t, d.abs), before)
		}
	}
	c.checkHealed(t, what, d, before, after)
}

// checkHealed cleans up as the next command does, and expects the old or the
// new state and nothing left over.
func (c change) checkHealed(t *testing.T, what string, d *Dir, before, after map[string]string) {
	t.Helper()
	if _, err := d.CleanStaging(); err != nil {
		t.Errorf("%s: CleanStaging: %v", what, err)
	}
	if c.heal != nil {
		if err := c.heal(d); err != nil {
			t.Errorf("%s: heal: %v", what, err)
		}
	}
	if left := staged(t, d); len(left) != 0 {
		t.Errorf("%s: left over after cleaning: %v", what, left)
	}
	got := snapshot(t, d.abs)
	if !maps.Equal(got, before) && !maps.Equal(got, after) && !c.unpromised(got, before) {
		t.Errorf("%s: state is neither old nor new:\n got %v\n old %v\n new %v", what, got, before, after)
	}
}

// unpromised accepts a state that differs from before only by what an operation
// may add without having been finished: an empty ledger, complete first lines of
// one Append, or a placed tree whose top is still writable.
func (c change) unpromised(got, before map[string]string) bool {
	const mode = "-rw------- "
	switch c.name {
	case "Append":
		return got["l"] == mode+"old\nnew\ntwo\n"
	case "Append new":
		return got["l"] == mode || got["l"] == mode+"new\n"
	case "Place":
		return got["p/1/f"] == "-r-------- new" && got["p/1/sub/g"] == "-r-------- new"
	case "RemoveAll": // only the mode of the top may have changed
		return got["tree/f"] == before["tree/f"] && got["tree/sub/g"] == before["tree/sub/g"]
	}
	return false
}

// The error names the step and the file, not a random temporary name alone.
func TestErrorText(t *testing.T) {
	t.Parallel()
	d := openHome(t, func(op Op, _ string) error {
		if op == OpSync {
			return syscall.ENOSPC
		}
		return nil
	})
	err := d.WriteFile("f", []byte("x"), 0o600)
	var oe *OpError
	if !errors.As(err, &oe) || oe.Op != OpSync {
		t.Fatalf("WriteFile = %v, want the fsync", err)
	}
	if want := "replace f: fsync " + oe.Name + ": no space left on device"; err.Error() != want {
		t.Errorf("error = %q, want %q", err, want)
	}
	if _, err := os.Lstat(d.Path("f")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("f is there: %v", err)
	}
}
