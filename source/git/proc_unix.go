//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the end of cmd's context kill it with everything it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
