//go:build unix

package pinion_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pinion"
)

// TestFIFOArchive shows that a named pipe which is called like an archive does
// not stop the command for ever.
func TestFIFOArchive(t *testing.T) { // security 3.2 row 25
	w := newWorld(t)
	pipe := filepath.Join(w.dir, "p.tgz")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 2)
	go func() {
		_, err := w.client().Validate(t.Context(), []string{pipe}, pinion.ValidateOptions{})
		done <- err
		_, err = w.client().Install(t.Context(), []pinion.Ref{{Path: pipe}}, pinion.InstallOptions{})
		done <- err
	}()
	for range 2 {
		select {
		case err := <-done:
			var u *pinion.UsageError
			if !errors.As(err, &u) {
				t.Errorf("%v, want a usage error", err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("it waits for somebody to write into the pipe")
		}
	}
}
