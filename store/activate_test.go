package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pinion/internal/fsx"
)

// SB-062, SB-073, SB-074: one active version, replaced in one write; going back
// step by step; going forward forgets what was undone.
func TestActivateAndRollback(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx, sc := t.Context(), Scope{}
	a, b, c, d := h.install(s, "x", "1.0.0"), h.install(s, "x", "1.1.0"), h.install(s, "x", "1.2.0"), h.install(s, "x", "2.0.0")

	missing := a
	missing.Version = "9.0.0"
	if _, err := s.Activate(ctx, sc, missing, nil, ""); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Activate of an unknown version = %v", err)
	}
	if _, err := s.Rollback(ctx, sc, "x", Build{}, nil); !errors.Is(err, ErrNotActive) {
		t.Errorf("Rollback before anything = %v", err)
	}
	for _, v := range []Build{a, b, c} {
		ch, err := s.Activate(ctx, sc, v, nil, "activate")
		must(t, err)
		if !ch.Changed || *ch.To != v || !ch.Enabled {
			t.Errorf("Activate = %+v", ch)
		}
	}
	if ch, err := s.Activate(ctx, sc, c, nil, "activate"); err != nil || ch.Changed {
		t.Errorf("second Activate = %+v, %v, want no change", ch, err)
	}
	back := func(want Build) {
		t.Helper()
		if p, err := s.Previous(ctx, sc, "x"); err != nil || p != want {
			t.Errorf("Previous = %v, %v, want %s", p, err, want.Version)
		}
		ch, err := s.Rollback(ctx, sc, "x", want, nil)
		must(t, err)
		if *ch.To != want {
			t.Errorf("Rollback went to %s, want %s", ch.To.Version, want.Version)
		}
	}
	back(b)
	if _, err := s.Rollback(ctx, sc, "x", c, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("Rollback with another expectation = %v, want ErrChanged", err)
	}
	back(a)
	_, err := s.Rollback(ctx, sc, "x", Build{}, nil)
	var refusal *Refusal
	if !errors.Is(err, ErrNoHistory) || !errors.As(err, &refusal) || refusal.Hint == "" {
		t.Errorf("Rollback at the end = %v, want ErrNoHistory with a hint", err)
	}
	p, err := s.Active(ctx, sc, "x")
	must(t, err)
	if !p.HasPassed(c) || !p.HasPassed(b) || p.HasPassed(a) || len(p.History) != 5 {
		t.Errorf("pointer = %+v, want two passed versions and five steps", p)
	}
	h.activate(s, sc, d)
	h.activate(s, sc, b)
	back(d)
	back(a)
	if p, _ = s.Active(ctx, sc, "x"); !p.HasPassed(b) || !p.HasPassed(d) {
		t.Errorf("passed = %v", p.Passed)
	}
	// What was uninstalled meanwhile is left out.
	h.activate(s, sc, b)
	h.activate(s, sc, c)
	must(t, s.Uninstall(ctx, b, false))
	back(a)
}

// Long histories lose their oldest steps and still roll back.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	p := newPointer(Scope{}, "x")
	for i := range maxHistory + 50 {
		p.push(Step{Build: Build{ID: "x", Version: string(rune('a' + i%26))}})
	}
	if len(p.History) != maxHistory {
		t.Errorf("%d steps, want %d", len(p.History), maxHistory)
	}
	p.History = append([]Step{{Build: Build{ID: "x", Version: "gone"}, Back: true}}, p.History...)
	p.Current = &Build{ID: "x", Version: "gone"}
	if back := p.back(); len(back) != 0 {
		t.Errorf("back = %v, want nothing behind a build that left the history", back)
	}
}

