//go:build unix

package main

import "syscall"

// waits returns how often this process has waited for something, such as the
// disk, and false when the system does not tell.
func waits() (int64, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return int64(u.Nvcsw), true
}
