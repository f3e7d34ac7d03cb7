package sandbox

import "os/exec"

// ownGroup leaves the program as it is: its children outlive it on this system.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}
