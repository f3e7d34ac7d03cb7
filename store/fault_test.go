package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pinion/internal/fsx"
)

// operation is one change for the fault, kill and power-cut tests. The state
// before it is always: x 1.0.0 and 1.1.0 active in this order, old 1.0.0
// installed.
type operation struct {
	name string
	run  func(ctx context.Context, s *Store, dir string) error
	// steps is true when the change is made of two, each complete in itself.
	steps bool
	// single is true when one rename makes the change visible.
	single bool
}

// prepareState makes the state before every operation.
func prepareState(ctx context.Context, s *Store, dir string) error {
	for i, b := range [][2]string{{"x", "1.0.0"}, {"x", "1.1.0"}, {"old", "1.0.0"}} {
		p, err := stage(ctx, s, fmt.Sprintf("%s/%d", dir, i), files(b[0], b[1]))
		if err != nil {
			return err
		}
		placed, err := s.Commit(ctx, []Placement{p})
		p.Stage.Discard()
		if err != nil {
			return err
		}
		if b[0] == "x" {
			if _, err := s.Activate(ctx, Scope{}, placed[0].Build(), nil, "activate"); err != nil {
				return err
			}
		}
	}
	return nil
}

func find(ctx context.Context, s *Store, id, version string) (Build, error) {
	rs, _, err := s.Find(ctx, id)
	for _, r := range rs {
		if r.Version == version {
			return r.Build(), err
		}
	}
	return Build{}, errors.Join(err, ErrNotInstalled)
}

// operations is a function: the tests run it in several processes.
func operations() []operation {
	install := func(ctx context.Context, s *Store, dir string) error {
		p, err := stage(ctx, s, dir, files("x", "2.0.0"))
		if err != nil {
			return err
		}
		defer p.Stage.Discard()
		_, err = s.Commit(ctx, []Placement{p})
		return err
	}
	uninstall := func(id, version string, force bool) func(context.Context, *Store, string) error {
		return func(ctx context.Context, s *Store, _ string) error {
			b, err := find(ctx, s, id, version)
			if errors.Is(err, ErrNotInstalled) {
				return nil // done by the run that was cut off
			}
			if err != nil {
				return err
			}
			return s.Uninstall(ctx, b, force)
		}
	}
	return []operation{
		{name: "install", single: true, run: install},
		{name: "activate", single: true, run: func(ctx context.Context, s *Store, _ string) error {
			b, err := find(ctx, s, "x", "1.0.0")
			if err != nil {
				return err
			}
			_, err = s.Activate(ctx, Scope{}, b, &Consent{Grants: []string{"computer"}}, "activate")
			return err
		}},
		{name: "rollback", single: true, run: func(ctx context.Context, s *Store, _ string) error {
			p, err := s.Active(ctx, Scope{}, "x")
			if err != nil || p.Current == nil || p.Current.Version == "1.0.0" {
				return err
			}
			_, err = s.Rollback(ctx, Scope{}, "x", Build{}, nil)
			return err
		}},
		{name: "disable", single: true, run: func(ctx context.Context, s *Store, _ string) error {
			_, err := s.Disable(ctx, Scope{}, "x")
			return err
		}},
		{name: "uninstall", run: uninstall("old", "1.0.0", false)},
		{name: "uninstall with history", run: uninstall("x", "1.0.0", false)},
		{name: "uninstall by force", run: uninstall("x", "1.1.0", true), steps: true},
		{name: "gc", run: func(ctx context.Context, s *Store, _ string) error {
			_, err := s.GC(ctx, 0, nil, false)
			return err
		}},
		{name: "repair", run: func(ctx context.Context, s *Store, dir string) error {
			p, err := stage(ctx, s, dir, files("old", "1.0.0"))
			if err != nil {
				return err
			}
			defer p.Stage.Discard()
			_, err = s.Replace(ctx, p)
			return err
		}},
	}
}

// states returns the state before and after, and how many steps the change is.
func (o operation) states(t *testing.T, template *home) (old, new map[string]string, steps int) {
	t.Helper()
	h := template.clone(t)
	s := h.open()
	old = h.snapshot()
	h.setHook(func(fsx.Op, string) error { steps++; return nil })
	must(t, o.run(t.Context(), s, t.TempDir()))
	h.setHook(nil)
	return old, h.snapshot(), steps
}

