package fsx

import (
	"fmt"
	"maps"
	"testing"
)

// The durable steps of an installation, as the store does them.
func install(d *Dir, files int) error {
	for _, dir := range []string{"packages/k/id", "receipts/k/id"} {
		if err := d.MkdirAll(dir); err != nil {
			return err
		}
	}
	s, err := d.Stage()
	if err != nil {
		return err
	}
	for i := range files {
		if err := s.Dir.WriteNew(fmt.Sprintf("f%d", i), []byte("x"), 0o400); err != nil {
			return err
		}
	}
	if err := d.MakeReadOnly(s.Name); err != nil {
		return err
	}
	if err := d.SyncTree(s.Name); err != nil {
		return err
	}
	if err := d.Place(s.Name, "packages/k/id/1.0.0"); err != nil {
		return err
	}
	if err := d.WriteFile("receipts/k/id/1.0.0.json", []byte("{}"), 0o600); err != nil {
		return err
	}
	return s.Close()
}

// The budgets of issue 2 §8: install 1 syncfs and at most 3 fsync, +1 when the
// ledger grows; activate and rollback at most 2 fsync.
func TestSyncCounts(t *testing.T) {
	t.Parallel()
	if !hasSyncFS {
		t.Skip("the budgets are for systems with syncfs")
	}
	tests := []struct {
		name          string
		prepare       func(*Dir) error
		run           func(*Dir) error
		fsync, syncfs int
	}{
		{"install", nil, func(d *Dir) error { return install(d, 10) }, 3, 1},
		{"activate", func(d *Dir) error { return d.MkdirAllSynced("active") },
			func(d *Dir) error { return d.WriteFile("active/id.json", []byte("{}"), 0o600) }, 2, 0},
		{"ledger grows", func(d *Dir) error { return d.Append("l", []byte("a")) },
			func(d *Dir) error { return d.Append("l", []byte("b"), []byte("c")) }, 1, 0},
		{"ledger is new", nil, func(d *Dir) error { return d.Append("l", []byte("b")) }, 2, 0},
		{"directory is there", func(d *Dir) error { return d.MkdirAllSynced("a/b") },
			func(d *Dir) error { return d.MkdirAllSynced("a/b") }, 0, 0},
		{"directory is new", nil, func(d *Dir) error { return d.MkdirAllSynced("a/b") }, 2, 0},
		{"remove", func(d *Dir) error { return d.WriteFile("f", nil, 0o600) },
			func(d *Dir) error { return d.Remove("f") }, 1, 0},
		{"lock", nil, func(d *Dir) error {
			unlock, err := d.Lock(t.Context(), "lock")
			if err == nil {
				unlock()
			}
			return err
		}, 0, 0},
		{"clean", func(d *Dir) error { return d.MkdirAll("staging/0123456789abcdef") },
			func(d *Dir) error { _, err := d.CleanStaging(); return err }, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := openHome(t, nil)
			if tt.prepare != nil {
				must(t, tt.prepare(d))
			}
			var c counter
			d.hook = c.hook
			must(t, tt.run(d))
			if c.n[OpSync] != tt.fsync || c.n[OpSyncFS] != tt.syncfs {
				t.Errorf("%d fsync and %d syncfs, want %d and %d; all steps: %v",
					c.n[OpSync], c.n[OpSyncFS], tt.fsync, tt.syncfs, maps.Clone(c.n))
			}
		})
	}
}
