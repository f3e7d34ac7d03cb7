package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"pinion/internal/sealed"
	"strings"
	"testing"

	"pinion/pkgfmt"
)

// tamper opens a read-only tree for one edit and closes it again.
func (h *home) tamper(b Build, p string, edit func(name string) error) {
	h.t.Helper()
	name := filepath.Join(h.path(b.Dir()), filepath.FromSlash(p))
	dir := filepath.Dir(name)
	must(h.t, os.Chmod(dir, 0o700))
	_ = os.Chmod(name, 0o600) // it may not exist yet
	must(h.t, edit(name))
	_ = os.Chmod(name, 0o444) // or no longer
	must(h.t, os.Chmod(dir, 0o555))
}

func described(diffs []Difference) string {
	var out []string
	for _, d := range diffs {
		out = append(out, string(d.What)+" "+d.Path)
	}
	return strings.Join(out, ", ")
}

// security 3.6 row 98 for installed files: every kind of difference is found,
// and a repair puts the whole directory right in one step.
func TestVerifyAndRepair(t *testing.T) {
	t.Parallel()
	flip := func(name string) error {
		data, err := os.ReadFile(name)
		data[len(data)/2] ^= 4
		return errors.Join(err, os.WriteFile(name, data, 0o600))
	}
	tests := []struct {
		name, path string
		edit       func(name string) error
		want       string
		modes      bool
	}{
		{"bit flip", "a/b/c.txt", flip, "changed a/b/c.txt", false},
		{"longer", "id", func(n string) error { return os.WriteFile(n, []byte("x 1.0.0\n\n"), 0o600) }, "changed id", false},
		{"removed", "a/b/c.txt", os.Remove, "missing a/b/c.txt", false},
		{"added", "docs/new", func(n string) error { return os.WriteFile(n, nil, 0o600) }, "added docs/new", false},
		{"added hidden", ".git/config", func(n string) error { return os.WriteFile(n, nil, 0o600) }, "added .git", false},
		{"added as one of ours", "0123456789abcdef.tmp", func(n string) error { return os.WriteFile(n, nil, 0o600) }, "added 0123456789abcdef.tmp", false},
		{"link", "id", func(n string) error { return errors.Join(os.Remove(n), os.Symlink("docs/README.md", n)) }, "link id", false},
		{"directory for a file", "id", func(n string) error { return errors.Join(os.Remove(n), os.Mkdir(n, 0o700)) }, "changed id", false},
		{"hard link", "id", func(n string) error { return os.Link(n, n[:strings.Index(n, "/home/")]+"/l") }, "link id", true},
		{"fifo", "pipe", func(n string) error { return mkfifo(n) }, "special file pipe", true},
	}
	for _, tt := range tests {
		if tt.modes && !hasModes {
			continue
		}
		h := newHome(t)
		s := h.open()
		ctx := t.Context()
		a := h.install(s, "x", "1.0.0")
		h.activate(s, Scope{}, a)
		want := h.snapshot()
		if strings.HasPrefix(tt.path, ".git/") {
			must(t, os.Chmod(h.path(a.Dir()), 0o700))
			must(t, os.Mkdir(filepath.Join(h.path(a.Dir()), ".git"), 0o700))
			must(t, os.Chmod(h.path(a.Dir()), 0o555))
		}
		h.tamper(a, tt.path, tt.edit)
		diffs, err := s.Verify(ctx)
		if err != nil || described(diffs) != tt.want || diffs[0].Build != a || !strings.Contains(diffs[0].Fix, "--repair x@1.0.0") {
			t.Errorf("%s: Verify = %s (%+v), %v, want %s", tt.name, described(diffs), diffs, err, tt.want)
		}
		if err := s.Check(ctx, a); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), string(diffs[0].What)) {
			t.Errorf("%s: Check = %v", tt.name, err)
		}
		p := h.stage(s, "x", "1.0.0")
		r, err := s.Replace(ctx, p)
		if err != nil || r.Build() != a {
			t.Errorf("%s: Replace = %v, %v", tt.name, r.Build(), err)
		}
		p.Stage.Discard()
		same(t, tt.name+": after the repair", h.snapshot(), want)
		if left := h.staged(); len(left) != 0 {
			t.Errorf("%s: left over: %v", tt.name, left)
		}
	}
}

func TestVerifyModes(t *testing.T) {
	t.Parallel()
	if !hasModes {
		t.Skip("no permission bits on this system")
	}
	h := newHome(t)
	s := h.open()
	a := h.install(s, "x", "1.0.0")
	dir := h.path(a.Dir())
	for p, mode := range map[string]os.FileMode{"": 0o755, "docs": 0o700, "docs/README.md": 0o644, "id": 0o555, "bin/run.sh": 0o444, "a/b/c.txt": 0o444 | os.ModeSetuid} {
		must(t, os.Chmod(filepath.Join(dir, p), mode))
	}
	diffs, err := s.Verify(t.Context(), a)
	must(t, err)
	if got, want := described(diffs), "mode ., mode a/b/c.txt, mode bin/run.sh, mode docs, mode docs/README.md, mode id"; got != want {
		t.Errorf("Verify = %s, want %s", got, want)
	}
}

