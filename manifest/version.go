package manifest

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// MaxVersion is the longest version Pinion accepts, in bytes.
const MaxVersion = 64

// ValidVersion reports whether v is SemVer 2 in full: three numbers, no "v".
func ValidVersion(v string) bool {
	if len(v) > MaxVersion || !semver.IsValid("v"+v) {
		return false
	}
	core, _, _ := strings.Cut(v, "+")
	core, _, _ = strings.Cut(core, "-")
	return strings.Count(core, ".") == 2 // x/mod also takes "v1" and "v1.2"
}

// IsPrerelease reports whether v is a SemVer prerelease.
func IsPrerelease(v string) bool { return semver.Prerelease("v"+v) != "" }

// Release returns a SemVer version without its build metadata, which does not
// make another release; any other text is returned as it is.
func Release(v string) string {
	if release, _, ok := strings.Cut(v, "+"); ok && ValidVersion(v) {
		return release
	}
	return v
}

// CompareVersions orders versions: SemVer where both are, else number by number
// as people read them ("1.10" after "1.9"). What is no SemVer sorts before what
// is. Versions that SemVer calls equal ("1.0.0+a", "1.0.0+b") are ordered by
// their text, so that the order is total.
func CompareVersions(a, b string) int {
	va, vb := ValidVersion(a), ValidVersion(b)
	switch {
	case va && vb:
		return cmp.Or(semver.Compare("v"+a, "v"+b), strings.Compare(a, b))
	case va != vb:
		if va {
			return 1
		}
		return -1
	}
	return natural(a, b)
}

// natural compares runs of digits as numbers and everything else as text.
func natural(a, b string) int {
	for a != "" && b != "" {
		da, ra := digits(a)
		db, rb := digits(b)
		if da != "" && db != "" {
			na, _ := strconv.ParseUint(da, 10, 64)
			nb, _ := strconv.ParseUint(db, 10, 64)
			if c := cmp.Or(cmp.Compare(na, nb), cmp.Compare(len(da), len(db))); c != 0 {
				return c
			}
			a, b = ra, rb
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) (run, rest string) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}
