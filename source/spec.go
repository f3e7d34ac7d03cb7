package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"
)

// Kind is the kind of place a [Spec] names.
type Kind uint8

// The kinds of sources. A GitHub source is one at github.com that is reached
// over https; every other repository is a Git source. NPM is a package of an npm
// registry, Archive a .zip, .tar or .tar.gz file at a web address.
const (
	GitHub Kind = iota + 1
	Git
	Dir
	NPM
	Archive
)

// Spec is a source as a user typed it, taken apart and checked.
type Spec struct {
	Kind  Kind
	Owner string // GitHub: as typed
	Repo  string // GitHub: as typed, without ".git"
	URL   string // Git: https, http (loopback only), ssh or file. Archive: https, http (loopback only)
	Dir   string // Dir: absolute and clean
	// Package is the name in an npm registry, with its scope ("@acme/tools").
	Package string
	// Registry is the address of that registry, without a slash at its end; ""
	// is the user's default one.
	Registry string
	// Ref is a branch, a tag, a full name ("refs/heads/main") or a whole
	// commit id in lower case. "" is the default branch. For an npm package it is a
	// version, a range or a tag, for an archive its SHA-256 in 64 lower-case hex
	// digits, each "" for whatever is there.
	Ref string
}

// SpecError is a spec that was not understood or is refused. It is a usage
// error (exit code 2). Text never contains a credential.
type SpecError struct {
	Text string // what was typed, without credentials
	Why  string
	Hint string // what to type instead, "" when there is nothing to say
}

// Error says what is wrong, without the hint.
func (e *SpecError) Error() string {
	if e.Text == "" {
		return e.Why
	}
	return fmt.Sprintf("source %q %s", e.Text, e.Why)
}

const maxSpec = 2_048 // bytes of a spec

// A pattern is a regular expression that is compiled when it is first needed:
// most commands parse no source, and compiling costs as much as their start.
type pattern func() *regexp.Regexp

