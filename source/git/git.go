// Package git reads git repositories: a remote one by way of a bare cache, and
// the user's own one.
//
// Over http and https it speaks protocol version 2 itself: one small request
// finds out whether anything changed, one request fetches what did, and only
// the blobs that somebody asks for are transferred. Small packs are kept here;
// any others are checked and kept by the system's git or, where there is none, by
// go-git; the two are interchangeable behind one small interface. What is kept is
// read here, and only large amounts of it by git. ssh and file URLs, and servers
// that know only older protocols, need the system's git, which is run with
// nothing but the settings given here.
//
// There is never a work tree, and nothing that a repository contains takes
// effect: no hook, filter, attribute, submodule, LFS smudge or replace ref.
package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"pinion/source"
)

// Backend is what keeps the objects.
type Backend uint8

// Auto is the system's git where there is one, else go-git.
const (
	Auto Backend = iota
	System
	GoGit
)

// Options configure a [Remote] and a [Local]. The zero value is ready.
type Options struct {
	Backend Backend
	Program string // path of git; "" looks it up in PATH
	URL     string // where the repository is reached; "" is the spec's own URL
	// Token is sent to URLs below TokenURL and nowhere else.
	Token, TokenURL string
	// PublicOnly refuses to connect to this machine and to private networks:
	// for URLs that content chose, not the user.
	PublicOnly bool
	Limits     Limits

	HTTP   *http.Client // only its Transport is used; nil is the default
	Getenv func(string) string
	Log    *slog.Logger // nil discards
}

func (o Options) orDefault() Options {
	o.Limits = o.Limits.orDefault()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	return o
}

// Remote is a repository at a URL. It implements [source.Source].
type Remote struct {
	spec source.Spec
	url  string
	opts Options
	git  *program // nil without a system git
	wire *wire    // nil for ssh and file
}

var _ source.Source = (*Remote)(nil)

// New returns the repository that spec names. It touches nothing yet.
func New(spec source.Spec, o Options) (*Remote, error) {
	o = o.orDefault()
	r := &Remote{spec: spec, url: o.URL, opts: o}
	if r.url == "" {
		r.url = spec.URL
	}
	r.url = strings.TrimRight(r.url, "/")
	if o.Backend != GoGit {
		p, err := findProgram(o)
		if err != nil && (o.Backend == System || !errors.Is(err, ErrNoGit)) {
			return nil, err
		}
		r.git = p
	}
	if s := scheme(r.url); s == "https" || s == "http" {
		r.wire = newWire(r.url, o)
	} else if o.PublicOnly {
		return nil, &source.SpecError{Text: r.url, Why: "is not an https URL", Hint: "a catalog may name https URLs only"}
	}
	return r, nil
}

// scheme returns the protocol of a URL; user@host:path is ssh.
func scheme(rawURL string) string {
	if s, _, ok := strings.Cut(rawURL, "://"); ok {
		return s
	}
	return "ssh"
}

// Resolve finds the commit with one request of a few hundred bytes. A whole
// commit id needs none; that it exists shows when it is opened.
func (r *Remote) Resolve(ctx context.Context, known source.Pin) (source.Pin, error) {
	want := r.spec.Ref
	if source.IsCommit(want) {
		return source.Pin{Commit: want}, nil
	}
	var refs []ref
	var err error
	switch {
	case r.wire != nil:
		refs, err = r.wire.lsRefs(ctx, prefixes(want))
	case r.git != nil:
		refs, err = r.git.lsRemote(ctx, r.url, prefixes(want))
	default:
		return source.Pin{}, fmt.Errorf("%s: %w", r.url, ErrNoGit)
	}
	var pin source.Pin
	if err == nil {
		pin, err = pick(r.spec.Canonical(), want, refs)
	}
	if r.wire != nil && (err != nil || pin.Commit == known.Commit) {
		r.wire.close() // otherwise Open goes on over the same connection
	}
	if err != nil {
		return source.Pin{}, r.moved(err)
	}
	return pin, nil
}

// moved turns URLs into the identities that people know.
func (r *Remote) moved(err error) error {
	var m *source.MovedError
	if !errors.As(err, &m) {
		return err
	}
	to := m.To
	if spec, perr := source.Parse(m.To, "."); perr == nil {
		to = spec.Canonical()
	} else if u, uerr := url.Parse(m.To); uerr == nil {
		to = u.Redacted()
	}
	return &source.MovedError{From: r.spec.Canonical(), To: to}
}

// Open makes the commit readable. Over http it fetches, when the cache is
// empty, only the top of it, and directories and blobs when they are asked for,
// or with [WithWhole] everything; otherwise what changed since the newest
// commit in the cache. A damaged cache is thrown away and fetched again, once.
func (r *Remote) Open(ctx context.Context, pin source.Pin, cache string) (source.Snapshot, error) {
	if !source.IsCommit(pin.Commit) {
		return nil, fmt.Errorf("commit %q: %w", pin.Commit, fs.ErrInvalid)
	}
	abs, err := filepath.Abs(cache)
	if err != nil {
		return nil, err
	}
	st, err := openStore(abs, r.identity(), len(pin.Commit))
	if err != nil {
		return nil, err
	}
	s, err := r.open(ctx, st, pin)
	if errors.Is(err, errCorrupt) {
		r.opts.Log.Warn("cache is damaged; fetching it again", "source", r.spec.Canonical(), "error", err)
		if err := st.reset(); err != nil {
			return nil, err
		}
		s, err = r.open(ctx, st, pin)
	}
	if err != nil {
		return nil, r.moved(err)
	}
	return &healing{snapshot: s, r: r, store: st}, nil
}

// identity says whose a cache is. What git itself fetched and what came by the
// protocol spoken here have different gaps.
func (r *Remote) identity() string {
	if r.wire == nil {
		return r.spec.Canonical() + " by git"
	}
	return r.spec.Canonical()
}

func (r *Remote) open(ctx context.Context, st *store, pin source.Pin) (*snapshot, error) {
	objs, err := r.objects(st.dir, len(pin.Commit))
	if err != nil {
		return nil, err
	}
	ro := &remoteObjects{r: r, store: st, objs: objs, commit: pin.Commit, ref: pin.Ref}
	if !st.has(pin.Commit) {
		if err := ro.fetchCommit(ctx); err != nil {
			objs.close()
			return nil, err
		}
	}
	s, err := openSnapshot(ctx, objs, pin, r.opts.Limits)
	if err != nil {
		objs.close()
		return nil, err
	}
	if !st.has(pin.Commit) {
		// Only now it is known to be a commit with a tree.
		if err := st.mark(pin.Commit); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.remote = ro
	s.ancestry = func(ctx context.Context, older string) (source.Ancestry, error) {
		return r.ancestry(ctx, st.dir, pin.Commit, older)
	}
	if r.wire != nil {
		s.closers = append(s.closers, func() error { r.wire.close(); return nil })
	}
	return s, nil
}

func (r *Remote) objects(dir string, idLen int) (objects, error) {
	if r.git != nil {
		return newSystemCache(r.git, dir, idLen), nil
	}
	if idLen != 40 {
		return nil, fmt.Errorf("%s uses SHA-256 object ids: %w", r.spec.Canonical(), ErrNoGit)
	}
	return newGoGit(dir, r.opts.Limits), nil
}
