// Command pinion is the package manager and marketplace toolchain for plugins
// of AI agents.
//
// This package parses flags, calls the library, prints, and sets the exit code.
// It has no logic that a program embedding the library would want.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := interruptible(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(code)
}

// interruptible returns a context that the first Ctrl-C (or a polite kill)
// ends. The second one finds the system's own handling again and kills.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
