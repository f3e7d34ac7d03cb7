package source

import (
	"net/url"
	"strings"
)

// Host returns the lower-case name of the machine a source is on, with its
// port, or "" for this one.
func (s Spec) Host() string {
	switch s.Kind {
	case GitHub:
		return "github.com"
	case Git:
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

// Scheme returns how the source is reached: "https", "http", "ssh", "file", and
// "" for a directory.
func (s Spec) Scheme() string {
	switch s.Kind {
	case GitHub:
		return "https"
	case Git:
		if scheme, _, ok := strings.Cut(s.URL, "://"); ok {
			return scheme
		}
		return "ssh" // user@host:path
	}
	return ""
}
