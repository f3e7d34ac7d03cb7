// Package pinion is the library behind the command of the same name: a package
// manager and marketplace toolchain for plugins of AI agents.
//
// A [Client] has the verbs people use. Authors validate, hash and catalog
// packages; users add marketplaces, install a pinned version, activate it, roll
// it back; hosts ask which directory holds the active bytes. Every verb returns
// a value that says what happened; nothing is printed.
//
// What is wrong with content is in the returned problems. An error means that
// the verb could not be carried out, and the state is then what it was. Errors
// that a caller may want to tell apart have types: [*UsageError],
// [*ConsentError], [*market.RefusedError], [*hashes.MismatchError],
// [*problem.ContentError].
package pinion

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pinion/internal/fsx"
	"pinion/manifest/agentplugins"
	"pinion/manifest/agentskill"
	"pinion/manifest/claude"
	"pinion/manifest/codex"
	"pinion/manifest/copilot"
	"pinion/manifest/cursor"
	"pinion/manifest/gemini"
	"pinion/manifest/mcpb"
	"pinion/manifest/mcpregistry"
	"pinion/manifest/native"
	"pinion/market"
	"pinion/pkgfmt"
	"pinion/source"
	"pinion/source/archive"
	"pinion/source/dir"
	"pinion/source/git"
	"pinion/source/github"
	"pinion/source/npm"
	"pinion/source/web"
	"pinion/store"
)

// Version is the version of this Pinion.
const Version = "0.3.0"

// Options configure a [Client]. The zero value uses the process's own
// environment.
type Options struct {
	// Home is Pinion's directory, "" for $PINION_HOME, else
	// $XDG_DATA_HOME/pinion, else ~/.local/share/pinion.
	Home string
	// Cwd is where relative paths start, "" for the working directory.
	Cwd string
	// Project is the root that project scope means, "" to look for it.
	Project string
	// Offline forbids every request to another machine.
	Offline bool
	// LockWait bounds the wait for another process that changes the same thing;
	// 0 is 30 seconds for the installed plugins and two minutes for a
	// marketplace, which the other may be fetching.
	LockWait time.Duration

	Getenv func(string) string
	HTTP   *http.Client
	Clock  func() time.Time
	Log    *slog.Logger
	// Progress is told about long work; it may be nil and may be called from
	// several goroutines.
	Progress func(what string, done, total int)
	// ScanWorker is the command line of a process that calls [Client.ScanWorker]
	// with its standard streams; scans are made there, where content that gets
	// the better of a parser finds neither files nor network. Nil scans in this
	// process.
	ScanWorker []string
	// Ask is shown what an activation would allow, and returns what the user
	// says. Nil means that nobody can be asked.
	Ask func(Question) (Answer, error)
	// Waiting is told, once a lock has kept a verb waiting for half a second, the
	// id of the process that holds it, 0 when that is unknown. It may be nil and
	// may be called from several goroutines.
	Waiting func(pid int)
}

// Client is the front door. It is safe for concurrent use; several processes
// may use one home at the same time. It must be closed.
type Client struct {
	o       Options
	loader  *pkgfmt.Loader
	scanner scanner

	mu      sync.Mutex
	home    *fsx.Dir
	store   *store.Store
	markets *market.Markets
}

// New returns a client. It touches neither the disk nor the network.
func New(o Options) (*Client, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.Cwd == "" {
		wd, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		o.Cwd = wd
	}
	if o.Home == "" {
		// Authors need no home: that there is none is said by what needs one.
		o.Home, _ = defaultHome(o.Getenv)
	}
	if o.Home != "" && !filepath.IsAbs(o.Home) {
		o.Home = filepath.Join(o.Cwd, o.Home)
	}
	return &Client{o: o, loader: Loader()}, nil
}

// Loader returns the loader of every format Pinion reads. A new format is one
// folder under manifest and one line here.
func Loader() *pkgfmt.Loader {
	byEntry := claude.New()
	return pkgfmt.New(byEntry,
		native.New(native.Options{}),
		byEntry,
		codex.New(),
		copilot.New(),
		cursor.New(),
		gemini.New(),
		agentplugins.New(),
		mcpb.New(),
		mcpregistry.New(),
		agentskill.New(),
	)
}