// Lost directories, receipts and strangers; one bad build does not hide another.
func TestVerifyStore(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	a, b, c := h.install(s, "a", "1.0.0"), h.install(s, "b", "1.0.0"), h.install(s, "c", "1.0.0")
	h.activate(s, Scope{}, c)
	makeWritable(h.path(a.Dir()))
	must(t, os.RemoveAll(h.path(a.Dir())))
	h.write(b.ReceiptPath(), nil)
	must(t, os.Remove(h.path(c.ReceiptPath())))
	h.write("packages/0123456789abcdef/stray", nil)
	diffs, err := s.Verify(ctx)
	must(t, err)
	want := map[string]What{h.path(b.ReceiptPath()): NoReceipt, h.path(c.Dir()): NoReceipt, h.path("packages/0123456789abcdef/stray"): Stranger, ".": Missing}
	if len(diffs) != len(want) {
		t.Errorf("Verify = %s", described(diffs))
	}
	for _, d := range diffs {
		if want[d.Path] != d.What || d.Fix == "" {
			t.Errorf("Verify has %+v, want %v", d, want)
		}
	}
	if _, err := s.Activate(ctx, Scope{}, a, nil, ""); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Activate of a lost directory = %v", err)
	}
	if _, err := s.Verify(ctx, c); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Verify of a build without receipt = %v", err)
	}
	// Each of them is repaired by a copy.
	for _, id := range []string{"a", "b", "c"} {
		p := h.stage(s, id, "1.0.0")
		if _, err := s.Replace(ctx, p); err != nil {
			t.Errorf("Replace of %s: %v", id, err)
		}
		p.Stage.Discard()
	}
	must(t, os.Remove(h.path("packages/0123456789abcdef/stray")))
	if diffs, err := s.Verify(ctx); err != nil || len(diffs) != 0 {
		t.Errorf("Verify after the repair = %s, %v", described(diffs), err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify with a context that ended = %v", err)
	}
}

// security 3.6 row 100: a directory with other bytes is never overwritten.
func TestOccupied(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	ctx := t.Context()
	a := h.install(s, "x", "1.0.0")
	h.tamper(a, "id", func(n string) error { return os.WriteFile(n, []byte("x 1.0.0 \n"), 0o600) })
	// The tree is in use and has lost its receipt, or it is damaged.
	h.activate(s, Scope{}, a)
	receipt := h.read(a.ReceiptPath())
	for _, data := range [][]byte{nil, []byte("{")} {
		must(t, os.Remove(h.path(a.ReceiptPath())))
		if data != nil {
			h.write(a.ReceiptPath(), data)
		}
		before := h.snapshot()
		p := h.stage(s, "x", "1.0.0")
		_, err := s.Commit(ctx, []Placement{p})
		var refusal *Refusal
		if !errors.Is(err, ErrOccupied) || !errors.As(err, &refusal) || !strings.Contains(refusal.Hint, "verify --repair") {
			t.Errorf("Commit = %v, want ErrOccupied with the way out", err)
		}
		same(t, "after the refusal", h.snapshot(), before)
		h.write(a.ReceiptPath(), receipt)
	}

	// Another content with the same first digits of its digest.
	q := h.stage(s, "x", "1.0.0")
	it, err := s.item(q)
	must(t, err)
	forged := it.receipt
	forged.Description = "other"
	forged.Files = append([]pkgfmt.Record{}, forged.Files...)
	text, err := forged.Digest.MarshalText()
	must(t, err)
	text[len(text)-3] ^= 1 // behind the first 32 bits
	must(t, forged.Digest.UnmarshalText(text))
	data, err := sealed.Encode(forged)
	must(t, err)
	h.write(a.ReceiptPath(), data)
	if _, err := s.Commit(ctx, []Placement{q}); !errors.Is(err, ErrOccupied) {
		t.Errorf("Commit over the same short digest = %v", err)
	}
	if _, err := s.Replace(ctx, q); !errors.Is(err, ErrOccupied) {
		t.Errorf("Replace over the same short digest = %v", err)
	}
	if _, err := s.Receipt(a); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Receipt with another digest = %v", err)
	}
	if err := s.Uninstall(ctx, a, true); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Uninstall with another digest = %v", err)
	}
	if !bytes.Equal(h.read(a.ReceiptPath()), data) {
		t.Error("the receipt was changed")
	}
}
