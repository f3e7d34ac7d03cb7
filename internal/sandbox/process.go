package sandbox

import (
	"io"
	"os/exec"
)

// Process is a program that is kept running and talked to over its standard
// input and output.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cmd    *exec.Cmd
	stderr *tail
}

// Start starts a program with a clean environment in a process group of its
// own. The caller ends it with [Process.Kill] or by closing Stdin, and then
// calls [Process.Wait].
func Start(argv, env []string) (*Process, error) {
	p := &Process{cmd: exec.Command(argv[0], argv[1:]...), stderr: &tail{limit: 4 << 10}}
	p.cmd.Env = env
	if p.cmd.Env == nil {
		p.cmd.Env = []string{}
	}
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = grace
	ownGroup(p.cmd)
	p.cmd.Cancel = nil // that is for a context, which this program has none of
	var err error
	if p.Stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.Stdout, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// Kill ends the program and everything in its group.
func (p *Process) Kill() { killGroup(p.cmd) }

// Wait waits for the end and returns the last lines of standard error.
func (p *Process) Wait() (stderr string, err error) {
	err = p.cmd.Wait()
	return p.stderr.String(), err
}
