package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// command is a process to run.
type command struct {
	path string   // absolute, or looked up in PATH
	args []string // without the name of the program
	dir  string   // where it runs, "" for the bench's temporary directory
	home string   // PINION_HOME, "" for none
	env  []string // in addition to the bench's clean environment
	in   io.Reader
}

func (c command) String() string { return strings.Join(append([]string{c.path}, c.args...), " ") }

// environment is what every measured process gets: nothing of the user's
// configuration, so that the figures do not depend on who measures.
func (b *bench) environment(c command) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(b.tmp, "user"),
		"TMPDIR=" + b.tmp,
		"LC_ALL=C",
		"NO_COLOR=1",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0",
	}
	if c.home != "" {
		env = append(env, "PINION_HOME="+c.home)
	}
	return append(env, c.env...)
}

// time runs the command and measures from its start to the end of its wait. Its
// output goes nowhere; a failure carries what it wrote to stderr.
func (b *bench) time(ctx context.Context, c command) (sample, error) {
	return b.execute(ctx, c, nil)
}

// output runs the command and returns its stdout.
func (b *bench) output(ctx context.Context, c command) (string, error) {
	var out bytes.Buffer
	_, err := b.execute(ctx, c, &out)
	return strings.TrimSpace(out.String()), err
}

// run runs the command for its effect.
func (b *bench) run(ctx context.Context, c command) error {
	_, err := b.execute(ctx, c, nil)
	return err
}

func (b *bench) execute(ctx context.Context, c command, out io.Writer) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, c.args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout = c.dir, b.environment(c), c.in, out
	if cmd.Dir == "" {
		cmd.Dir = b.tmp
	}
	// A file, not a pipe: a pipe would add a goroutine that the wait waits for.
	stderr, err := os.CreateTemp(b.tmp, "stderr-")
	if err != nil {
		return sample{}, err
	}
	defer os.Remove(stderr.Name())
	defer stderr.Close()
	cmd.Stderr = stderr

	before := b.traffic()
	start := time.Now()
	err = cmd.Run()
	s := sample{wall: time.Since(start)}
	after := b.traffic()
	s.requests, s.bytes = after.requests-before.requests, after.bytes-before.bytes
	if err != nil {
		said, _ := os.ReadFile(stderr.Name())
		return sample{}, fmt.Errorf("%s: %w: %s", c, err, lastLines(said))
	}
	return s, nil
}

// lastLines returns the end of what a process said, on one line.
func lastLines(said []byte) string {
	const most = 400
	s := strings.Join(strings.Fields(string(said)), " ")
	if len(s) > most {
		s = "…" + s[len(s)-most:]
	}
	return s
}

// peak runs the command under a small parent and returns its peak resident
// memory in MiB.
func (b *bench) peak(ctx context.Context, c command) (float64, error) {
	tool, err := b.tool(ctx, "peak")
	if err != nil {
		return 0, err
	}
	report := filepath.Join(b.tmp, "peak.txt")
	c.path, c.args = tool, append([]string{report, c.path}, c.args...)
	if err := b.run(ctx, c); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return 0, err
	}
	kib, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return float64(kib) / 1024, err
}

// pinion is a command of the measured binary with its state in home.
func (b *bench) pinion(home string, args ...string) command {
	return command{path: b.binary, args: args, home: home}
}

// git is a git command that runs in dir.
func (b *bench) git(dir string, args ...string) command {
	return command{path: "git", args: args, dir: dir, env: []string{
		"GIT_AUTHOR_NAME=Bench", "GIT_AUTHOR_EMAIL=bench@localhost",
		"GIT_COMMITTER_NAME=Bench", "GIT_COMMITTER_EMAIL=bench@localhost",
	}}
}

// process is a contender that runs one command.
func (b *bench) process(name string, c command) contender {
	return contender{name: name, run: func(ctx context.Context, _ int) (sample, error) { return b.time(ctx, c) }}
}

// sh is a shell command line; its arguments are $1, $2 and so on.
func (b *bench) sh(line string, args ...string) command {
	return command{path: "sh", args: append([]string{"-c", line, "sh"}, args...)}
}
