package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (h *home) path(name string) string { return filepath.Join(h.root, filepath.FromSlash(name)) }

func (h *home) write(name string, data []byte) {
	h.t.Helper()
	must(h.t, os.MkdirAll(filepath.Dir(h.path(name)), 0o700))
	must(h.t, os.WriteFile(h.path(name), data, 0o600))
}

func (h *home) read(name string) []byte {
	h.t.Helper()
	data, err := os.ReadFile(h.path(name))
	must(h.t, err)
	return data
}

// security 3.6 row 98: a flipped bit anywhere in a receipt or a pointer is
// seen, says what to do, and does not hide the other plugins.
func TestBitFlips(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	a := h.install(s, "x", "1.0.0")
	h.activate(s, Scope{}, a)
	h.activate(s, Scope{}, h.install(s, "y", "1.0.0"))
	for _, name := range []string{a.ReceiptPath(), Scope{}.file("x")} {
		good := h.read(name)
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 8)
			h.write(name, bad)
			var found []Damage
			var others int
			var err error
			if name == a.ReceiptPath() {
				var rs []Receipt
				rs, found, err = s.List(ctx)
				others = len(rs)
			} else {
				var ps []Pointer
				ps, found, err = s.Actives(ctx, Scope{})
				others = len(ps)
			}
			if err != nil || others != 1 || len(found) != 1 || found[0].Path != h.path(name) || found[0].Reason == "" || found[0].Fix == "" {
				t.Fatalf("%s, byte %d (%q): found %+v, %d others, %v", name, i, good[i], found, others, err)
			}
			if i%50 == 0 {
				if _, err := s.Activate(ctx, Scope{}, a, nil, ""); !errors.Is(err, ErrDamaged) {
					t.Fatalf("%s, byte %d: Activate = %v, want ErrDamaged", name, i, err)
				}
			}
			if got := h.read(name); !bytes.Equal(got, bad) {
				t.Fatalf("%s, byte %d: the damaged file was changed", name, i)
			}
		}
		h.write(name, good)
	}
	if _, damaged, _ := s.List(ctx); len(damaged) != 0 {
		t.Errorf("the file put back is still damaged: %v", damaged)
	}
}

// security 3.6 row 99: truncated, empty and future files are refused and kept.
func TestDamagedStateFiles(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	a, b := h.install(s, "x", "1.0.0"), h.install(s, "x", "1.1.0")
	h.activate(s, Scope{}, a)
	receipt, pointer := h.read(a.ReceiptPath()), h.read(Scope{}.file("x"))
	future := func(data []byte) []byte { return bytes.Replace(data, []byte(`/v1"`), []byte(`/v2"`), 1) }
	tests := []struct {
		name  string
		edit  func([]byte) []byte
		want  string
		newer bool
	}{
		{"empty", func([]byte) []byte { return nil }, "is empty", false},
		{"cut off", func(d []byte) []byte { return d[:len(d)-1] }, "cut off", false},
		{"half", func(d []byte) []byte { return d[:len(d)/2] }, "cut off", false},
		{"longer", func(d []byte) []byte { return append(bytes.Clone(d), '\n') }, "cut off", false},
		{"edited", func(d []byte) []byte { return bytes.Replace(d, []byte("1.0.0"), []byte("1.0.1"), 1) }, "checksum", false},
		{"zeros", func(d []byte) []byte { return make([]byte, len(d)) }, "does not begin", false},
		{"newer", future, "format 2", true},
	}
	for _, tt := range tests {
		h.write(a.ReceiptPath(), tt.edit(receipt))
		_, damaged, err := s.List(ctx)
		if err != nil || len(damaged) != 1 || !strings.Contains(damaged[0].Reason, tt.want) || damaged[0].Newer != tt.newer || damaged[0].Build.ID != "x" {
			t.Errorf("%s receipt: %+v, %v, want %q", tt.name, damaged, err, tt.want)
		}
		// Installing the same bytes again restores it, unless it is a newer one.
		p := h.stage(s, "x", "1.0.0")
		placed, err := s.Commit(ctx, []Placement{p})
		switch {
		case tt.newer:
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%s receipt: Commit = %v, want a refusal", tt.name, err)
			}
		case err != nil || !placed[0].Restored:
			t.Errorf("%s receipt: Commit = %+v, %v, want it restored", tt.name, placed, err)
		case !bytes.Equal(h.read(a.ReceiptPath()), receipt):
			t.Errorf("%s receipt: it was restored to something else", tt.name)
		}
		h.write(a.ReceiptPath(), receipt)

		bad := tt.edit(pointer)
		h.write(Scope{}.file("x"), bad)
		for what, err := range map[string]error{
			"Activate":  second(s.Activate(ctx, Scope{}, b, nil, "")),
			"Rollback":  second(s.Rollback(ctx, Scope{}, "x", Build{}, nil)),
			"Disable":   second(s.Disable(ctx, Scope{}, "x")),
			"Uninstall": s.Uninstall(ctx, b, false),
		} {
			var de *DamageError
			if !errors.As(err, &de) || !errors.Is(err, ErrDamaged) || de.Fix == "" || de.Newer != tt.newer {
				t.Errorf("%s pointer: %s = %v, want a DamageError with a way out", tt.name, what, err)
			}
		}
		plan, err := s.GC(ctx, 0, nil, false)
		if err != nil || len(plan.Remove) != 0 {
			t.Errorf("%s pointer: GC removes %v, %v", tt.name, plan.Remove, err)
		}
		if !bytes.Equal(h.read(Scope{}.file("x")), bad) {
			t.Errorf("%s pointer: the file was changed", tt.name)
		}
		h.write(Scope{}.file("x"), pointer)
	}
	// A file copied to another name is not what it says.
	h.write(b.ReceiptPath(), receipt)
	h.write(Scope{}.file("z"), pointer)
	if _, damaged, _ := s.List(ctx); len(damaged) != 1 || !strings.Contains(damaged[0].Reason, "x 1.0.0") {
		t.Errorf("copied receipt: %+v", damaged)
	}
	if _, damaged, _ := s.Actives(ctx, Scope{}); len(damaged) != 1 || damaged[0].Build.ID != "z" {
		t.Errorf("copied pointer: %+v", damaged)
	}
}

