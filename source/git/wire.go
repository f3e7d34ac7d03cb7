package git

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pinion/source"
	"pinion/source/web"
)

// wire speaks protocol version 2 to one repository over HTTP. It never follows
// a redirect to another repository or host, so a credential stays where it was
// meant to go (security 3.3 rows 43 and 55).
type wire struct {
	base   string // URL of the repository
	auth   string // Authorization header, "" for none
	limits Limits
	client *http.Client
	// probe is set for servers that want the capability request first.
	probe bool
}

func newWire(rawURL string, o Options) *wire {
	w := &wire{base: rawURL, limits: o.Limits}
	if o.Token != "" && o.TokenURL != "" && under(rawURL, o.TokenURL) {
		w.auth = basicAuth(o.Token)
	}
	base, ok := http.DefaultTransport.(*http.Transport)
	if o.HTTP != nil && o.HTTP.Transport != nil {
		base, ok = o.HTTP.Transport.(*http.Transport)
	}
	if !ok && !o.PublicOnly { // somebody's own: taken as it is
		w.client = &http.Client{Transport: o.HTTP.Transport, CheckRedirect: stay}
		return w
	}
	if base == nil {
		base = &http.Transport{}
	}
	transport := base.Clone()
	transport.DisableCompression = true // packs are compressed; a gzip bomb is not read
	transport.ResponseHeaderTimeout = o.Limits.Connect
	transport.IdleConnTimeout = idle
	transport.MaxResponseHeaderBytes = 64 << 10
	if o.PublicOnly {
		dialer := &net.Dialer{Timeout: 30 * time.Second, Control: web.PublicOnly}
		transport.DialContext = dialer.DialContext
		transport.Proxy = nil // a proxy would resolve the name where it cannot be checked
	}
	w.client = &http.Client{Transport: transport, CheckRedirect: stay}
	return w
}

// stay hands redirects to the caller instead of following them.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (w *wire) close() { w.client.CloseIdleConnections() }

func basicAuth(token string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
}

// under reports whether rawURL is base or below it, on the same scheme, host
// and port.
func under(rawURL, base string) bool {
	u, err1 := url.Parse(rawURL)
	b, err2 := url.Parse(base)
	if err1 != nil || err2 != nil || !strings.EqualFold(u.Scheme, b.Scheme) || !strings.EqualFold(u.Host, b.Host) {
		return false
	}
	return strings.HasPrefix(u.Path, strings.TrimRight(b.Path, "/")+"/")
}

// statusError is an answer that is neither success nor explained elsewhere.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return fmt.Sprintf("the server answered %s", e.text) }

// post sends a request to git-upload-pack and returns the body of the answer,
// which the caller closes.
func (w *wire) post(ctx context.Context, body []byte) (io.ReadCloser, error) {
	return w.do(ctx, http.MethodPost, "/git-upload-pack", body, "application/x-git-upload-pack-result")
}

func (w *wire) do(ctx context.Context, method, path string, body []byte, want string) (io.ReadCloser, error) {
	for range 2 {
		rc, moved, err := w.once(ctx, method, path, body, want)
		if err != nil || moved == "" {
			return rc, err
		}
		w.base = moved
	}
	return nil, fmt.Errorf("%s: too many redirects", w.base)
}

func (w *wire) once(ctx context.Context, method, path string, body []byte, want string) (io.ReadCloser, string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	ok := false
	defer func() {
		if !ok {
			cancel(nil)
		}
	}()
	timer := time.AfterFunc(w.limits.Total, func() { cancel(web.ErrTooSlow) })
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader(body))
	if err != nil {
		timer.Stop()
		return nil, "", fmt.Errorf("request %s: %w", w.base, err)
	}
	req.Header.Set("Git-Protocol", "version=2")
	req.Header.Set("User-Agent", "git/pinion")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-git-upload-pack-request")
		req.Header.Set("Accept", want)
	}
	if w.auth != "" {
		req.Header.Set("Authorization", w.auth)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		timer.Stop()
		return nil, "", w.offline(ctx, err)
	}
	if resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), want) {
		ok = true
		return web.Steady(ctx, resp.Body, cancel, timer, w.limits.Stall), "", nil
	}
	defer timer.Stop()
	defer resp.Body.Close()
	moved, err := w.refused(resp, path)
	return nil, moved, err
}

func (w *wire) offline(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, web.ErrTooSlow) {
		err = cause
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // the URL is said once, by us
	}
	return fmt.Errorf("%w: %s: %w", source.ErrOffline, w.base, err)
}

// refused explains an answer that is not the wanted one. For a redirect that
// only spells the same repository in another way it returns the new base.
func (w *wire) refused(resp *http.Response, path string) (moved string, err error) {
	switch code := resp.StatusCode; {
	case code >= 300 && code < 400:
		loc, err := resp.Location()
		if err != nil {
			return "", fmt.Errorf("%s: redirect without a target", w.base)
		}
		loc.RawQuery, loc.Fragment, loc.User = "", "", nil
		to := strings.TrimSuffix(strings.TrimSuffix(loc.String(), "/info/refs"), path)
		if sameRepository(w.base, to) {
			return to, nil
		}
		return "", &source.MovedError{From: w.base, To: to}
	case code == http.StatusUnauthorized && w.auth != "":
		return "", fmt.Errorf("%w: %s does not accept the token; check that it is current and may read this repository", source.ErrNotFound, w.base)
	case code == http.StatusUnauthorized:
		return "", fmt.Errorf("%w: %s does not exist or needs a login; set GITHUB_TOKEN for a private GitHub repository, or use ssh://", source.ErrNotFound, w.base)
	case code == http.StatusForbidden:
		return "", fmt.Errorf("%w: %s refuses access (403)", source.ErrNotFound, w.base)
	case code == http.StatusTooManyRequests || code >= 500:
		return "", fmt.Errorf("%w: %s answered %s", source.ErrOffline, w.base, resp.Status)
	case code == http.StatusOK:
		return "", fmt.Errorf("%s: %w (it sent %q)", w.base, errProtocol, resp.Header.Get("Content-Type"))
	}
	return "", &statusError{resp.StatusCode, resp.Status}
}

// sameRepository reports whether two URLs differ only in ".git", a trailing
// slash or letter case of the path, on the same scheme and host.
func sameRepository(a, b string) bool {
	ua, err1 := url.Parse(a)
	ub, err2 := url.Parse(b)
	if err1 != nil || err2 != nil || ua.Scheme != ub.Scheme || !strings.EqualFold(ua.Host, ub.Host) {
		return false
	}
	norm := func(p string) string { return strings.TrimSuffix(strings.TrimRight(p, "/"), ".git") }
	return strings.EqualFold(norm(ua.Path), norm(ub.Path))
}
