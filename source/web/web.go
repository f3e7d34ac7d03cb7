// Package web fetches single files over https for the sources that are no git
// repositories: an npm registry's documents and packages, and archives.
//
// Nothing is sent but the request: no credential, no cookie, no referrer. Every
// redirect is followed by itself and held to the same rules as the address it
// came from: https, or http on this machine where the user named this machine,
// and a public address, unless the host is the one the user trusts. An answer is
// bounded in bytes and in time.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pinion/source"
)

// Options configure a [Client]. The zero value is ready, and asks public
// addresses only.
type Options struct {
	// Trusted is the host, with its port where it has one, that may be at a private
	// address, and be asked by http when it is this machine: the user named it.
	Trusted string
	Limits  Limits
	// HTTP gives its Transport; nil is the default. One that is no *http.Transport
	// is used for every address as it is: it must guard itself.
	HTTP *http.Client
}

// Limits bound what a server can make this side wait for. A zero field takes a
// default.
type Limits struct {
	Connect time.Duration // until the first byte of an answer, 60 seconds
	Stall   time.Duration // during which data must keep coming, 20 seconds
	Total   time.Duration // for one file, 15 minutes
}

// Client asks servers for files. It is safe for concurrent use.
type Client struct {
	trusted string
	limits  Limits
	own     http.RoundTripper // for the trusted host
	strange http.RoundTripper // for any other
}

// maxHops is how many redirects are followed.
const maxHops = 5

// New returns a client.
func New(o Options) *Client {
	c := &Client{trusted: strings.ToLower(o.Trusted), limits: o.Limits}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&c.limits.Connect, 60 * time.Second}, {&c.limits.Stall, 20 * time.Second}, {&c.limits.Total, 15 * time.Minute}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	given := http.DefaultTransport
	if o.HTTP != nil && o.HTTP.Transport != nil {
		given = o.HTTP.Transport
	}
	base, ok := given.(*http.Transport)
	if !ok {
		c.own, c.strange = given, given
		return c
	}
	own := base.Clone()
	own.ResponseHeaderTimeout = c.limits.Connect
	own.MaxResponseHeaderBytes = 64 << 10
	own.IdleConnTimeout = 10 * time.Second
	strange := own.Clone()
	dialer := &net.Dialer{Timeout: 30 * time.Second, Control: PublicOnly}
	strange.DialContext = dialer.DialContext
	strange.DialTLSContext = nil
	strange.Proxy = nil // a proxy would resolve the name where it cannot be checked
	c.own, c.strange = own, strange
	return c
}

// Close lets go of the connections.
func (c *Client) Close() {
	for _, t := range [...]http.RoundTripper{c.own, c.strange} {
		if t, ok := t.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
}

// Request is one file that is wanted.
type Request struct {
	URL    string
	Accept string // media types
	// Plain asks for the bytes as they are stored. Otherwise they may be compressed
	// on their way.
	Plain bool
	Limit int64 // bytes, after decompression
}

// Get asks for a file. The body, which must be closed, ends with
// [source.ErrTooLarge] above the limit. The error is [source.ErrNotFound],
// [source.ErrOffline], [source.ErrTooLarge], or an address that is refused.
func (c *Client) Get(ctx context.Context, r Request) (io.ReadCloser, error) {
	u, err := c.allowed(nil, r.URL)
	if err != nil {
		return nil, err
	}
	for range maxHops + 1 {
		resp, err := c.once(ctx, u, r)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusOK {
			if resp.ContentLength > r.Limit {
				_ = resp.Body.Close()
				return nil, fmt.Errorf("%s: %w (%d bytes, limit %d)", shown(u), source.ErrTooLarge, resp.ContentLength, r.Limit)
			}
			return &bounded{ReadCloser: resp.Body, left: r.Limit, limit: r.Limit, what: shown(u)}, nil
		}
		next, err := c.next(u, resp)
		_ = resp.Body.Close() // nothing of it is read
		if err != nil {
			return nil, err
		}
		u = next
	}
	return nil, fmt.Errorf("%s: too many redirects", shown(u))
}

// once makes one request, which ends with the body of its answer.
func (c *Client) once(ctx context.Context, u *url.URL, r Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.limits.Total, func() { cancel(ErrTooSlow) })
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		timer.Stop()
		cancel(nil)
		return nil, fmt.Errorf("request %s: %w", shown(u), err)
	}
	req.Header.Set("User-Agent", "pinion")
	if r.Accept != "" {
		req.Header.Set("Accept", r.Accept)
	}
	if r.Plain {
		req.Header.Set("Accept-Encoding", "identity")
	}
	way := c.strange
	if c.trusts(u) {
		way = c.own
	}
	client := &http.Client{Transport: way, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		timer.Stop()
		cause := context.Cause(ctx)
		cancel(nil)
		switch {
		case errors.Is(cause, ErrTooSlow):
			err = cause
		case cause != nil:
			return nil, cause
		}
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // the URL is said once, by us
		}
		return nil, fmt.Errorf("%w: %s: %w", source.ErrOffline, shown(u), err)
	}
	resp.Body = Steady(ctx, resp.Body, cancel, timer, c.limits.Stall)
	return resp, nil
}

// next explains an answer that is not the file, or returns where it is.
func (c *Client) next(u *url.URL, resp *http.Response) (*url.URL, error) {
	switch code := resp.StatusCode; {
	case code >= 300 && code < 400:
		to, err := resp.Location()
		if err != nil {
			return nil, fmt.Errorf("%s: redirect without a target", shown(u))
		}
		return c.allowed(u, to.String())
	case code == http.StatusNotFound || code == http.StatusGone:
		return nil, fmt.Errorf("%w: %s (%d)", source.ErrNotFound, shown(u), code)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return nil, fmt.Errorf("%w: %s refuses access (%d); no credentials are sent", source.ErrNotFound, shown(u), code)
	case code == http.StatusTooManyRequests || code >= 500:
		return nil, fmt.Errorf("%w: %s answered %s", source.ErrOffline, shown(u), resp.Status)
	}
	return nil, fmt.Errorf("%s: the server answered %s", shown(u), resp.Status)
}

// allowed reads an address that may be asked. from is the one that led to it, nil
// for the first.
func (c *Client) allowed(from *url.URL, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, &source.SpecError{Why: "an address is not a valid URL"}
	}
	refuse := func(why string) (*url.URL, error) {
		if from != nil {
			return nil, fmt.Errorf("%s leads to %s, which %s", shown(from), shown(u), why)
		}
		return nil, &source.SpecError{Text: shown(u), Why: why}
	}
	switch {
	case u.User != nil:
		return refuse("contains a user name or token")
	case u.Scheme == "https":
	case u.Scheme == "http" && c.trusts(u) && loopback(u.Hostname()):
	default:
		return refuse("is not an https address")
	}
	return u, nil
}

func (c *Client) trusts(u *url.URL) bool {
	return c.trusted != "" && strings.ToLower(u.Host) == c.trusted
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// shown is an address without what may be a secret.
func shown(u *url.URL) string {
	v := *u
	v.User, v.RawQuery, v.ForceQuery, v.Fragment = nil, "", false, ""
	return v.String()
}

// bounded is a body that ends above a limit.
type bounded struct {
	io.ReadCloser
	left, limit int64
	what        string
}

// Read fails with [source.ErrTooLarge] once the limit is passed.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, fmt.Errorf("%s: %w (limit %d bytes)", b.what, source.ErrTooLarge, b.limit)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%s: %w (limit %d bytes)", b.what, source.ErrTooLarge, b.limit)
	}
	return n, err
}