func second(_ Change, err error) error { return err }

// A build whose receipt is damaged can still be uninstalled, and a damaged
// pointer goes by force when nothing is left to point at.
func TestUninstallDamaged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	empty := func() bool {
		for name := range h.snapshot() {
			if strings.Contains(name, "/x") {
				return false
			}
		}
		return true
	}
	a := h.install(s, "x", "1.0.0")
	h.write(a.ReceiptPath(), nil)
	_, damaged, _ := s.List(ctx)
	must(t, s.Uninstall(ctx, damaged[0].Build, false))
	if !empty() {
		t.Errorf("left: %v", h.snapshot())
	}
	a = h.install(s, "x", "1.0.0")
	h.write(Scope{}.file("x"), nil)
	must(t, s.Uninstall(ctx, a, true))
	if !empty() {
		t.Errorf("left: %v", h.snapshot())
	}
}

// security 3.6 row 99, house.md: a home of a newer Pinion is refused untouched.
func TestVersion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	a := h.install(s, "x", "1.0.0")
	if got := string(h.read(versionFile)); got != "1\n" {
		t.Fatalf("VERSION = %q", got)
	}
	must(t, os.Remove(h.path(lockFile)))
	for _, tt := range []struct {
		content string
		newer   bool
	}{{"2\n", true}, {"10", true}, {"", false}, {"one\n", false}, {"0\n", false}, {"-1", false}, {"1.5", false}} {
		h.write(versionFile, []byte(tt.content))
		before := h.snapshot()
		_, err := Open(h.dir, Options{})
		var ve *VersionError
		if err == nil || errors.As(err, &ve) != tt.newer {
			t.Errorf("VERSION %q: Open = %v", tt.content, err)
		}
		// Also for a process that opened the store before the upgrade.
		if _, err := s.Activate(t.Context(), Scope{}, a, nil, ""); err == nil {
			t.Errorf("VERSION %q: Activate succeeded", tt.content)
		}
		if _, err := s.Stage(t.Context()); err == nil {
			t.Errorf("VERSION %q: Stage succeeded", tt.content)
		}
		same(t, fmt.Sprintf("VERSION %q", tt.content), h.snapshot(), before)
		if _, err := os.Lstat(h.path(lockFile)); err == nil {
			t.Errorf("VERSION %q: a lock file was made", tt.content)
		}
	}
}

