//go:build !linux

package sandbox

// Confine does nothing here: the system has no way to take files and network
// from a process that is already running.
func Confine() (string, error) { return "nothing: not on this system", nil }