// open returns the source of a spec. A new kind of source is one folder under
// source and one line here.
func (c *Client) open(s source.Spec, strange bool) (source.Source, error) {
	o := c.git()
	o.PublicOnly = strange
	if c.o.Offline && !s.Local() {
		if strings.HasPrefix(s.URL, "ssh:") || s.Kind == source.Git && !strings.Contains(s.URL, "://") {
			return offline{s}, nil
		}
		// What was fetched before can still be read; a request fails. That goes
		// before asking whether an address is public, for which connections are
		// made in another way.
		o.HTTP, o.PublicOnly = &http.Client{Transport: noNetwork{}}, false
	}
	switch s.Kind {
	case source.GitHub:
		return github.New(s, github.Options{
			HTTP: o.HTTP, API: c.o.Getenv("PINION_GITHUB_API"), Clone: c.o.Getenv("PINION_GITHUB_CLONE"),
			Token: firstSet(c.o.Getenv, "GITHUB_TOKEN", "GH_TOKEN"), Git: o,
		})
	case source.Dir:
		return dir.New(s), nil
	case source.NPM:
		return npm.New(s, npm.Options{PublicOnly: o.PublicOnly, Web: web.Options{HTTP: o.HTTP}, Getenv: c.o.Getenv, Log: c.o.Log})
	case source.Archive:
		w := web.Options{HTTP: o.HTTP}
		if !o.PublicOnly {
			w.Trusted = s.Host()
		}
		return archive.New(s, w), nil
	}
	return git.New(s, o)
}

func (c *Client) git() git.Options {
	return git.Options{HTTP: c.o.HTTP, Getenv: c.o.Getenv, Log: c.o.Log}
}

func firstSet(getenv func(string) string, names ...string) string {
	for _, n := range names {
		if v := getenv(n); v != "" {
			return v
		}
	}
	return ""
}

// Home returns the absolute path of Pinion's directory, which may not exist.
func (c *Client) Home() string { return c.o.Home }

// Close releases the home.
func (c *Client) Close() error {
	c.scanner.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.home == nil {
		return nil
	}
	err := c.home.Close()
	c.home, c.store, c.markets = nil, nil, nil
	return err
}

// state opens the home. Without one ok is false, also for verbs that change or
// remove what is there: none should be made just to find nothing in it. With
// create it is made.
func (c *Client) state(create bool) (*store.Store, *market.Markets, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.home != nil {
		return c.store, c.markets, true, nil
	}
	if c.o.Home == "" {
		_, err := defaultHome(c.o.Getenv)
		return nil, nil, false, err
	}
	home, err := fsx.OpenHome(c.o.Home, fsx.Options{Create: create, Waiting: c.o.Waiting})
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, err
	}
	st, err := store.Open(home, store.Options{Clock: c.o.Clock, Tool: Version, LockWait: c.o.LockWait})
	if err != nil {
		home.Close()
		return nil, nil, false, err
	}
	c.home, c.store = home, st
	c.markets = market.New(market.Options{
		Home: home, Loader: c.loader, Open: c.open, Cwd: c.o.Cwd, Clock: c.o.Clock, Log: c.o.Log, Progress: c.o.Progress,
		LockWait: c.o.LockWait,
	})
	return c.store, c.markets, true, nil
}

// defaultHome is $PINION_HOME, else $XDG_DATA_HOME/pinion, else
// ~/.local/share/pinion. An empty or relative XDG value counts as unset, as the
// XDG specification asks.
func defaultHome(getenv func(string) string) (string, error) {
	if h := getenv("PINION_HOME"); h != "" {
		return h, nil
	}
	if x := getenv("XDG_DATA_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "pinion"), nil
	}
	h := getenv("HOME")
	if h == "" {
		h = getenv("USERPROFILE")
	}
	if h == "" {
		return "", &UsageError{Msg: "there is no home directory", Tip: "set PINION_HOME, or use --home DIR"}
	}
	return filepath.Join(h, ".local", "share", "pinion"), nil
}
