package launch

import (
	"net/url"
	"pinion/internal/regex"
	"strings"
)

var (
	exactVersion = regex.Lazy{Expr: `^[v=]{0,2}\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z.+-]+)?$`}
	// PEP 440: "2.0" and "1!1.0.post1" name one release too.
	exactPython = regex.Lazy{Expr: `^(?:\d+!)?\d+(?:\.\d+)*(?:(?:a|b|rc|\.?post|\.?dev)\d+)*(?:\+[0-9A-Za-z.]+)?$`}
	commitID    = regex.Lazy{Expr: `^[0-9a-f]{40}(?:[0-9a-f]{24})?$`}
	imageDigest = regex.Lazy{Expr: `^sha256:[0-9a-f]{64}$`}
	npmName     = regex.Lazy{Expr: `^(?:@[A-Za-z0-9._~-]+/)?[A-Za-z0-9._~-]+$`}
	pypiName    = regex.Lazy{Expr: `^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$`}
	imageName   = regex.Lazy{Expr: `^[a-z0-9][a-zA-Z0-9._:/-]*$`}
)

func exact(version string) bool { return exactVersion.Get().MatchString(version) }

// cutVersion splits "name@version"; a leading @ belongs to the name.
func cutVersion(s string) (name, version string) {
	if i := strings.LastIndexByte(s, '@'); i > 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// npmSpec reads what npm takes for a package: a name with a version, a
// repository, an address. A path is none.
func npmSpec(s string) (Fetch, bool) {
	switch {
	case s == "" || s[0] == '.' || s[0] == '/' || s[0] == '-' || s[0] == '~' || strings.HasPrefix(s, "file:") || strings.HasPrefix(s, "link:"):
		return Fetch{}, false
	case strings.HasPrefix(s, "npm:"):
		return npmSpec(s[4:])
	case strings.HasPrefix(s, "git+") || strings.HasPrefix(s, "git:") || strings.HasPrefix(s, "git@") || strings.HasPrefix(s, "ssh:"):
		repo, rev, _ := strings.Cut(s, "#")
		return gitFetch(repo, rev), true
	case strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://"):
		if repo, rev, _ := strings.Cut(s, "#"); strings.HasSuffix(repo, ".git") {
			return gitFetch(repo, rev), true
		}
		return address(s)
	}
	for prefix, host := range map[string]string{"github:": "github.com", "gitlab:": "gitlab.com", "bitbucket:": "bitbucket.org"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			repo, rev, _ := strings.Cut(rest, "#")
			return gitFetch("https://"+host+"/"+repo, rev), true
		}
	}
	if s[0] != '@' && strings.Count(s, "/") == 1 && !strings.ContainsAny(s, "$<>{}* ") {
		repo, rev, _ := strings.Cut(s, "#") // owner/repo is GitHub
		return gitFetch("https://github.com/"+repo, rev), true
	}
	name, version := cutVersion(s)
	if alias, ok := strings.CutPrefix(version, "npm:"); ok {
		return npmSpec(alias)
	}
	if !npmName.Get().MatchString(name) {
		return Fetch{}, false
	}
	return Fetch{Ecosystem: NPM, Name: name, Version: version, Pinned: exact(version), PURL: purl("npm", name, only(version), nil)}, true
}

