package native

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"pinion/internal/syntax"
)

// Bounds of the texts of a manifest, in code points (SB-008, SB-010).
const (
	maxID        = 40
	maxVersion   = 64 // bytes
	maxLabel     = 100
	maxText      = 1024
	maxLong      = 10_000
	maxList      = 100 // elements of any list (SB-027, SB-029 and alike)
	maxToolName  = 64  // of the form plg__<id>__<tool> (SB-026)
	maxKey       = 128
	toolPrefix   = "plg__"
	toolDivision = "__"
)

// isSlug is ^[a-z0-9]+(-[a-z0-9]+)*$.
func isSlug(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case lowerOrDigit(c):
		case c == '-' && i > 0 && i < len(s)-1 && s[i-1] != '-':
		default:
			return false
		}
	}
	return s != ""
}

// isDeviceName reports whether Windows opens a device instead of a directory of
// this name. s is lower case.
func isDeviceName(s string) bool {
	switch s {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(s) == 4 && (s[:3] == "com" || s[:3] == "lpt") && s[3] >= '0' && s[3] <= '9'
}

// isToolName is ^[a-z][a-z0-9_]*$ without a double underscore (SB-024).
func isToolName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '_' && s[i-1] != '_'):
		default:
			return false
		}
	}
	return s != ""
}

// isVersion is strict SemVer 2.0.0 without a leading v. x/mod also takes the
// short forms v1 and v1.2.
func isVersion(s string) bool {
	core := s
	if i := strings.IndexAny(s, "-+"); i >= 0 {
		core = s[:i]
	}
	return strings.Count(core, ".") == 2 && semver.IsValid("v"+s)
}

func lowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// slugOf makes what is nearest to s and a slug, or "".
func slugOf(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r < 0x80 && lowerOrDigit(byte(r)) {
			b.WriteRune(r)
		} else if n := b.Len(); n > 0 && b.String()[n-1] != '-' {
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// unfit returns the first character of s that a text on one line must not have:
// controls, line separators and marks that reorder what is shown. lines allows
// tab and newline.
func unfit(s string, lines bool) (rune, bool) {
	for _, r := range s {
		switch {
		case lines && (r == '\t' || r == '\n'):
		case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return r, true
		}
	}
	return 0, false
}

// blank reports whether s has only the given characters.
func blank(s, cutset string) bool { return strings.Trim(s, cutset) == "" }

// quote makes text from the package safe to print, and short.
func quote(s string) string {
	const most = 60
	n := 0
	for i := range s {
		if n++; n > most {
			return strconv.Quote(s[:i] + "…")
		}
	}
	return strconv.Quote(s)
}

// oneOf lists words for a message.
func oneOf(words []string) string { return strings.Join(words, ", ") }

// didYouMean is the advice to write the nearest of words, or to choose one.
func didYouMean(word string, words []string) string {
	if near, ok := syntax.Nearest(word, words); ok {
		return fmt.Sprintf("write %q", near)
	}
	return "write one of " + oneOf(words)
}
