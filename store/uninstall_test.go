package store

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// cli.md: never the active version without --force; nothing is left behind.
func TestUninstall(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx, sc := t.Context(), Scope{}
	h.activate(s, sc, h.install(s, "other", "1.0.0"))
	empty := h.snapshot()

	a, b := h.install(s, "x", "1.0.0"), h.install(s, "x", "1.1.0")
	_, err := s.Activate(ctx, sc, a, &Consent{Capabilities: "none"}, "activate")
	must(t, err)
	h.activate(s, sc, b)
	before := h.snapshot()
	if err := s.Uninstall(ctx, b, false); !errors.Is(err, ErrActive) {
		t.Errorf("Uninstall of the active version = %v, want ErrActive", err)
	}
	same(t, "after a refusal", h.snapshot(), before)

	must(t, s.Uninstall(ctx, a, false))
	if err := s.Uninstall(ctx, a, false); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("second Uninstall = %v", err)
	}
	p, err := s.Active(ctx, sc, "x")
	must(t, err)
	if len(p.History) != 1 || p.History[0].Build != b || *p.Current != b {
		t.Errorf("pointer = %+v, want only the version that is left", p)
	}
	must(t, s.Uninstall(ctx, b, true))
	same(t, "after all are gone", h.snapshot(), empty)
	if left := h.staged(); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

// By force, with another version left: nothing is active, and what a rollback
// left behind stays passed.
func TestUninstallForce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx, sc := t.Context(), Scope{}
	a, b, c := h.install(s, "x", "1.0.0"), h.install(s, "x", "1.1.0"), h.install(s, "x", "1.2.0")
	for _, v := range []Build{a, b, c} {
		h.activate(s, sc, v)
	}
	_, err := s.Rollback(ctx, sc, "x", b, nil)
	must(t, err)
	must(t, s.Uninstall(ctx, c, false))
	must(t, s.Uninstall(ctx, b, true))
	p, err := s.Active(ctx, sc, "x")
	must(t, err)
	if p.Current != nil || !p.HasPassed(c) {
		t.Errorf("pointer = %+v, want nothing active and 1.2.0 passed", p)
	}
	if ch, err := s.Rollback(ctx, sc, "x", Build{}, nil); err != nil || *ch.To != a {
		t.Errorf("Rollback = %+v, %v, want 1.0.0", ch, err)
	}
}

func whys(items []Item) string {
	var out []string
	for _, it := range items {
		out = append(out, it.Build.Ref()+" "+it.Why)
	}
	return strings.Join(out, ", ")
}

// cli.md: gc keeps what is active, pinned, held and --keep N before the active
// one, with sizes.
func TestGC(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	now := testTime
	s, err := Open(h.dir, Options{Clock: func() time.Time { return now }})
	must(t, err)
	ctx, project := t.Context(), Scope{Project: t.TempDir()}
	x := map[string]Build{}
	for _, v := range []string{"1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0"} {
		x[v] = h.install(s, "x", v)
		now = now.Add(time.Minute)
	}
	for _, v := range []string{"1.0.0", "1.2.0", "1.1.0", "1.3.0"} {
		h.activate(s, Scope{}, x[v])
	}
	h.activate(s, project, x["1.5.0"])
	h.install(s, "y", "1.0.0")
	now = now.Add(time.Minute)
	h.install(s, "y", "0.9.0") // installed last
	h.install(s, "z", "1.0.0")
	h.install(s, "z", "2.0.0")
	_, err = s.Hold(ctx, project, "z")
	must(t, err)
	must(t, os.RemoveAll(project.Project))
	now = now.Add(time.Hour)
	h.install(s, "x", "1.6.0")
	pinned := func(b Build) bool { return b == x["1.0.0"] }

	before := h.snapshot()
	plan, err := s.GC(ctx, 1, pinned, true)
	must(t, err)
	same(t, "after a dry run", h.snapshot(), before)
	wantKeep := "x@1.6.0 new, x@1.5.0 active, x@1.3.0 active, x@1.1.0 previous, x@1.0.0 pinned, y@0.9.0 only version, z@2.0.0 held, z@1.0.0 held"
	if got := whys(plan.Keep); got != wantKeep {
		t.Errorf("keep = %s\nwant   %s", got, wantKeep)
	}
	if got, want := whys(plan.Remove), "x@1.4.0 , x@1.2.0 , y@1.0.0 "; got != want {
		t.Errorf("remove = %s, want %s", got, want)
	}
	var bytes int64
	for _, it := range plan.Remove {
		bytes += it.Bytes
	}
	if plan.Freed != bytes || bytes < 1000 {
		t.Errorf("freed = %d, want %d", plan.Freed, bytes)
	}
	if len(plan.Orphans) != 1 || plan.Orphans[0].Root != project.Project {
		t.Errorf("orphans = %+v", plan.Orphans)
	}
	done, err := s.GC(ctx, 1, pinned, false)
	must(t, err)
	if whys(done.Remove) != whys(plan.Remove) {
		t.Errorf("removed %s, planned was %s", whys(done.Remove), whys(plan.Remove))
	}
	left, _, err := s.List(ctx)
	must(t, err)
	if len(left) != 8 {
		t.Errorf("%d builds are left, want 8", len(left))
	}
	p, err := s.Active(ctx, Scope{}, "x")
	must(t, err)
	if len(p.History) != 3 {
		t.Errorf("history = %v, want no step of what is gone", p.History)
	}
	if again, err := s.GC(ctx, 1, pinned, false); err != nil || len(again.Remove)+len(again.Garbage) != 0 {
		t.Errorf("second GC = %+v, %v", again, err)
	}
}

