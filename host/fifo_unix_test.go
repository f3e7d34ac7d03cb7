//go:build unix

package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pinion/host"
)

// A named pipe in the place of a configuration file is refused at once: opening
// it would wait for ever. Security 3.2.
func TestPipe(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := filepath.Join(s.dir, "host", "settings.json")
	if err := errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o600)); err != nil {
		t.Fatal(err)
	}
	s.active = []host.Plugin{s.plugin("a", "1.0.0")}
	var refused *host.RefusedError
	if _, err := s.link(host.LinkOptions{}); !errors.As(err, &refused) || refused.Path != p {
		t.Errorf("got %v, want a refusal of %s", err, p)
	}
}