// SB-072; cli.md: a disabled plugin stays disabled.
func TestDisable(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx, sc := t.Context(), Scope{}
	a, b := h.install(s, "x", "1.0.0"), h.install(s, "x", "1.1.0")
	for _, f := range []func() (Change, error){
		func() (Change, error) { return s.Enable(ctx, sc, "x") },
		func() (Change, error) { return s.Disable(ctx, sc, "x") },
	} {
		_, err := f()
		var refusal *Refusal
		if !errors.Is(err, ErrNotActive) || !errors.As(err, &refusal) || !strings.Contains(refusal.Hint, "pinion activate x") {
			t.Errorf("without an active version: %v, want a hint that names activate", err)
		}
	}
	h.activate(s, sc, a)
	if c, err := s.Disable(ctx, sc, "x"); err != nil || !c.Changed || c.Enabled {
		t.Errorf("Disable = %+v, %v", c, err)
	}
	if c, err := s.Disable(ctx, sc, "x"); err != nil || c.Changed {
		t.Errorf("second Disable = %+v, %v", c, err)
	}
	if c, err := s.Activate(ctx, sc, b, nil, ""); err != nil || c.Enabled || *c.To != b {
		t.Errorf("Activate of a disabled plugin = %+v, %v, want it to stay disabled", c, err)
	}
	if c, err := s.Enable(ctx, sc, "x"); err != nil || !c.Changed || !c.Enabled {
		t.Errorf("Enable = %+v, %v", c, err)
	}
}

// SB-066: grants are recorded with the activation, for one digest.
func TestConsent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx, sc := t.Context(), Scope{}
	a, b := h.install(s, "x", "1.0.0"), h.install(s, "x", "1.1.0")
	given := &Consent{Grants: []string{"computer", "extension"}, Capabilities: "hooks: 1", Report: "r1"}
	_, err := s.Activate(ctx, sc, a, given, "activate")
	must(t, err)
	if c, err := s.Activate(ctx, sc, a, given, "activate"); err != nil || c.Changed {
		t.Errorf("the same consent again = %+v, %v, want no change", c, err)
	}
	more := *given
	more.Report = "r2"
	if c, err := s.Activate(ctx, sc, a, &more, "activate"); err != nil || !c.Changed {
		t.Errorf("a new consent = %+v, %v, want it recorded", c, err)
	}
	p, err := s.Active(ctx, sc, "x")
	must(t, err)
	c, ok := p.Consent(a)
	if !ok || c.Digest != a.Digest || c.Key != a.Key || c.Report != "r2" || !slices.Equal(c.Grants, given.Grants) || !c.At.Equal(testTime) {
		t.Errorf("consent = %+v, %v", c, ok)
	}
	if len(p.Consents) != 1 || len(p.History) != 1 {
		t.Errorf("pointer = %+v, want one consent and one step", p)
	}
	if _, ok := p.Consent(b); ok {
		t.Error("another digest has the consent too")
	}
}

// house.md, Home: a project's pointer goes before the user's.
func TestScopes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx, project := t.Context(), Scope{Project: t.TempDir()}
	x1, x2, y, z := h.install(s, "x", "1.0.0"), h.install(s, "x", "2.0.0"), h.install(s, "y", "1.0.0"), h.install(s, "z", "1.0.0")
	h.activate(s, Scope{}, x1)
	h.activate(s, Scope{}, y)
	h.activate(s, project, x2)
	h.activate(s, project, z)
	versions := func(project string) string {
		all, damaged, err := s.Effective(ctx, project)
		must(t, err)
		var out []string
		for _, p := range all {
			out = append(out, p.Current.Ref())
		}
		if len(damaged) > 0 {
			out = append(out, "damaged")
		}
		return strings.Join(out, " ")
	}
	if got := versions(""); got != "x@1.0.0 y@1.0.0" {
		t.Errorf("user: %s", got)
	}
	if got := versions(project.Project); got != "x@2.0.0 y@1.0.0 z@1.0.0" {
		t.Errorf("project: %s", got)
	}
	if err := s.Uninstall(ctx, x2, false); !errors.Is(err, ErrActive) || !strings.Contains(err.Error(), project.Project) {
		t.Errorf("Uninstall of what a project uses = %v", err)
	}
	// A pointer that cannot be read might have said "disabled".
	must(t, os.WriteFile(filepath.Join(h.root, filepath.FromSlash(project.file("x"))), []byte("{"), 0o600))
	if got := versions(project.Project); got != "y@1.0.0 z@1.0.0 damaged" {
		t.Errorf("with a damaged pointer of the project: %s", got)
	}
	for _, bad := range []Scope{{Project: "relative"}, {Project: project.Project + "/../x"}} {
		if _, err := s.Activate(ctx, bad, x1, nil, ""); err == nil {
			t.Errorf("Activate in project %q succeeded", bad.Project)
		}
	}

	must(t, os.RemoveAll(project.Project))
	projects, _, err := s.Projects(ctx)
	must(t, err)
	if len(projects) != 1 || !projects[0].Missing || projects[0].Root != project.Project || !slices.Equal(projects[0].IDs, []string{"z"}) {
		t.Errorf("Projects = %+v", projects)
	}
	must(t, s.ForgetProject(ctx, project.Project))
	if projects, _, _ := s.Projects(ctx); len(projects) != 0 {
		t.Errorf("after ForgetProject: %+v", projects)
	}
	must(t, s.Uninstall(ctx, x2, false))
}