// A tree without a receipt is garbage, unless a pointer needs it; what is not
// ours is reported and left.
func TestGCGarbage(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	a, b := h.install(s, "x", "1.0.0"), h.install(s, "y", "1.0.0")
	h.activate(s, Scope{}, b)
	for _, v := range []Build{a, b} {
		must(t, os.Remove(filepath.Join(h.root, filepath.FromSlash(v.ReceiptPath()))))
	}
	stranger := filepath.Join(h.root, "packages", "0123456789abcdef", "x", "notes.txt")
	must(t, os.WriteFile(stranger, []byte("mine"), 0o600))
	dry, err := s.GC(ctx, 1, nil, true)
	must(t, err)
	plan, err := s.GC(ctx, 1, nil, false)
	must(t, err)
	for _, p := range []Plan{dry, plan} {
		if !slices.Equal(p.Garbage, []string{a.Dir()}) || p.Freed == 0 {
			t.Errorf("garbage = %v (%d bytes), want %s", p.Garbage, p.Freed, a.Dir())
		}
		if len(p.Damaged) != 2 || p.Damaged[0].Path != stranger || p.Damaged[1].Build.ID != "y" {
			t.Errorf("damaged = %+v, want the stranger and the active build without a receipt", p.Damaged)
		}
	}
	if _, err := os.Lstat(filepath.Join(h.root, filepath.FromSlash(a.Dir()))); err == nil {
		t.Error("the garbage is still there")
	}
	// Installing again gives the active build its receipt back.
	p := h.stage(s, "y", "1.0.0")
	placed, err := s.Commit(ctx, []Placement{p})
	must(t, err)
	if !placed[0].Restored || placed[0].Build() != b {
		t.Errorf("Commit = %+v, want the receipt restored", placed[0])
	}
	must(t, s.Check(ctx, b))
}

// What a killed process leaves is removed by the next write, and silently.
func TestHeal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	a := h.install(s, "x", "1.0.0")
	h.activate(s, Scope{}, h.install(s, "y", "1.0.0"))
	want := h.snapshot()
	for name := range maps.Clone(want) {
		if strings.Contains(name, "/x") {
			delete(want, name)
		}
	}
	must(t, os.Remove(filepath.Join(h.root, filepath.FromSlash(a.ReceiptPath()))))
	// The note of a process that is gone.
	must(t, os.WriteFile(filepath.Join(h.root, stagingDir, "0123456789abcdef.lock"), nil, 0o600))
	must(t, os.Mkdir(filepath.Join(h.root, stagingDir, "0123456789abcdef"), 0o700))
	must(t, os.Remove(filepath.Join(h.root, filepath.FromSlash(filepath.Dir(a.ReceiptPath())))))
	h.open()
	same(t, "after the next Open", h.snapshot(), want)
	if left := h.staged(); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}