func lazily(expr string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func (p pattern) matches(s string) bool { return p().MatchString(s) }

func (p pattern) parts(s string) []string { return p().FindStringSubmatch(s) }

var (
	// GitHub's own rules, with the underscore of managed accounts.
	ownerRE  = lazily(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$`)
	repoRE   = lazily(`^[A-Za-z0-9._][A-Za-z0-9._-]{0,99}$`)
	hostRE   = lazily(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	userRE   = lazily(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	scpRE    = lazily(`^([^@/:]+)@([^@/:]+):([^:].*)$`)
	driveRE  = lazily(`^[A-Za-z]:[\\/]`)
	helperRE = lazily(`^[A-Za-z0-9+.-]*::`)
	schemRE  = lazily(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
)

const repoHint = "a source is owner/repo[@ref], a git URL (https://…, ssh://…, file://…), or a directory (./dir)"

// Parse reads a source as people type it: owner/repo[@ref] on GitHub,
// https://…, ssh://…, user@host:path, file:///…, http://… on this machine, each
// with #ref or @ref, or a directory, which starts with ".", "/", "~" or a drive
// letter and is taken relative to cwd; also npm:package[@version][#registry] and
// archive:URL[#sha256]. The error is a [*SpecError].
//
// What could be taken for an option, a program to run (ext::) or a credential
// is refused here, so nothing after this point sees it.
func Parse(text, cwd string) (Spec, error) {
	switch {
	case text == "":
		return Spec{}, &SpecError{Why: "source is empty", Hint: repoHint}
	case len(text) > maxSpec:
		return Spec{}, &SpecError{Text: text[:32] + "…", Why: "is longer than 2,048 bytes"}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isControl):
		return Spec{}, &SpecError{Why: "source contains a control character or is not UTF-8"}
	case text[0] == '-':
		return Spec{}, &SpecError{Text: text, Why: "looks like an option", Hint: repoHint}
	}
	if isDirText(text) {
		return parseDir(text, cwd)
	}
	if rest, ok := strings.CutPrefix(text, npmPrefix); ok {
		return parseNPM(text, rest)
	}
	if rest, ok := strings.CutPrefix(text, archivePrefix); ok {
		return parseArchive(rest)
	}
	if helperRE.matches(text) {
		return Spec{}, &SpecError{Text: hide(text), Why: "names a program to run, which is never done", Hint: repoHint}
	}
	if m := schemRE.parts(text); m != nil {
		return parseURL(text, strings.ToLower(m[1]))
	}
	if m := scpRE.parts(text); m != nil {
		return parseSCP(text, m[1], m[2], m[3])
	}
	return parseShort(text)
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 }

func isDirText(s string) bool {
	return s[0] == '.' || s[0] == '/' || s[0] == '~' || driveRE.matches(s) ||
		runtime.GOOS == "windows" && s[0] == '\\'
}

func parseDir(text, cwd string) (Spec, error) {
	dir := text
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		if rest != "" && !os.IsPathSeparator(rest[0]) && rest[0] != '/' {
			return Spec{}, &SpecError{Text: text, Why: "names another user's home", Hint: "write the directory in full"}
		}
		home, err := os.UserHomeDir()
		if err != nil {
			return Spec{}, &SpecError{Text: text, Why: "needs a home directory and there is none", Hint: "write the directory in full"}
		}
		dir = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	return Spec{Kind: Dir, Dir: filepath.Clean(dir)}, nil
}

// parseShort reads owner/repo[@ref], also with github.com in front.
func parseShort(text string) (Spec, error) {
	name, ref, _ := strings.Cut(text, "@")
	if strings.Contains(name, ":") {
		return Spec{}, &SpecError{Why: "source has a colon before the \"@\": it is no repository, or it contains a token", Hint: repoHint}
	}
	if rest, ok := cutPrefixFold(name, "github.com/"); ok {
		name = rest
	}
	owner, repo, ok := strings.Cut(name, "/")
	if !ok {
		return Spec{}, &SpecError{Text: text, Why: "is not a source", Hint: repoHint}
	}
	if strings.Contains(repo, "/") {
		return Spec{}, &SpecError{Text: text, Why: "is not owner/repo", Hint: "for another host write the whole URL: https://" + text}
	}
	return gitHub(text, owner, repo, ref)
}

func gitHub(text, owner, repo, ref string) (Spec, error) {
	repo = strings.TrimSuffix(repo, ".git")
	if !ownerRE.matches(owner) || !repoRE.matches(repo) || repo == "." || repo == ".." {
		return Spec{}, &SpecError{Text: text, Why: "is not the name of a GitHub repository", Hint: repoHint}
	}
	ref, err := checkRef(text, ref)
	if err != nil {
		return Spec{}, err
	}
	return Spec{Kind: GitHub, Owner: owner, Repo: repo, Ref: ref}, nil
}

func parseSCP(text, user, host, rest string) (Spec, error) {
	p, ref := cutRef(rest)
	ref, err := checkRef(text, ref)
	if err != nil {
		return Spec{}, err
	}
	host = strings.ToLower(host)
	if !userRE.matches(user) || !hostRE.matches(host) || p == "" || p[0] == '-' || strings.HasPrefix(p, "~-") || badPath(p) {
		return Spec{}, &SpecError{Text: text, Why: "is not user@host:path", Hint: repoHint}
	}
	return Spec{Kind: Git, URL: user + "@" + host + ":" + strings.TrimRight(p, "/"), Ref: ref}, nil
}

func parseURL(text, scheme string) (Spec, error) {
	shown := hide(text)
	fail := func(why, hint string) (Spec, error) {
		return Spec{}, &SpecError{Text: shown, Why: why, Hint: hint}
	}
	switch scheme {
	case "https", "http", "ssh", "file":
	case "git":
		return fail("is not encrypted and not authenticated", "use https:// or ssh://")
	default:
		return fail("has a scheme that is not supported", repoHint)
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return fail("is not a valid URL", repoHint)
	}
	if u.User != nil {
		if _, has := u.User.Password(); has || scheme != "ssh" {
			return fail("contains a user name or token; it would end up in logs and lock files",
				"remove it from the URL and set GITHUB_TOKEN (GitHub), or use ssh://")
		}
		if !userRE.matches(u.User.Username()) {
			return fail("has a user name that is not plain", repoHint)
		}
	}
	if u.RawQuery != "" || u.ForceQuery {
		return fail("has a query (\"?\"), which no git URL needs", "write a ref as #ref")
	}
	ref := u.Fragment
	p := u.EscapedPath()
	if ref == "" {
		p, ref = cutRef(p)
	}
	if ref, err = checkRef(shown, ref); err != nil {
		return Spec{}, err
	}
	plain, err := url.PathUnescape(p)
	if err != nil || badPath(plain) || strings.ContainsFunc(plain, isControl) {
		return fail("has a path with \".\", \"..\", \"//\" or control characters", "")
	}
	p = strings.TrimRight(p, "/")
	if p == "" {
		return fail("names no repository", repoHint)
	}
	if scheme == "file" {
		if h := strings.ToLower(u.Host); h != "" && h != "localhost" {
			return fail("names another machine", "file:///PATH is a repository on this machine")
		}
		return Spec{Kind: Git, URL: "file://" + p, Ref: ref}, nil
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if net.ParseIP(host) == nil && !hostRE.matches(host) {
		return fail("has no valid host name", repoHint)
	}
	if scheme == "http" && !isLoopback(host) {
		return fail("is not encrypted; http is for this machine only", "use https://"+host+p)
	}
	if host == "www.github.com" {
		host = "github.com"
	}
	if scheme == "https" && host == "github.com" && (port == "" || port == "443") {
		owner, repo, _ := strings.Cut(strings.TrimPrefix(plain, "/"), "/")
		repo, rest, more := strings.Cut(strings.TrimRight(repo, "/"), "/")
		if more {
			hint := "write " + owner + "/" + repo + "@REF"
			if r, ok := strings.CutPrefix(rest, "tree/"); ok {
				hint = "write " + owner + "/" + repo + "@" + r
			}
			return fail("is a page, not a repository", hint)
		}
		return gitHub(shown, owner, repo, ref)
	}
	out := url.URL{Scheme: scheme, Host: hostPort(host, port, scheme), User: u.User}
	return Spec{Kind: Git, URL: out.String() + p, Ref: ref}, nil
}

// hostPort joins host and port without the scheme's usual port.
func hostPort(host, port, scheme string) string {
	if port == "" || port == map[string]string{"https": "443", "http": "80", "ssh": "22"}[scheme] {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

// cutRef takes "@ref" off a path. An "@" at the start of a path component
// belongs to its name.
func cutRef(p string) (path, ref string) {
	for i := 1; i < len(p); i++ {
		if p[i] == '@' && p[i-1] != '/' {
			return p[:i], p[i+1:]
		}
	}
	return p, ""
}

// badPath reports components that would change the meaning of the path, or that
// a program on the other side could take for an option.
func badPath(p string) bool {
	for i, part := range strings.Split(strings.Trim(p, "/"), "/") {
		if part == "." || part == ".." || part == "" && i > 0 || i == 0 && strings.HasPrefix(part, "-") {
			return true
		}
	}
	return strings.HasPrefix(p, "//")
}

// hide removes what stands before the "@" of a URL's authority.
func hide(text string) string {
	text, _, _ = strings.Cut(text, "?")
	i := strings.Index(text, "://")
	if i < 0 {
		return text
	}
	end := len(text)
	if j := strings.IndexAny(text[i+3:], "/?#"); j >= 0 {
		end = i + 3 + j
	}
	// A token may hold a slash, so everything up to the last "@" of the text
	// goes when a password is there.
	if at := strings.LastIndexByte(text[:end], '@'); at >= 0 {
		return text[:i+3] + "…@" + text[at+1:]
	}
	if at := strings.LastIndexByte(text, '@'); at >= 0 && strings.Contains(text[i+3:end], ":") {
		if host, port, ok := strings.Cut(text[i+3:end], ":"); ok && host != "" && strings.Trim(port, "0123456789") != "" {
			return text[:i+3] + "…@" + text[at+1:]
		}
	}
	return text
}

// Shown is what somebody wrote as an address, without what may be a secret in it,
// for messages and records: it may be no address at all.
func Shown(text string) string {
	if !strings.Contains(text, "://") {
		// user:token@host/path
		if at := strings.LastIndexByte(text, '@'); at >= 0 && strings.Contains(text[:at], ":") {
			text = "…@" + text[at+1:]
		}
		if !strings.Contains(text, " ") {
			text, _, _ = strings.Cut(text, "?")
		}
		return text
	}
	return hide(text)
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// String returns the spec in a form that [Parse] reads as the same spec.
func (s Spec) String() string {
	out, sep := s.Dir, "#"
	switch s.Kind {
	case GitHub:
		out, sep = s.Owner+"/"+s.Repo, "@"
	case Git:
		out = s.URL
		if !strings.Contains(out, "://") {
			sep = "@"
		}
	case NPM:
		return s.npmString()
	case Archive:
		out = archivePrefix + s.URL
	}
	if s.Ref != "" {
		out += sep + s.Ref
	}
	return out
}

// Canonical returns the identity of the source: github.com/owner/repo in lower
// case, whatever way it is reached; else the normalised URL; else the absolute
// directory. The ref is not part of it.
func (s Spec) Canonical() string {
	switch s.Kind {
	case GitHub:
		return strings.ToLower("github.com/" + s.Owner + "/" + s.Repo)
	case Git:
		return canonicalURL(s.URL)
	case NPM:
		s.Ref = ""
		return s.npmString()
	case Archive:
		return archivePrefix + s.URL
	}
	return s.Dir
}

func canonicalURL(raw string) string {
	if m := scpRE.parts(raw); m != nil && !strings.Contains(raw, "://") {
		raw = "ssh://" + m[1] + "@" + m[2] + "/" + strings.TrimPrefix(m[3], "/")
	}
	raw = strings.TrimSuffix(strings.TrimRight(raw, "/"), ".git")
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	if u.Scheme == "ssh" && (u.Host == "github.com" || u.Host == "ssh.github.com:443") {
		return "github.com" + strings.ToLower(u.Path)
	}
	return raw
}

// Key returns 16 hex digits that name the source on disk.
func (s Spec) Key() string {
	sum := sha256.Sum256([]byte(s.Canonical()))
	return hex.EncodeToString(sum[:8])
}

// DefaultName returns an alias for the source: the repository's or directory's
// name in lower case, only [a-z0-9._-], starting with a letter.
func (s Spec) DefaultName() string {
	base := s.Repo
	switch s.Kind {
	case Git:
		base = path.Base(strings.ReplaceAll(canonicalURL(s.URL), ":", "/"))
	case Dir:
		base = filepath.Base(s.Dir)
	case NPM:
		base = path.Base(s.Package)
	case Archive:
		base, _, _ = strings.Cut(path.Base(s.URL), "?")
		for _, ending := range archiveEndings {
			base = strings.TrimSuffix(base, ending)
		}
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, strings.ToLower(base))
	name = strings.TrimLeft(name, "-._")
	if name == "" || name[0] < 'a' {
		name = strings.TrimSuffix("m-"+name, "-")
	}
	return name
}
