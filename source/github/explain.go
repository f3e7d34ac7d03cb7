package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"pinion/source"
)

// explain turns an answer of the API into what it means and what to do.
func (r *Repo) explain(ctx context.Context, resp *gh.Response, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	name := r.spec.Canonical()
	var rate *gh.RateLimitError
	var abuse *gh.AbuseRateLimitError
	switch {
	case errors.As(err, &rate):
		return &softError{fmt.Errorf("%w: GitHub's rate limit is used up until %s; set GITHUB_TOKEN for a higher one",
			source.ErrOffline, rate.Rate.Reset.Local().Format(time.Kitchen))}
	case errors.As(err, &abuse):
		return &softError{fmt.Errorf("%w: GitHub asks to wait %v before the next request", source.ErrOffline, abuse.GetRetryAfter())}
	case resp == nil:
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return &softError{fmt.Errorf("%w: GitHub API: %w", source.ErrOffline, err)}
	}
	switch code := resp.StatusCode; {
	case code == http.StatusMovedPermanently || code == http.StatusFound || code == http.StatusTemporaryRedirect || code == http.StatusPermanentRedirect:
		return &source.MovedError{From: name, To: r.movedTo(ctx, resp)}
	case code == http.StatusUnauthorized:
		return fmt.Errorf("%w: GitHub does not accept the token; check GITHUB_TOKEN and GH_TOKEN, or unset them for a public repository", source.ErrNotFound)
	case code == http.StatusNotFound:
		// Whether the repository or the ref is missing, git says better.
		return &softError{fmt.Errorf("%w: %s does not exist, or is private and the token may not read it; set GITHUB_TOKEN", source.ErrNotFound, name)}
	case code == http.StatusForbidden:
		return &softError{fmt.Errorf("%w: GitHub refuses access to %s (403); the token may need to be authorised for the organisation", source.ErrNotFound, name)}
	case code == http.StatusConflict:
		return fmt.Errorf("%w: %s is empty", source.ErrNotFound, name)
	case code == http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: %s has no branch or tag %q", source.ErrNotFound, name, r.spec.Ref)
	}
	return &softError{fmt.Errorf("%w: the GitHub API answered %s", source.ErrOffline, resp.Status)}
}

// movedTo asks the API under which name the repository answers now. It goes to
// the same API only, with the path the redirect gave.
func (r *Repo) movedTo(ctx context.Context, resp *gh.Response) string {
	loc, err := resp.Location()
	if err != nil {
		return "another repository"
	}
	id, ok := strings.CutPrefix(loc.Path, r.api.BaseURL.Path+"repositories/")
	if !ok || loc.Host != r.api.BaseURL.Host {
		return loc.Host + loc.Path
	}
	id, _, _ = strings.Cut(id, "/")
	req, err := r.api.NewRequest(http.MethodGet, "repositories/"+url.PathEscape(id), nil)
	if err != nil {
		return loc.Host + loc.Path
	}
	var repo gh.Repository
	if _, err := r.api.Do(ctx, req, &repo); err != nil || repo.GetFullName() == "" {
		return loc.Host + loc.Path
	}
	return strings.ToLower("github.com/" + repo.GetFullName())
}

// maxAnswer is the largest answer of the API that is read, in bytes.
const maxAnswer = 8 << 20

// limited cuts answers, which go-github reads without a limit.
type limited struct{ next http.RoundTripper }

func orTransport(t http.RoundTripper) http.RoundTripper {
	if t == nil {
		return http.DefaultTransport
	}
	return t
}

func (l limited) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(req)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}
