package hostcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pinion/internal/sandbox"
)

// ErrAbsent is a client that is not installed.
var ErrAbsent = errors.New("it is not installed")

// installLimit is for one client: the largest has 424 MB.
const installLimit = 3 * time.Minute

// Dir is where clients are kept: $PINION_CLIENTS, else a directory in the
// user's cache.
func Dir(getenv func(string) string) (string, error) {
	if dir := getenv("PINION_CLIENTS"); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where clients are kept: %w", err)
	}
	return filepath.Join(cache, "pinion-clients"), nil
}

// Clients are the installed clients of one directory.
type Clients struct{ dir string }

// Open returns the clients of a directory, installed or not.
func Open(dir string) Clients { return Clients{dir: dir} }

// Has returns nil when a client and what it runs on are installed at the pinned
// version, and an error that wraps [ErrAbsent] or says what is there instead.
func (c Clients) Has(name Name) error {
	pin := PinOf(name)
	if pin.Node {
		if err := c.Has(nodeRuntime); err != nil {
			return err
		}
	}
	if _, err := os.Stat(pin.path(c.dir)); err != nil {
		return fmt.Errorf("%s %s: %w", name, pin.Version, ErrAbsent)
	}
	data, err := os.ReadFile(pin.manifest(c.dir))
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, pin.Version, ErrAbsent)
	}
	var p struct{ Version string }
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("%s: %w", pin.manifest(c.dir), err)
	}
	if p.Version != pin.Version && !strings.HasPrefix(p.Version, pin.Version+".") {
		return fmt.Errorf("%s %s is wanted and %s is installed: %w", name, pin.Version, p.Version, ErrAbsent)
	}
	return nil
}

// Install puts the named clients that are absent into the directory, with npm,
// from the registry that the user's npm is set to. Install scripts are not run.
func (c Clients) Install(ctx context.Context, names []Name, log func(string)) error {
	var wait sync.WaitGroup
	var lock sync.Mutex
	var errs []error
	slots := make(chan struct{}, 2) // npm unpacks on one processor
	for _, name := range append([]Name{nodeRuntime}, names...) {
		if c.Has(name) == nil {
			continue
		}
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			start := time.Now()
			err := c.install(ctx, PinOf(name))
			lock.Lock()
			defer lock.Unlock()
			if err != nil {
				errs = append(errs, fmt.Errorf("install %s: %w", name, err))
				return
			}
			log(fmt.Sprintf("installed %s %s in %.1f s", name, PinOf(name).Version, time.Since(start).Seconds()))
		})
	}
	wait.Wait()
	for _, name := range names {
		// One that runs on node needs that, too.
		if err := c.Has(name); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (c Clients) install(ctx context.Context, pin Pin) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return err
	}
	dir := filepath.Join(c.dir, string(pin.Name))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// Without a package.json of its own npm looks for one above.
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\"private\":true}\n"), 0o644); err != nil {
		return err
	}
	res, err := sandbox.Run(ctx, sandbox.Command{
		// npm picks an older version that fits its own node, unless it is told
		// the exact one.
		Argv: []string{npm, "install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, pin.Package + "@" + pin.Version},
		Dir:  dir, Env: os.Environ(), Output: 1 << 20, Limit: installLimit,
	})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("npm ended with %d: %s", res.Exit, last(res.Stderr))
	}
	if err != nil {
		return err
	}
	_, err = os.Stat(pin.path(c.dir))
	return err
}

// warm has Copilot unpack itself once: it does so into the cache of every new
// home, 235 MB each, and all sessions share this one.
func (c Clients) warm(ctx context.Context) (string, error) {
	cache := filepath.Join(c.dir, string(CopilotClient), "cache")
	done := filepath.Join(cache, "unpacked-"+PinOf(CopilotClient).Version)
	if _, err := os.Stat(done); err == nil {
		return filepath.Join(cache, ".cache", "copilot"), nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	s := &Session{clients: c, Home: cache, Dir: cache}
	if _, err := s.Run(ctx, CopilotClient, "plugin", "list", "--json"); err != nil {
		return "", err
	}
	return filepath.Join(cache, ".cache", "copilot"), os.WriteFile(done, nil, 0o644)
}

// last is the last line of a text that says something.
func last(text string) string {
	lines := bytes.Split(bytes.TrimSpace([]byte(text)), []byte("\n"))
	return string(lines[len(lines)-1])
}
