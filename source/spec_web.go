package source

import (
	"net"
	"net/url"
	"strings"
)

// What stands before the text of a source that is no repository.
const (
	npmPrefix     = "npm:"
	archivePrefix = "archive:"
)

// archiveEndings are the names by which an archive is known.
var archiveEndings = [...]string{".tar.gz", ".tgz", ".tar", ".zip"}

const (
	npmHint     = "an npm package is npm:NAME[@VERSION], with #URL for a registry of its own"
	archiveHint = "an archive is archive:https://…/NAME.zip, with #SHA256 for exactly these bytes"
)

// packageRE is npm's rule for names; those of before 2014 may have capitals.
var packageRE = lazily(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)

const maxPackage = 214 // bytes, npm's own limit

// parseNPM reads what stands behind "npm:".
func parseNPM(text, rest string) (Spec, error) {
	rest, registry, _ := strings.Cut(rest, "#")
	name, version := rest, ""
	if at := strings.IndexByte(rest[min(1, len(rest)):], '@') + 1; at > 0 {
		name, version = rest[:at], rest[at+1:]
	}
	return npmSpec(hide(text), name, version, registry)
}

// NPMSpec is the spec of a package in an npm registry: version is a version, a
// range or a tag, "" for the newest release, and registry an address, "" for the
// user's own. The error is a [*SpecError].
func NPMSpec(name, version, registry string) (Spec, error) {
	return npmSpec(npmPrefix+name, name, version, registry)
}

func npmSpec(text, name, version, registry string) (Spec, error) {
	if len(name) > maxPackage || !packageRE.matches(name) {
		return Spec{}, &SpecError{Text: text, Why: "is not the name of an npm package", Hint: npmHint}
	}
	version = strings.TrimSpace(version)
	for _, foreign := range [...]string{":", "/"} {
		// npm would take the rest for a repository, a file or another package.
		if strings.Contains(version, foreign) {
			return Spec{}, &SpecError{Text: text, Why: "has a version that leads to another place", Hint: "write a version, a range or a tag"}
		}
	}
	if len(version) > 256 || strings.ContainsFunc(version, func(r rune) bool { return r < ' ' || r > '~' || r == '#' }) {
		return Spec{}, &SpecError{Text: text, Why: "has a version that is none", Hint: "write a version, a range or a tag"}
	}
	s := Spec{Kind: NPM, Package: name, Ref: version}
	if registry != "" {
		u, err := webURL(text, registry)
		if err != nil {
			return Spec{}, err
		}
		if u.RawQuery != "" || u.ForceQuery {
			return Spec{}, &SpecError{Text: text, Why: "has a registry with a query (\"?\")", Hint: npmHint}
		}
		s.Registry = strings.TrimRight(u.String(), "/")
	}
	return s, nil
}

func (s Spec) npmString() string {
	out := npmPrefix + s.Package
	if s.Ref != "" {
		out += "@" + s.Ref
	}
	if s.Registry != "" {
		out += "#" + s.Registry
	}
	return out
}

// parseArchive reads what stands behind "archive:".
func parseArchive(rest string) (Spec, error) {
	address, sum, _ := strings.Cut(rest, "#")
	return ArchiveSpec(address, sum)
}

// ArchiveSpec is the spec of an archive at a web address; sum is its SHA-256, ""
// when it is not known. The error is a [*SpecError].
func ArchiveSpec(address, sum string) (Spec, error) {
	text := hide(address)
	u, err := webURL(text, address)
	if err != nil {
		return Spec{}, err
	}
	if u.Path == "" || u.Path == "/" {
		return Spec{}, &SpecError{Text: text, Why: "names no file", Hint: archiveHint}
	}
	sum = strings.ToLower(sum)
	if sum != "" && (len(sum) != 64 || !isHex(sum)) {
		return Spec{}, &SpecError{Text: text, Why: "has a sha256 that is not 64 hex digits", Hint: archiveHint}
	}
	return Spec{Kind: Archive, URL: u.String(), Ref: sum}, nil
}

// webURL reads an address that is asked by https, or by http on this machine.
// text is the spec for the error, without credentials.
func webURL(text, address string) (*url.URL, error) {
	fail := func(why, hint string) (*url.URL, error) {
		return nil, &SpecError{Text: text, Why: why, Hint: hint}
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Host == "" || len(address) > maxSpec {
		return fail("is not a valid URL", archiveHint)
	}
	if u.User != nil {
		return fail("contains a user name or token; it would end up in logs and lock files", "remove it from the URL")
	}
	if u.Fragment != "" {
		return fail("is not a valid URL", archiveHint)
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if net.ParseIP(host) == nil && !hostRE.matches(host) {
		return fail("has no valid host name", archiveHint)
	}
	switch u.Scheme = strings.ToLower(u.Scheme); u.Scheme {
	case "https":
	case "http":
		if !isLoopback(host) {
			return fail("is not encrypted; http is for this machine only", "use https://")
		}
	default:
		return fail("is neither https nor http on this machine", archiveHint)
	}
	u.Host = hostPort(host, port, u.Scheme)
	return u, nil
}

// Short is a pin's commit for people: the first digits of a commit or a digest,
// the version of an npm package, "" where there is none.
func Short(commit string) string {
	if version, _, ok := strings.Cut(commit, "@"); ok {
		return version
	}
	if sum, ok := strings.CutPrefix(commit, "sha256:"); ok {
		return "sha256:" + sum[:min(12, len(sum))]
	}
	return commit[:min(7, len(commit))]
}