func TestHold(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx, sc := t.Context(), Scope{}
	if _, err := s.Hold(ctx, sc, "x"); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Hold of nothing = %v", err)
	}
	a := h.install(s, "x", "1.0.0")
	if c, err := s.Hold(ctx, sc, "x"); err != nil || !c.Held || !c.Changed {
		t.Errorf("Hold = %+v, %v", c, err)
	}
	if c, err := s.Hold(ctx, sc, "x"); err != nil || c.Changed {
		t.Errorf("second Hold = %+v, %v", c, err)
	}
	if err := s.Uninstall(ctx, a, false); !errors.Is(err, ErrHeld) {
		t.Errorf("Uninstall of a held plugin = %v", err)
	}
	if c, err := s.Unhold(ctx, sc, "x"); err != nil || c.Held || !c.Changed {
		t.Errorf("Unhold = %+v, %v", c, err)
	}
	must(t, s.Uninstall(ctx, a, false))
}

// security 3.6 row 96: waiting for another process ends, and names it.
func TestLocked(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.install(h.open(), "x", "1.0.0")
	s, err := Open(h.dir, Options{LockWait: time.Millisecond})
	must(t, err)
	unlock, err := h.dir.Lock(t.Context(), lockFile)
	must(t, err)
	_, err = s.Activate(t.Context(), Scope{}, a, nil, "")
	if !errors.Is(err, fsx.ErrLocked) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("Activate = %v, want ErrLocked with the process id", err)
	}
	if rs, _, err := s.List(t.Context()); err != nil || len(rs) != 1 {
		t.Errorf("List = %v, %v, want no waiting", rs, err)
	}
	unlock()
	h.activate(s, Scope{}, a)
}

// performance.md section 4 and the budgets of issue 2 section 8: the number of
// syncs, whatever the size and the number of the versions.
func TestSyncCounts(t *testing.T) {
	t.Parallel()
	if !isLinux {
		t.Skip("the budgets are for systems with syncfs")
	}
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	a := h.install(s, "x", "1.0.0")
	for _, v := range []string{"1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0"} {
		h.install(s, "x", v)
	}
	b := h.install(s, "x", "2.0.0")
	project := Scope{Project: t.TempDir()}
	h.activate(s, project, a)
	fresh := h.stage(s, "new", "1.0.0")
	again := h.stage(s, "x", "2.0.0")
	tests := []struct {
		name          string
		run           func() error
		fsync, syncfs int
	}{
		{"install", func() error { _, err := s.Commit(ctx, []Placement{fresh}); return err }, 2, 1},
		{"install again", func() error { _, err := s.Commit(ctx, []Placement{again}); return err }, 0, 0},
		{"first activate", func() error { _, err := s.Activate(ctx, Scope{}, a, nil, ""); return err }, 2, 0},
		{"activate", func() error { _, err := s.Activate(ctx, Scope{}, b, nil, ""); return err }, 2, 0},
		{"activate again", func() error { _, err := s.Activate(ctx, Scope{}, b, nil, ""); return err }, 0, 0},
		{"in a project", func() error { _, err := s.Activate(ctx, project, b, nil, ""); return err }, 2, 0},
		{"rollback", func() error { _, err := s.Rollback(ctx, Scope{}, "x", Build{}, nil); return err }, 2, 0},
		{"disable", func() error { _, err := s.Disable(ctx, Scope{}, "x"); return err }, 2, 0},
		{"list", func() error { _, _, err := s.List(ctx); return err }, 0, 0},
	}
	for _, tt := range tests {
		var c counter
		h.setHook(c.hook)
		err := tt.run()
		h.setHook(nil)
		must(t, err)
		if c.fsync != tt.fsync || c.syncfs != tt.syncfs {
			t.Errorf("%s: %d fsync and %d syncfs, want %d and %d", tt.name, c.fsync, c.syncfs, tt.fsync, tt.syncfs)
		}
	}
}
