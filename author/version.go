package author

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pinion/internal/syntax"
	"pinion/manifest"
)

// steps are the words for the next version.
func steps() []string { return []string{"patch", "minor", "major"} }

// next returns the version that how means after from. The steps follow npm:
// from a prerelease they lead to its release where that is a step of the kind.
func next(from, how string, force bool) (string, error) {
	var to string
	switch how {
	case "patch", "minor", "major":
		if !manifest.ValidVersion(from) {
			return "", &Error{
				What: fmt.Sprintf("the version is %q, which has no %s step: it is not MAJOR.MINOR.PATCH", from, how),
				Hint: "give the new version itself, such as 1.0.0",
			}
		}
		stepped, err := step(from, how)
		if err != nil {
			return "", err
		}
		to = stepped
	default:
		if err := checkVersion(how); err != nil {
			return "", err
		}
		to = how
	}
	if !force && manifest.ValidVersion(from) {
		switch c := compare(to, from); {
		case c < 0:
			return "", &Error{What: fmt.Sprintf("version %s is lower than %s", to, from), Hint: "choose a higher version, or use --force"}
		case c == 0:
			return "", &Error{What: fmt.Sprintf("version %s is not higher than %s", to, from), Hint: "choose a higher version, or use --force"}
		}
	}
	return to, nil
}

// compare orders two valid versions as SemVer does: build metadata does not
// count, so a version that differs only there is not a new one.
func compare(a, b string) int {
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	return manifest.CompareVersions(a, b)
}

func step(from, how string) (string, error) {
	core, _, _ := strings.Cut(from, "+")
	core, _, pre := strings.Cut(core, "-")
	var n [3]uint64
	for i, part := range strings.SplitN(core, ".", 3) {
		v, err := strconv.ParseUint(part, 10, 64)
		if err != nil || v == ^uint64(0) {
			return "", &Error{What: fmt.Sprintf("version %s has a number that is too large to count on", from), Hint: "give the new version itself"}
		}
		n[i] = v
	}
	switch {
	case how == "major" && !(pre && n[1] == 0 && n[2] == 0):
		n = [3]uint64{n[0] + 1, 0, 0}
	case how == "minor" && !(pre && n[2] == 0):
		n = [3]uint64{n[0], n[1] + 1, 0}
	case how == "patch" && !pre:
		n[2]++
	}
	return fmt.Sprintf("%d.%d.%d", n[0], n[1], n[2]), nil
}

// checkVersion refuses what is no version, and guesses what was meant.
func checkVersion(v string) error {
	if manifest.ValidVersion(v) {
		return nil
	}
	e := &Error{
		What: fmt.Sprintf("%q is neither patch, minor, major nor a version MAJOR.MINOR.PATCH", v),
		Hint: "versions look like 1.4.0 or 2.0.0-rc.1 (semver.org)",
	}
	bare := strings.TrimLeft(v, "vV=")
	for _, guess := range []string{bare, bare + ".0", bare + ".0.0"} {
		if manifest.ValidVersion(guess) {
			e.Hint = fmt.Sprintf("did you mean %s?", guess)
			return e
		}
	}
	if near, ok := syntax.Nearest(v, steps()); ok {
		e.Hint = fmt.Sprintf("did you mean %s?", near)
	}
	return e
}

func isAny(err error, targets ...error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}
