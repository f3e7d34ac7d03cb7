package source

import (
	"fmt"
	"strings"
)

// IsCommit reports whether s is a whole commit id, 40 or 64 lower-case hex
// digits. Such a text is always an id and never the name of a branch.
func IsCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && isHex(s)
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// checkRef returns ref as it is kept, or why it is refused. The rules are those
// of git check-ref-format; "HEAD" is the default branch.
func checkRef(text, ref string) (string, error) {
	if ref == "" || ref == "HEAD" {
		return "", nil
	}
	if lower := strings.ToLower(ref); IsCommit(lower) {
		return lower, nil
	}
	if why, hint := RefProblem(ref); why != "" {
		return "", &SpecError{Text: text, Why: fmt.Sprintf("has a ref %q that %s", ref, why), Hint: hint}
	}
	return ref, nil
}

// RefProblem returns why ref cannot name a branch or tag, and what to write
// instead, or "". A short commit id is refused because a branch of the same
// name could take its place.
func RefProblem(ref string) (why, hint string) {
	const anchor = "use a branch, a tag, or a whole commit id"
	switch {
	case len(ref) > 255:
		return "is longer than 255 bytes", anchor
	case ref[0] == '-':
		return "looks like an option", anchor
	case ref == "@" || strings.Contains(ref, "@{") || strings.Contains(ref, "..") || strings.ContainsAny(ref, " ~^:?*[\\"):
		return "is not the name of a branch or tag", anchor
	case strings.ContainsFunc(ref, isControl):
		return "contains a control character", anchor
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return "is not the name of a branch or tag", anchor
		}
	}
	// All digits may be a date or a build number; letters make it an id.
	if n := len(ref); n >= 7 && n < 40 && isHex(strings.ToLower(ref)) && strings.Trim(ref, "0123456789") != "" {
		return "looks like a shortened commit id", "write all 40 digits, or refs/heads/" + ref + " for a branch of that name"
	}
	return "", ""
}
