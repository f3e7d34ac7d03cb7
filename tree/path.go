package tree

import (
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/module"
	"golang.org/x/text/unicode/norm"

	"pinion/problem"
)

// CheckPath returns what makes path dangerous anywhere, or "". A dangerous path
// is refused in every format: it could leave the package, hide what it is, or
// not be written on one line.
func CheckPath(path string) string {
	switch {
	case path == "":
		return "is empty"
	case len(path) > MaxPath:
		return "is longer than 1,024 bytes"
	case !utf8.ValidString(path):
		return "is not UTF-8"
	case strings.ContainsRune(path, '\\'):
		return "contains a backslash; paths are slash-separated"
	case path[0] == '/':
		return "is absolute"
	case len(path) > 1 && path[1] == ':' && isLetter(path[0]):
		return "begins with a drive letter"
	case !fs.ValidPath(path) || path == ".":
		return `is not canonical: no ".", "..", "//" or trailing "/"`
	}
	for _, r := range path {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r) {
			return "contains a control character"
		}
	}
	for part := range strings.SplitSeq(path, "/") {
		if isGitDir(part) {
			return "names git's own directory"
		}
		if len(part) > 255 {
			return "has a name longer than 255 bytes"
		}
	}
	return ""
}

// CheckPortable returns why some systems refuse a path that [CheckPath]
// accepts, or "".
func CheckPortable(path string) string {
	if ascii(path) {
		if !strings.ContainsAny(path, "\"'*<>?`|:;") && plain(path) {
			return ""
		}
	} else if !norm.NFC.IsNormalString(path) {
		return "is not in Unicode normal form C"
	}
	for part := range strings.SplitSeq(path, "/") {
		if part[len(part)-1] == '.' || part[len(part)-1] == ' ' || part[0] == ' ' {
			return "has a name that begins or ends with a space, or ends with a dot"
		}
		if isDevice(part) {
			return "has a name that is a Windows device"
		}
		if isShortName(part) {
			return "has a name that Windows may take for the short form of another"
		}
	}
	if path[0] == '~' {
		return "begins with a tilde, which shells replace with a home directory"
	}
	if err := module.CheckFilePath(path); err != nil {
		return "has characters that not every system allows"
	}
	return ""
}

// plain reports whether an ASCII path has only components that need no closer
// look: no leading or trailing space or dot, no tilde, not a device.
func plain(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part[0] == ' ' || part[0] == '.' || part[len(part)-1] == '.' || part[len(part)-1] == ' ' {
			return false
		}
		if strings.IndexByte(part, '~') >= 0 || isDevice(part) {
			return false
		}
	}
	return true
}

// isDevice reports whether Windows opens a device for this name, also with an
// ending. The superscript digits and CONIN$ are devices too; x/mod lacks them.
func isDevice(part string) bool {
	stem, _, _ := strings.Cut(part, ".")
	stem = strings.TrimRight(stem, " ")
	if len(stem) < 3 || len(stem) > 7 {
		return false
	}
	switch strings.ToLower(stem) {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	lower := strings.ToLower(stem)
	rest, ok := strings.CutPrefix(lower, "com")
	if !ok {
		rest, ok = strings.CutPrefix(lower, "lpt")
	}
	if !ok {
		return false
	}
	switch rest {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}

// isShortName reports whether a name has the 8.3 form of Windows, such as
// FILE~1.TXT, which can open a file of another name. x/mod checks it only for
// import paths.
func isShortName(part string) bool {
	stem, _, _ := strings.Cut(part, ".")
	i := strings.LastIndexByte(stem, '~')
	return i > 0 && i < len(stem)-1 && len(stem) <= 8 && strings.Trim(stem[i+1:], "0123456789") == ""
}

// isGitDir reports whether a file system may take part for ".git": case, the
// characters that HFS+ ignores, NTFS's trailing dots, streams and short names.
func isGitDir(part string) bool {
	if len(part) < 4 {
		return false
	}
	if c := part[0]; c != '.' && c != 'g' && c != 'G' && c < utf8.RuneSelf {
		return false
	}
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return unicode.ToLower(r)
	}, part)
	s, _, _ = strings.Cut(s, ":")
	s = strings.TrimRight(s, ". ")
	return s == ".git" || s == "git~1"
}

// secretNames are files that usually hold credentials. They are refused in
// every format.
func isSecretName(name string) bool {
	switch name {
	case ".env", ".npmrc", ".netrc", ".pypirc", ".git-credentials", ".htpasswd", ".pgpass",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519":
		return true
	}
	return strings.HasPrefix(name, ".env.") && !isEnvSample(name)
}

// isEnvSample allows the documented forms that carry no values.
func isEnvSample(name string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, ".env."), ".")
	switch word {
	case "example", "sample", "template", "dist", "defaults":
		return true
	}
	return false
}

// IsHidden reports whether any component of path begins with a dot.
func IsHidden(path string) bool {
	return path[0] == '.' || strings.Contains(path, "/.")
}

// plainName reports whether [Builder.checkName] has nothing to say of a path, in
// any format.
func plainName(path string) bool {
	return CheckPath(path) == "" && CheckPortable(path) == "" && !IsHidden(path) && !isSecretName(base(path))
}

// checkName reports what is wrong with a file's name. It returns false when the
// path is dangerous and the file must not be taken at all.
func (b *Builder) checkName(path string) bool {
	if why := CheckPath(path); why != "" {
		b.report(ruleInvalid.Report("path %q %s", path, why).At(path, 0, 0))
		return false
	}
	strict := b.tree.Profile.Strict
	if why := CheckPortable(path); why != "" {
		p := rulePortable.Report("path %q %s", path, why).At(path, 0, 0)
		if !strict {
			p = p.As(problem.Warning)
		}
		b.report(p)
	}
	switch {
	case isSecretName(base(path)):
		p := ruleHidden.Report("%q usually holds credentials", path).At(path, 0, 0).
			WithFix("delete it, and replace the credentials if it was ever published")
		if !strict {
			p = p.Survived() // hosts load the package, and the secret is not its user's
		}
		b.report(p)
	case !IsHidden(path):
	case strict:
		b.report(ruleHidden.Report("%q is hidden", path).At(path, 0, 0))
	case b.tree.Profile.Known == nil || !b.tree.Profile.Known(path):
		b.report(ruleHidden.Report("%q is hidden", path).At(path, 0, 0).As(problem.Warning))
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
