// Package sandbox starts child processes that are not trusted, and confines the
// process it runs in.
//
// [Run] starts a program without a shell, with a clean environment, in a
// process group of its own, with bounds on time and output; when it ends, or its
// time is over, everything it started in that group is ended (security 3.7 row
// 104). [Confine] takes from the running process what it does not need any
// more: files, network, new privileges. It is for a worker that only computes
// on what it was sent.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Command is a program to be run once.
type Command struct {
	Argv   []string // the program and its arguments; never a shell line
	Dir    string   // working directory, "" for the temporary directory of the system
	Env    []string // the whole environment
	Stdin  io.Reader
	Output int64         // most bytes of standard output that are kept; more is ErrOutput
	Limit  time.Duration // wall clock
}

// Result is what a program that was run did.
type Result struct {
	Stdout []byte
	Stderr string // the last lines, at most 4 KiB
	Exit   int    // exit status
}

// Errors of [Run] besides those of starting the program.
var (
	// ErrTime is a program that did not end in time.
	ErrTime = errors.New("it did not end in time")
	// ErrOutput is a program that wrote more than is read.
	ErrOutput = errors.New("it wrote more than is read")
	// ErrKilled is a program that a signal ended: a crash, or a limit of the system.
	ErrKilled = errors.New("it was ended by a signal")
)

// grace is how long a killed program's pipes are waited for.
const grace = 2 * time.Second

// Run starts a program and waits for it. A program that ends by itself is no
// error whatever its exit status is.
func Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Argv) == 0 {
		return Result{}, errors.New("no program is named")
	}
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	out := &bounded{limit: c.Output, full: cancel}
	tail := &tail{limit: 4 << 10}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdin, out, tail
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would hand on ours
	}
	cmd.WaitDelay = grace
	ownGroup(cmd)
	err := cmd.Run()
	killGroup(cmd) // what it started and left behind
	res := Result{Stdout: out.buf.Bytes(), Stderr: tail.String()}
	if cmd.ProcessState != nil {
		res.Exit = cmd.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	switch {
	case out.over:
		return res, ErrOutput
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return res, ErrTime
	case ctx.Err() != nil:
		return res, ctx.Err()
	case errors.As(err, &exit) && res.Exit < 0:
		return res, fmt.Errorf("%w: %s", ErrKilled, exit)
	case errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay), err == nil:
		return res, nil
	}
	return res, err
}

// bounded keeps the first bytes and ends the program when there are more.
type bounded struct {
	buf   bytes.Buffer
	limit int64
	over  bool
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.buf.Len()+len(p)) > b.limit {
		b.over = true
		b.full()
		return 0, ErrOutput
	}
	return b.buf.Write(p)
}

// tail keeps the last bytes.
type tail struct {
	data  []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if n := len(t.data) - t.limit; n > 0 {
		t.data = append(t.data[:0], t.data[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(bytes.TrimSpace(t.data)) }