// check is what must hold after any interruption (security 4.2, I1, I2, I6, I7),
// with what the next command does.
func (o operation) check(t *testing.T, what string, h *home, old, new map[string]string) {
	t.Helper()
	s := h.open()
	ctx := t.Context()
	if err := s.Prepare(ctx); err != nil {
		t.Errorf("%s: the next command: %v", what, err)
		return
	}
	got := h.snapshot()
	if !maps.Equal(got, old) && !maps.Equal(got, new) && !o.steps {
		t.Errorf("%s: the state is neither old nor new", what)
		same(t, what+" against old", got, old)
		same(t, what+" against new", got, new)
	}
	if diffs, err := s.Verify(ctx); err != nil || len(diffs) != 0 {
		t.Errorf("%s: Verify = %s, %v", what, described(diffs), err)
	}
	ps, damaged, err := s.Actives(ctx, Scope{})
	if err != nil || len(damaged) != 0 {
		t.Errorf("%s: Actives: %v, %v", what, damaged, err)
	}
	for _, p := range ps {
		if p.Current != nil && s.usable(*p.Current) != nil {
			t.Errorf("%s: the pointer of %s names what is not there: %v", what, p.ID, s.usable(*p.Current))
		}
	}
	if err := o.run(ctx, s, t.TempDir()); err != nil {
		t.Errorf("%s: the same command again: %v", what, err)
	}
	same(t, what+", run again", h.snapshot(), new)
	if left := h.staged(); len(left) != 0 {
		t.Errorf("%s: left over: %v", what, left)
	}
}

// security 3.6 rows 91, 92: every step in turn fails, once or from there on.
func TestEveryStepFails(t *testing.T) {
	t.Parallel()
	template := newHome(t)
	must(t, prepareState(t.Context(), template.open(), t.TempDir()))
	for _, o := range operations() {
		t.Run(o.name, func(t *testing.T) {
			old, new, steps := o.states(t, template)
			if steps < 4 {
				t.Fatalf("the hook saw %d steps", steps)
			}
			for n := range steps {
				// The errors differ in nothing but their name here, so each
				// step meets two of them.
				errnos := []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EMFILE}
				for i, forEver := range []bool{false, true} {
					o.failAt(t, template, n, errnos[(n+i)%len(errnos)], forEver, old, new)
				}
			}
		})
	}
}

func (o operation) failAt(t *testing.T, template *home, n int, errno error, forEver bool, old, new map[string]string) {
	t.Helper()
	what := fmt.Sprintf("step %d: %v, for ever %v", n, errno, forEver)
	h := template.clone(t)
	s := h.open()
	step, failed := 0, ""
	h.setHook(func(op fsx.Op, name string) error {
		step++
		if step == n+1 || forEver && step > n {
			if failed == "" {
				failed = fmt.Sprintf("%s %s", op, name)
			}
			return errno
		}
		return nil
	})
	err := o.run(t.Context(), s, t.TempDir())
	h.setHook(nil)
	what += ", " + failed
	// Some steps are not needed: the id in the lock file, the removal of what
	// nothing refers to.
	if err != nil {
		if !errors.Is(err, errno) || strings.Contains(err.Error(), "\n\n") {
			t.Errorf("%s: error %q does not say why", what, err)
		}
		if errors.Is(err, fsx.ErrNotDurable) && o.single {
			same(t, what+": "+err.Error(), visible(h.snapshot()), visible(new))
		}
	}
	// The same process goes on.
	if perr := s.Prepare(t.Context()); perr != nil {
		t.Errorf("%s: the same process: %v", what, perr)
	}
	o.check(t, what, h, old, new)
}

// visible leaves out what only a later step removes.
func visible(state map[string]string) map[string]string {
	got := maps.Clone(state)
	for name := range got {
		if !strings.HasPrefix(name, receiptsDir) && !strings.HasPrefix(name, activeDir) || strings.HasPrefix(got[name], "d") {
			delete(got, name)
		}
	}
	return got
}

// Goroutines of one process exclude each other too.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := context.Background()
	var wg sync.WaitGroup
	errs := make(chan error, 64)
	for i := range 8 {
		dir := t.TempDir()
		wg.Go(func() {
			p, err := stage(ctx, s, dir, files("x", fmt.Sprintf("1.%d.0", i/2)))
			if err != nil {
				errs <- err
				return
			}
			defer p.Stage.Discard()
			placed, err := s.Commit(ctx, []Placement{p})
			if err == nil {
				_, err = s.Activate(ctx, Scope{}, placed[0].Build(), nil, "")
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		must(t, err)
	}
	if rs, damaged, err := s.List(ctx); err != nil || len(rs) != 4 || len(damaged) != 0 {
		t.Errorf("List = %d, %v, %v", len(rs), damaged, err)
	}
	if p, err := s.Active(ctx, Scope{}, "x"); err != nil || p.Current == nil {
		t.Errorf("Active = %+v, %v", p, err)
	}
	if left := h.staged(); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}
