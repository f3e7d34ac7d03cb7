//go:build unix

package store

import "syscall"

var mkfifo = func(name string) error { return syscall.Mkfifo(name, 0o600) }
