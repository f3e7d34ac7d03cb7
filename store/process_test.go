package store

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// process is the test binary as another process.
func process(t *testing.T, name, root, source string, before ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	args := append(before, self)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), envOperation+"="+name, envHome+"="+root, envSource+"="+source)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// security 3.6 row 96: two processes install, activate and clean at once, 50
// rounds. None fails, and all that both did is there.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	for round := range 50 {
		h := newHome(t)
		var cmds [2]*exec.Cmd
		var outs [2]*bytes.Buffer
		for i := range cmds {
			cmds[i], outs[i] = process(t, fmt.Sprintf("race 2.%d.0", i), h.root, fastDir(t))
			must(t, cmds[i].Start())
		}
		for i, c := range cmds {
			if err := c.Wait(); err != nil {
				t.Fatalf("round %d: %v: %s", round, err, outs[i])
			}
		}
		s := h.open()
		rs, damaged, err := s.List(t.Context())
		if err != nil || len(rs) != 3 || len(damaged) != 0 {
			t.Fatalf("round %d: List = %d, %v, %v", round, len(rs), damaged, err)
		}
		p, err := s.Active(t.Context(), Scope{}, "x")
		if err != nil || p.Current == nil || p.Current.Version == "1.0.0" || len(p.History) < 3 {
			t.Fatalf("round %d: Active = %+v, %v", round, p, err)
		}
		if diffs, err := s.Verify(t.Context()); err != nil || len(diffs) != 0 {
			t.Fatalf("round %d: Verify = %s, %v", round, described(diffs), err)
		}
		if left := h.staged(); len(left) != 0 {
			t.Fatalf("round %d: left over: %v", round, left)
		}
	}
}
