package sandbox

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// Confine takes every file, the network and core dumps from the running
// process, as far as the kernel can, and says what was done. What is open stays
// open. There is no way back, so it is for a process that is there for one job.
func Confine() (string, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", fmt.Errorf("give up new privileges: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return "", fmt.Errorf("forbid core dumps: %w", err)
	}
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return "no new privileges (the kernel has no Landlock)", nil
	}
	if err := landlock.V11.BestEffort().Restrict(); err != nil {
		return "", fmt.Errorf("confine with Landlock: %w", err)
	}
	return fmt.Sprintf("Landlock ABI %d, no new privileges", abi), nil
}
