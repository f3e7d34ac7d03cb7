//go:build unix

package sandbox

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the program into a process group of its own, all of which is
// killed at the end of its time: killing the program alone leaves what it
// started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// It may have ended by itself; then there is nobody to kill.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
