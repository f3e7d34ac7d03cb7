package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Names are enough to find a version: damaged receipts of others are neither
// met nor read (performance 6 row 13).
func TestBuildsReadsNames(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	want := map[Location]Build{}
	for i := range 4 {
		b := h.install(s, "x", fmt.Sprintf("1.%d.0-rc.1", i))
		want[Location{b.Key, b.ID, b.Version, b.Digest.Hex(8)}] = b
	}
	h.install(s, "other", "1.0.0")
	broken := 0
	for l := range want {
		if l.Version == "1.2.0-rc.1" {
			continue
		}
		must(t, os.WriteFile(filepath.Join(h.root, filepath.FromSlash(l.receiptPath())), []byte("{}"), 0o600))
		broken++
	}

	got, err := s.Builds(t.Context(), "x")
	must(t, err)
	if len(got) != len(want) {
		t.Errorf("Builds = %v, want %d", got, len(want))
	}
	for _, l := range got {
		b, ok := want[l]
		if !ok {
			t.Errorf("Builds gives %v", l)
		}
		r, err := s.At(l)
		var damage *DamageError
		if l.Version == "1.2.0-rc.1" {
			if err != nil || r.Build() != b {
				t.Errorf("At(%v) = %v, %v", l, r.Build(), err)
			}
		} else if !errors.As(err, &damage) {
			t.Errorf("At(%v) = %v, want damage", l, err)
		} else {
			broken--
		}
	}
	if broken != 0 {
		t.Errorf("%d damaged receipts were not reported", broken)
	}
	if got, err := s.Builds(t.Context(), "none"); err != nil || len(got) != 0 {
		t.Errorf("Builds of nothing = %v, %v", got, err)
	}
}

// What is remembered of a file never goes before the file.
func TestReceiptAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.open()
	b := h.install(s, "x", "1.0.0")
	first, err := s.Receipt(b)
	must(t, err)
	whole := first.clone()
	first.Files[0].Path = "changed by the caller"
	again, err := s.Receipt(b)
	if err != nil || !reflect.DeepEqual(again, whole) {
		t.Errorf("second Receipt = %+v, %v", again, err)
	}
	file := filepath.Join(h.root, filepath.FromSlash(b.ReceiptPath()))
	data, err := os.ReadFile(file)
	must(t, err)
	data[len(data)/2] ^= 1
	must(t, os.WriteFile(file, data, 0o600))
	var damage *DamageError
	if _, err := s.Receipt(b); !errors.As(err, &damage) {
		t.Errorf("Receipt of a changed file = %v, want damage", err)
	}
	must(t, os.Remove(file))
	if _, err := s.Receipt(b); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Receipt without a file = %v", err)
	}

	b = h.install(s, "y", "1.0.0")
	h.activate(s, Scope{}, b)
	p, err := s.Active(t.Context(), Scope{}, "y")
	must(t, err)
	p.History[0].Why, p.Current.Version = "changed by the caller", "9"
	if q, err := s.Active(t.Context(), Scope{}, "y"); err != nil || *q.Current != b || q.History[0].Why == p.History[0].Why {
		t.Errorf("second Active = %+v, %v", q, err)
	}
}
