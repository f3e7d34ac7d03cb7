package source

import (
	"net"
	"net/url"
	"strings"
)

// NPMHost is where npm packages are for everybody who names no other registry.
const NPMHost = "registry.npmjs.org"

// Host returns the lower-case name of the machine a source is on, with its
// port, or "" for this one.
func (s Spec) Host() string {
	switch s.Kind {
	case GitHub:
		return "github.com"
	case NPM:
		if u, err := url.Parse(s.Registry); err == nil && u.Host != "" {
			return strings.ToLower(u.Host)
		}
		return NPMHost
	case Git, Archive:
		if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
			return strings.ToLower(u.Host)
		}
		if m := scpRE.parts(s.URL); m != nil {
			return strings.ToLower(m[2])
		}
	}
	return ""
}

// Local reports whether reading the source needs no network: a directory, or a
// repository on this machine's disk.
func (s Spec) Local() bool { return s.Host() == "" }

// Loopback reports whether the source is asked by a network connection to this
// machine.
func (s Spec) Loopback() bool {
	host := s.Host()
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return isLoopback(strings.Trim(host, "[]"))
}

// Scheme returns how the source is reached: "https", "http", "ssh", "file", and
// "" for a directory.
func (s Spec) Scheme() string {
	switch s.Kind {
	case GitHub:
		return "https"
	case NPM:
		if scheme, _, ok := strings.Cut(s.Registry, "://"); ok {
			return scheme
		}
		return "https"
	case Git, Archive:
		if scheme, _, ok := strings.Cut(s.URL, "://"); ok {
			return scheme
		}
		return "ssh" // user@host:path
	}
	return ""
}
