// Command peak runs a command and writes its peak resident memory to the file
// in its first argument, in KiB. A child started with vfork inherits the peak of
// its parent, so memory is measured under a parent that is small itself.
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: peak FILE COMMAND [ARG]...")
		os.Exit(2)
	}
	child, err := os.StartProcess(os.Args[2], os.Args[2:], &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	state, err := child.Wait()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	kib := int64(state.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" {
		kib /= 1024 // bytes there
	}
	if err := os.WriteFile(os.Args[1], fmt.Appendln(nil, kib), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(state.ExitCode())
}