// pypiSpec reads a requirement as pip and uv take it.
func pypiSpec(s string) (Fetch, bool) {
	if _, after, ok := strings.Cut(s, " @ "); ok {
		s = strings.TrimSpace(after) // "name @ address": the address decides
	}
	switch {
	case s == "" || s[0] == '.' || s[0] == '/' || s[0] == '-' || s[0] == '~' || strings.HasPrefix(s, "file:"):
		return Fetch{}, false
	case strings.HasPrefix(s, "git+"):
		repo, _, _ := strings.Cut(s, "#")
		rev := ""
		scheme, rest, _ := strings.Cut(repo, "://")
		host, path, _ := strings.Cut(rest, "/") // an @ in the host is a user
		if i := strings.LastIndexByte(path, '@'); i >= 0 {
			path, rev = path[:i], path[i+1:]
		}
		return gitFetch(scheme+"://"+host+"/"+path, rev), true
	case strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://"):
		f, ok := address(s)
		f.Pinned = strings.Contains(s, "#sha256=") // pip compares it
		return f, ok
	}
	m := pypiName.Get().FindStringSubmatch(s)
	if m == nil || strings.HasSuffix(m[1], ".txt") || strings.HasSuffix(m[1], ".whl") || strings.HasSuffix(m[1], ".py") {
		return Fetch{}, false
	}
	name, version := m[1], strings.TrimSpace(m[2])
	version, _, _ = strings.Cut(version, ";")
	version = strings.TrimSpace(version)
	pinned := false
	switch {
	case version == "":
	case strings.HasPrefix(version, "==="):
		version, pinned = strings.TrimSpace(version[3:]), true
	case strings.HasPrefix(version, "=="):
		version = strings.TrimSpace(version[2:])
		pinned = exactPython.Get().MatchString(version)
	case strings.HasPrefix(version, "@"):
		version = version[1:]
		pinned = exactPython.Get().MatchString(version)
	case strings.ContainsAny(version[:1], "<>~!"):
	default:
		return Fetch{}, false // words, no requirement
	}
	exactly := ""
	if pinned {
		exactly = version
	}
	normal := strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))
	return Fetch{Ecosystem: PyPI, Name: name, Version: version, Pinned: pinned, PURL: purl("pypi", normal, exactly, nil)}, true
}

// imageSpec reads the name of a container image. Only a digest names one image;
// a tag can be moved.
func imageSpec(s string) (Fetch, bool) {
	name, digest, _ := strings.Cut(s, "@")
	tag := ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
	}
	if !imageName.Get().MatchString(name) {
		return Fetch{}, false
	}
	f := Fetch{Ecosystem: OCI, Name: name, Version: tag}
	if imageDigest.Get().MatchString(digest) {
		f.Version, f.Pinned = digest, true
	}
	q := url.Values{}
	path := name
	if host, rest, ok := strings.Cut(name, "/"); ok && (strings.ContainsAny(host, ".:") || host == "localhost") {
		path = rest
		q.Set("repository_url", host)
	}
	if f.Pinned {
		repo := q.Get("repository_url")
		if repo == "" {
			repo = "docker.io"
		}
		q.Set("repository_url", repo+"/"+path)
		if tag != "" {
			q.Set("tag", tag)
		}
		f.PURL = purl("oci", baseName(path), digest, q)
	} else {
		f.PURL = purl("docker", path, tag, q)
	}
	return f, true
}

// gitFetch is content of a repository at a revision, "" for whatever is newest.
func gitFetch(repo, rev string) Fetch {
	repo = strings.TrimPrefix(repo, "git+")
	rev = strings.TrimPrefix(rev, "semver:")
	f := Fetch{Ecosystem: Git, Name: repo, Version: rev, Pinned: commitID.Get().MatchString(rev)}
	path, commit := strings.TrimSuffix(repo, ".git"), ""
	if f.Pinned {
		commit = rev
	}
	if rest, ok := strings.CutPrefix(path, "https://github.com/"); ok && strings.Count(rest, "/") == 1 {
		f.PURL = purl("github", strings.ToLower(rest), commit, nil)
	} else {
		vcs := "git+" + repo
		if commit != "" {
			vcs += "@" + commit
		}
		f.PURL = purl("generic", baseName(path), commit, url.Values{"vcs_url": {vcs}})
	}
	return f
}

func baseName(s string) string {
	s, _, _ = strings.Cut(s, "?")
	s = strings.TrimRight(s, "/")
	return s[strings.LastIndexAny(s, "/:")+1:]
}

// only returns a version that is exact, else "": a purl has no place for
// "latest" and ranges.
func only(version string) string {
	if exact(version) {
		return strings.TrimLeft(version, "v=")
	}
	return ""
}

// purl writes a package URL. A version that is not one, such as "${V}", is left
// out.
func purl(kind, name, version string, qualifiers url.Values) string {
	var b strings.Builder
	b.WriteString("pkg:" + kind)
	for part := range strings.SplitSeq(name, "/") {
		b.WriteString("/" + purlEscape(part))
	}
	if version != "" && !strings.ContainsAny(version, "${}<>*^~| ") {
		b.WriteString("@" + purlEscape(version))
	}
	if len(qualifiers) > 0 {
		b.WriteString("?" + qualifiers.Encode())
	}
	return b.String()
}

// purlEscape percent-encodes one part; a purl keeps more characters than a
// query does.
func purlEscape(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}
