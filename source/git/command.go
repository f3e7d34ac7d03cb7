package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"pinion/source"
	"pinion/source/web"
)

// program is the system's git. It is the one place that builds its command
// lines and its environment; nothing of the user's or the repository's
// configuration, hooks, filters, helpers or templates takes effect (security
// 3.3 rows 44, 48 to 50 and 56).
type program struct {
	path   string
	limits Limits
	getenv func(string) string
	env    []string // the few variables taken over from the environment
	// What is known of cat-file: whether it has --batch-command.
	oldCatFile, newCatFile atomic.Bool
}

// findProgram looks git up in PATH, unless the options name it. The current
// directory is never searched.
func findProgram(o Options) (*program, error) {
	path := o.Program
	if path == "" {
		p, err := exec.LookPath("git")
		if err != nil {
			return nil, ErrNoGit
		}
		path = p
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return &program{path: abs, limits: o.Limits, getenv: o.Getenv, env: baseEnv(o.Getenv)}, nil
}

// passed are the variables that git, its TLS library and ssh need from the
// environment. None of them makes git run a program.
var passed = [...]string{
	"PATH", "SYSTEMROOT", "SystemRoot", "TEMP", "TMP", "TMPDIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
	"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
	"SSH_AUTH_SOCK",
}

func baseEnv(getenv func(string) string) []string {
	env := make([]string, 0, len(passed)+20)
	for _, k := range passed {
		if v := getenv(k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	nowhere := "/nonexistent"
	if runtime.GOOS == "windows" {
		nowhere = `C:\nonexistent`
	}
	return append(env,
		"HOME="+nowhere, "USERPROFILE="+nowhere, "XDG_CONFIG_HOME="+nowhere,
		"LC_ALL=C", "LANGUAGE=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_LFS_SKIP_SMUDGE=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1", "GIT_PAGER=cat",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS="+no(), "SSH_ASKPASS="+no(), "GIT_EDITOR="+no(),
		// The user's own ssh configuration holds the keys; nothing may ask.
		"GIT_SSH_COMMAND=ssh -oBatchMode=yes -oForwardAgent=no -oForwardX11=no -oClearAllForwardings=yes -oPermitLocalCommand=no -oConnectTimeout=30",
	)
}

// no is a program that fails, where a program must be named.
func no() string {
	if runtime.GOOS == "windows" {
		return "false"
	}
	return "/bin/false"
}

// hardened stands before every subcommand, so that no configuration file can
// say otherwise.
var hardened = [...]string{
	"protocol.version=2", "core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.untrackedCache=false",
	"core.alternateRefsCommand=", "core.attributesFile=" + os.DevNull, "core.excludesFile=" + os.DevNull,
	"core.pager=cat", "core.quotePath=false", "core.bigFileThreshold=16m", "core.warnAmbiguousRefs=false",
	"fetch.fsckObjects=true", "transfer.fsckObjects=true", "transfer.bundleURI=false", "fetch.recurseSubmodules=false",
	"fetch.writeCommitGraph=false", "submodule.recurse=false", "credential.helper=", "core.askPass=" + no(),
	"http.followRedirects=false", "http.lowSpeedLimit=1000", "http.lowSpeedTime=20", "http.cookieFile=", "http.saveCookies=false",
	"gc.auto=0", "gc.autoDetach=false", "maintenance.auto=false", "advice.detachedHead=false",
	"uploadpack.packObjectsHook=", "log.showSignature=false", "gpg.program=" + no(), "diff.external=",
}

// call is one run of git.
type call struct {
	dir      string   // GIT_DIR
	worktree string   // GIT_WORK_TREE and the working directory, "" for a bare repository
	allow    string   // the only protocol that may be spoken, "" for none
	config   []string // further key=value settings, visible in the process list
	secret   []string // key=value settings that are passed in the environment
	user     bool     // the user's own configuration counts
	args     []string
	stdin    io.Reader
	maxFile  int64 // bytes of any one file written, 0 for no limit
}

// command builds the process for c. When ctx ends, the whole process group is
// killed, because a helper of git would go on otherwise.
func (p *program) command(ctx context.Context, c call) *exec.Cmd {
	args := make([]string, 0, 2*(len(hardened)+len(c.config))+len(c.args)+1)
	if !c.user {
		for _, kv := range hardened {
			args = append(args, "-c", kv)
		}
	}
	for _, kv := range c.config {
		args = append(args, "-c", kv)
	}
	cmd := exec.CommandContext(ctx, p.path, append(args, c.args...)...)
	cmd.Env = append(cmd.Env, p.env...)
	if c.user {
		for _, k := range [...]string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"} {
			cmd.Env = slicesWithout(cmd.Env, k+"=")
			if v := p.getenv(k); v != "" {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
		}
	}
	if c.allow == "" {
		c.allow = "none"
	}
	cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL="+c.allow)
	if c.dir != "" {
		// Explicit, so that no repository above is found (security 3.3 row 50).
		cmd.Env = append(cmd.Env, "GIT_DIR="+c.dir)
		cmd.Dir = c.dir
	}
	if c.worktree != "" {
		cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+c.worktree)
		cmd.Dir = c.worktree
	}
	for i, kv := range c.secret {
		k, v, _ := strings.Cut(kv, "=")
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, k), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, v))
	}
	if n := len(c.secret); n > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
	}
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdin = c.stdin
	return cmd
}

func slicesWithout(env []string, prefix string) []string {
	out := env[:0:0]
	for _, kv := range env {
		if !strings.HasPrefix(kv, prefix) {
			out = append(out, kv)
		}
	}
	return out
}

// output runs c and returns what it printed, at most max bytes.
func (p *program) output(ctx context.Context, c call, max int64) ([]byte, error) {
	var out []byte
	err := p.stream(ctx, c, func(r io.Reader) error {
		b, err := io.ReadAll(io.LimitReader(r, max+1))
		if err == nil && int64(len(b)) > max {
			err = fmt.Errorf("git %s printed more: %w (%d bytes)", c.args[0], source.ErrTooLarge, max)
		}
		out = b
		return err
	})
	return out, err
}

// stream runs c and hands its output to read. When read fails the process is
// killed and read's error returned.
func (p *program) stream(ctx context.Context, c call, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.limits.Total, web.ErrTooSlow)
	defer cancel()
	cmd := p.command(ctx, c)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr tail
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return startError(err)
	}
	limitProcess(cmd.Process.Pid, c.maxFile)
	readErr := read(stdout)
	if readErr != nil {
		cancel()
	}
	io.Copy(io.Discard, stdout) // so that git can end by itself
	err = cmd.Wait()
	switch {
	case readErr != nil:
		return readErr
	case err != nil && context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		return &runError{c.args[0], err, stderr.String()}
	}
	return nil
}

func startError(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	return fmt.Errorf("start git: %w", err)
}

// runError is a run of git that failed. Its message is untrusted text.
type runError struct {
	what   string
	err    error
	stderr string
}

func (e *runError) Error() string {
	if e.stderr == "" {
		return fmt.Sprintf("git %s: %v", e.what, e.err)
	}
	return fmt.Sprintf("git %s: %v: %q", e.what, e.err, e.stderr)
}

func (e *runError) Unwrap() error { return e.err }

// tail keeps the first bytes of git's messages.
type tail struct{ buf bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if room := maxStderr - t.buf.Len(); room > 0 {
		t.buf.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// String returns the line that says what went wrong.
func (t *tail) String() string {
	text := strings.TrimSpace(t.buf.String())
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			return strings.TrimSpace(line)
		}
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return text[i+1:]
	}
	return text
}
