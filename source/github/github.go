// Package github finds out what a repository on GitHub contains now, by its
// API: a conditional request that costs nothing while nothing changed. The
// bytes come over git, by the exact commit.
//
// When the API cannot be reached or its rate limit is used up, git is asked
// instead, so a refresh works without a token.
package github

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"pinion/source"
	"pinion/source/git"
)

// The bases of github.com.
const (
	defaultAPI   = "https://api.github.com/"
	defaultClone = "https://github.com"
)

// Options configure a [Repo]. The zero value is ready.
type Options struct {
	HTTP *http.Client // only its Transport is used
	// API and Clone replace https://api.github.com and https://github.com, for
	// GitHub Enterprise and for tests.
	API, Clone string
	// Token may read the repository; it is sent to API and Clone only.
	Token string
	// Git configures the fetching. Its URL and token are set here.
	Git git.Options
}

// Repo is a repository on GitHub. It implements [source.Source].
type Repo struct {
	spec source.Spec
	git  *git.Remote
	api  *gh.Client
	log  *slog.Logger
}

var (
	_ source.Source = (*Repo)(nil)
	_ source.Lister = (*Repo)(nil)
)

// New returns the repository that spec, one of kind source.GitHub, names.
func New(spec source.Spec, o Options) (*Repo, error) {
	clone := strings.TrimRight(orDefault(o.Clone, defaultClone), "/")
	g := o.Git
	g.URL = clone + "/" + spec.Owner + "/" + spec.Repo + ".git"
	g.Token, g.TokenURL = o.Token, clone
	if g.HTTP == nil {
		g.HTTP = o.HTTP
	}
	remote, err := git.New(spec, g)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(strings.TrimRight(orDefault(o.API, defaultAPI), "/") + "/")
	if err != nil || base.Scheme != "https" && base.Scheme != "http" {
		return nil, &source.SpecError{Text: o.API, Why: "is not the URL of a GitHub API", Hint: "check PINION_GITHUB_API"}
	}
	client := &http.Client{
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if o.HTTP != nil {
		client.Transport = o.HTTP.Transport
	}
	client.Transport = limited{orTransport(client.Transport)}
	api := gh.NewClient(client)
	if o.Token != "" {
		api = api.WithAuthToken(o.Token)
	}
	api.BaseURL = base
	r := &Repo{spec: spec, git: remote, api: api, log: g.Log}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r, nil
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// Resolve asks the API for what was seen last, as a conditional request, and
// git where nothing was seen yet or the API does not answer. The pin of the
// default branch always has the ref "HEAD", whoever was asked.
func (r *Repo) Resolve(ctx context.Context, known source.Pin) (source.Pin, error) {
	if source.IsCommit(r.spec.Ref) {
		return source.Pin{Commit: r.spec.Ref}, nil
	}
	full := r.ask(known)
	if full == "" {
		// A branch and a tag may have this name; only the list of refs shows
		// both, and it is one request too.
		return r.git.Resolve(ctx, known)
	}
	pin, err := r.resolve(ctx, full, known)
	var soft *softError
	if !errors.As(err, &soft) || ctx.Err() != nil {
		return pin, err
	}
	r.log.Info("asking git instead of the API", "source", r.spec.Canonical(), "reason", err)
	pin, gitErr := r.git.Resolve(ctx, known)
	switch {
	case gitErr == nil && r.spec.Ref == "":
		pin.Ref = "HEAD"
	case errors.Is(gitErr, source.ErrNotFound), errors.Is(gitErr, source.ErrOffline):
		// The API knows why better than git does.
		return source.Pin{}, fmt.Errorf("%w; git: %w", soft.err, gitErr)
	}
	return pin, gitErr
}

// ask returns the full name to ask the API for, "" when it must be found out.
func (r *Repo) ask(known source.Pin) string {
	ref := r.spec.Ref
	switch {
	case ref == "":
		return "HEAD"
	case strings.HasPrefix(ref, "refs/"):
		return ref
	case known.Ref == "refs/heads/"+ref || known.Ref == "refs/tags/"+ref:
		return known.Ref
	}
	return ""
}

// softError is an API that gives no answer, where git may give one.
type softError struct{ err error }

func (e *softError) Error() string { return e.err.Error() }
func (e *softError) Unwrap() error { return e.err }

// resolve asks the API for one full name. Without "refs/" it is the form that
// the API cannot take for a shortened commit.
func (r *Repo) resolve(ctx context.Context, full string, known source.Pin) (source.Pin, error) {
	last := ""
	if known.Ref == full {
		last = known.Commit
	}
	sha, resp, err := r.api.Repositories.GetCommitSHA1(ctx, r.spec.Owner, r.spec.Repo, strings.TrimPrefix(full, "refs/"), last)
	if last != "" && resp != nil && resp.StatusCode == http.StatusNotModified {
		return known, nil
	}
	if err != nil {
		return source.Pin{}, r.explain(ctx, resp, err)
	}
	if sha = strings.TrimSpace(sha); !source.IsCommit(sha) {
		return source.Pin{}, &softError{fmt.Errorf("%w: the GitHub API did not answer with a commit", source.ErrOffline)}
	}
	return source.Pin{Commit: sha, Ref: full}, nil
}

// Refs asks git: the whole list is one request there, and pages of an API here.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]source.Pin, error) {
	return r.git.Refs(ctx, prefixes...)
}

// Open fetches over git; see [git.Remote.Open].
func (r *Repo) Open(ctx context.Context, pin source.Pin, cache string) (source.Snapshot, error) {
	s, err := r.git.Open(ctx, pin, cache)
	if err != nil {
		return nil, err
	}
	return &snapshot{Snapshot: s, repo: r}, nil
}

// snapshot asks the compare API about ancestors first.
type snapshot struct {
	source.Snapshot
	repo *Repo
}

// Descends asks the API, which needs no download, and git where it does not
// know.
func (s *snapshot) Descends(ctx context.Context, older string) (source.Ancestry, error) {
	commit := s.Pin().Commit
	if older == commit {
		return source.Descendant, nil
	}
	r := s.repo
	cmp, _, err := r.api.Repositories.CompareCommits(ctx, r.spec.Owner, r.spec.Repo, older, commit, &gh.ListOptions{PerPage: 1})
	if err == nil {
		switch cmp.GetStatus() {
		case "ahead", "identical":
			return source.Descendant, nil
		case "diverged", "behind":
			return source.Rewritten, nil
		}
	}
	if ctx.Err() != nil {
		return source.Unchecked, ctx.Err()
	}
	return s.Snapshot.Descends(ctx, older)
}