// security 3.6 row 94: reading an absent or an empty home works and writes nothing.
func TestAbsentHome(t *testing.T) {
	t.Parallel()
	s, err := Open(nil, Options{})
	must(t, err)
	readers := func(s *Store) {
		t.Helper()
		ctx := t.Context()
		if r, d, err := s.List(ctx); err != nil || len(r)+len(d) != 0 {
			t.Errorf("List = %v, %v, %v", r, d, err)
		}
		if r, d, err := s.Effective(ctx, t.TempDir()); err != nil || len(r)+len(d) != 0 {
			t.Errorf("Effective = %v, %v, %v", r, d, err)
		}
		if p, err := s.Active(ctx, Scope{}, "x"); err != nil || p.Current != nil {
			t.Errorf("Active = %v, %v", p, err)
		}
		if d, err := s.Verify(ctx); err != nil || len(d) != 0 {
			t.Errorf("Verify = %v, %v", d, err)
		}
		if _, err := s.GC(ctx, 1, nil, true); err != nil {
			t.Errorf("GC = %v", err)
		}
		if _, _, err := s.Projects(ctx); err != nil {
			t.Errorf("Projects = %v", err)
		}
	}
	readers(s)
	if _, err := s.Stage(t.Context()); !errors.Is(err, ErrNoHome) {
		t.Errorf("Stage = %v", err)
	}
	if _, err := s.Hold(t.Context(), Scope{}, "x"); !errors.Is(err, ErrNoHome) {
		t.Errorf("Hold = %v", err)
	}
	h := newHome(t)
	readers(h.open())
	if got := h.snapshot(); len(got) != 1 {
		t.Errorf("reading made %v", got)
	}
}

// security 3.6 row 97, 3.2 row 25: links and special files in the place of
// state are refused, do not hang, and are left alone.
func TestPlanted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	h.activate(s, Scope{}, h.install(s, "good", "1.0.0"))
	a := h.install(s, "x", "1.0.0")
	h.activate(s, Scope{}, a)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	must(t, os.WriteFile(secret, h.read(a.ReceiptPath()), 0o600))

	plants := map[string]func(name string) error{
		"link":      func(name string) error { return os.Symlink(secret, name) },
		"link dir":  func(name string) error { return os.Symlink(outside, name) },
		"directory": func(name string) error { return os.Mkdir(name, 0o700) },
	}
	if mkfifo != nil {
		plants["fifo"] = mkfifo
	}
	places := []string{a.ReceiptPath(), Scope{}.file("x"), "packages/stray", "receipts/stray", "receipts/0123456789abcdef/stray",
		"active/stray", "projects/stray", "packages/0123456789abcdef/x/stray"}
	for kind, plant := range plants {
		for _, place := range places {
			old, _ := os.ReadFile(h.path(place))
			if old != nil {
				must(t, os.Remove(h.path(place)))
			}
			must(t, os.MkdirAll(filepath.Dir(h.path(place)), 0o700))
			must(t, plant(h.path(place)))

			rs, damaged, err := s.List(ctx)
			ps, more, perr := s.Actives(ctx, Scope{})
			if err != nil || perr != nil || len(rs) == 0 || rs[0].ID != "good" || len(ps) == 0 {
				t.Errorf("%s at %s: List = %v, %v, Actives = %v, %v", kind, place, rs, err, ps, perr)
			}
			diffs, err := s.Verify(ctx)
			plan, gerr := s.GC(ctx, 1, nil, false)
			if err != nil || gerr != nil || len(plan.Remove)+len(plan.Garbage) != 0 {
				t.Errorf("%s at %s: Verify = %v, GC = %+v, %v", kind, place, err, plan, gerr)
			}
			found := len(damaged) + len(more) + len(diffs) + len(plan.Damaged)
			empty := kind == "directory" && strings.Contains(place, "stray") // gc tidies up
			if found == 0 && !empty {
				t.Errorf("%s at %s: nobody says so", kind, place)
			}
			info, err := os.Lstat(h.path(place))
			if empty {
				_ = os.Remove(h.path(place))
				continue
			}
			if err != nil {
				t.Errorf("%s at %s was removed: %v", kind, place, err)
			} else if kind == "fifo" && info.Mode()&fs.ModeNamedPipe == 0 {
				t.Errorf("%s at %s is %v now", kind, place, info.Mode())
			}
			must(t, os.Remove(h.path(place)))
			if old != nil {
				h.write(place, old)
			}
		}
	}
	if got, err := os.ReadDir(outside); err != nil || len(got) != 1 {
		t.Errorf("outside: %v, %v", got, err)
	}
	if diffs, err := s.Verify(ctx); err != nil || len(diffs) != 0 {
		t.Errorf("Verify afterwards = %v, %v", diffs, err)
	}
}
