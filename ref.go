package pinion

import (
	"path/filepath"
	"strings"

	"pinion/source"
)

// Ref names a plugin as people type it: ID, ID@MARKET, ID@VERSION,
// ID@MARKET@VERSION, or a path.
type Ref struct {
	ID      string
	Market  string // alias, "" for any
	Version string // "" for the highest
	Path    string // a package on disk, absolute; the other fields are then empty
}

// Characters of the parts of a REF. The first one decides what a part is, so it
// is stricter than the rest.
const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	maxPart = 128
)

func isID(s string) bool { return isPart(s, lower+upper+digits, lower+upper+digits+"._-", maxPart) }

func isAlias(s string) bool { return isPart(s, lower, lower+digits+"._-", 64) }

func startsLikeVersion(s string) bool { return isPart(s, digits, lower+upper+digits+".+-", maxPart) }

// isPart reports whether s begins with one of first and goes on with rest.
func isPart(s, first, rest string, limit int) bool {
	return s != "" && len(s) <= limit && strings.IndexByte(first, s[0]) >= 0 && strings.Trim(s[1:], rest) == ""
}

// ParseRef reads a REF. After "@", what begins with a digit is a version, which
// is why an alias begins with a letter. The error is a [*UsageError].
func ParseRef(s, cwd string) (Ref, error) {
	if isPath(s) {
		spec, err := source.Parse(s, cwd)
		if err != nil {
			return Ref{}, err
		}
		return Ref{Path: spec.Dir}, nil
	}
	parts := strings.Split(s, "@")
	r := Ref{ID: parts[0]}
	if strings.Contains(r.ID, "/") {
		return Ref{}, usage("to install from a repository: pinion install PLUGIN --from "+s,
			"%q is a repository, not a plugin", s)
	}
	if !isID(r.ID) {
		return Ref{}, usage("a plugin is ID, ID@MARKET, ID@VERSION or ID@MARKET@VERSION; a path begins with ./", "%q is not a plugin", s)
	}
	for i, p := range parts[1:] {
		switch {
		case startsLikeVersion(p) && r.Version == "":
			r.Version = p
		case isAlias(p) && i == 0:
			r.Market = p
		default:
			return Ref{}, usage("a plugin is ID, ID@MARKET, ID@VERSION or ID@MARKET@VERSION", "%q is not a plugin: %q is no version and no marketplace", s, p)
		}
	}
	return r, nil
}

// isPath reports whether an argument is a path: it begins with a dot, a slash,
// a tilde or a drive letter.
func isPath(s string) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '.', '/', '~':
		return true
	}
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') || filepath.IsAbs(s)
}

// String returns the ref as it can be typed.
func (r Ref) String() string {
	if r.Path != "" {
		return r.Path
	}
	s := r.ID
	if r.Market != "" {
		s += "@" + r.Market
	}
	if r.Version != "" {
		s += "@" + r.Version
	}
	return s
}
