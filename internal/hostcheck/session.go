package hostcheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pinion/internal/sandbox"
)

// Bounds of one run of a client.
const (
	runLimit  = 90 * time.Second
	runOutput = 32 << 20
)

// Session is one throw-away home in which clients run. It is not safe for
// concurrent use: clients lose updates of their own settings.
type Session struct {
	Home string // HOME
	Dir  string // working directory, empty at the start

	clients Clients
}

// Session makes a home directory below tmp, and the working directory beside
// it.
func (c Clients) Session(ctx context.Context, tmp string) (*Session, error) {
	root, err := os.MkdirTemp(tmp, "session-")
	if err != nil {
		return nil, err
	}
	s := &Session{clients: c, Home: filepath.Join(root, "home"), Dir: filepath.Join(root, "work")}
	err = errors.Join(os.Mkdir(s.Home, 0o700), os.Mkdir(s.Dir, 0o700), os.Mkdir(filepath.Join(s.Home, "tmp"), 0o700))
	if err != nil || c.Has(CopilotClient) != nil {
		return s, err
	}
	cache, err := c.warm(ctx)
	if err != nil {
		return s, fmt.Errorf("unpack copilot: %w", err)
	}
	err = os.Mkdir(filepath.Join(s.Home, ".cache"), 0o700)
	return s, errors.Join(err, os.Symlink(cache, filepath.Join(s.Home, ".cache", "copilot")))
}

// Close removes the home and the working directory.
func (s *Session) Close() error { return os.RemoveAll(filepath.Dir(s.Home)) }

// Run runs a client to its end. A client that ends by itself is no error
// whatever its exit status is.
func (s *Session) Run(ctx context.Context, name Name, args ...string) (sandbox.Result, error) {
	argv, err := s.clients.argv(name)
	if err != nil {
		return sandbox.Result{}, err
	}
	res, err := sandbox.Run(ctx, sandbox.Command{
		Argv: append(argv, args...), Dir: s.Dir, Env: s.env(),
		Stdin: strings.NewReader(""), Output: runOutput, Limit: runLimit,
	})
	if err != nil {
		return res, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return res, nil
}

// argv is how a client is started.
func (c Clients) argv(name Name) ([]string, error) {
	if err := c.Has(name); err != nil {
		return nil, err
	}
	pin := PinOf(name)
	if pin.Node {
		return []string{PinOf(nodeRuntime).path(c.dir), pin.path(c.dir)}, nil
	}
	return []string{pin.path(c.dir)}, nil
}

// env is the whole environment: nothing of the user's, no telemetry, no update,
// and a proxy that nobody listens at, so that what a client looks up in spite
// of that ends at once.
func (s *Session) env() []string {
	node := filepath.Dir(PinOf(nodeRuntime).path(s.clients.dir))
	return []string{
		"HOME=" + s.Home, "TMPDIR=" + filepath.Join(s.Home, "tmp"),
		"PATH=" + node + ":/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8", "NO_COLOR=1", "CI=1", "TERM=dumb",
		"GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
		"DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1", "COPILOT_AUTO_UPDATE=false",
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}
}

// Reply is what a client said to one command.
type Reply struct {
	OK bool
	// Market is the name of an added marketplace, as the client calls it.
	Market string
	// Text is the first line of what it said against it, without the names of
	// temporary directories; "" when it is OK.
	Text string
}

// reply makes a Reply of a result whose exit status is the answer.
func (s *Session) reply(res sandbox.Result) Reply {
	if res.Exit == 0 {
		return Reply{OK: true}
	}
	text := strings.TrimSpace(res.Stderr)
	if text == "" {
		text = strings.TrimSpace(string(res.Stdout))
	}
	return Reply{Text: s.clean(text)}
}

// textLimit is how much of a client's message is kept.
const textLimit = 140

// clean makes one line of a client's message that is the same in each run.
func (s *Session) clean(text string) string {
	text = strings.ReplaceAll(text, filepath.Dir(s.Home), "")
	text = temporary.Get().ReplaceAllString(text, "temp")
	var keep []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		// Codex says in each run that it has no helper programs in a
		// temporary directory.
		if line == "" || strings.HasPrefix(line, "WARNING: proceeding") {
			continue
		}
		if strings.HasPrefix(line, "Stack backtrace") {
			break
		}
		keep = append(keep, line)
	}
	text = strings.Join(keep, " ")
	if len(text) > textLimit {
		text = strings.ToValidUTF8(text[:textLimit], "") + "…"
	}
	return text
}
