//go:build unix

package pinion_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pinion"
)

// Security 3.2 row 25, 3.6 row 97: a pipe in the place of a policy is no policy,
// and nobody waits for its writer.
func TestPolicyIsAPipe(t *testing.T) {
	g := newGateHome(t)
	g.plugin("1.0.0", clean)
	g.commit()
	c := g.client()
	g.add(c)
	g.install(c, "tool")
	for _, dir := range []string{filepath.Join(g.project, ".pinion"), filepath.Join(g.dir, "config", "pinion")} {
		if err := syscall.Mkfifo(filepath.Join(dir, "policy.toml"), 0o600); err != nil {
			t.Skip(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := c.Activate(t.Context(), g.ref("tool"), pinion.ActivateOptions{Allow: agreed, Project: true})
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "regular file") {
				t.Errorf("%s: %v", dir, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it waits for a writer", dir)
		}
	}
}
