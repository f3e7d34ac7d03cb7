package policy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pinion/hashes"
	"pinion/scan"
)

// Duration reads what time.ParseDuration does, and whole days as "3d".
func Duration(s string) (time.Duration, error) {
	if n, ok := strings.CutSuffix(s, "d"); ok {
		days, err := strconv.Atoi(n)
		if err != nil || days < 0 || days > 3650 {
			return 0, fmt.Errorf("%q is no number of days", s)
		}
		return time.Duration(days) * 24 * time.Hour, nil
	}
	return time.ParseDuration(s)
}

// read turns the text of an accepted finding into the value.
func (a accept) read() (scan.Acceptance, error) {
	out := scan.Acceptance{Rule: a.Rule, File: a.File, Reason: a.Reason, By: a.By}
	switch {
	case a.Rule == "" || a.Digest == "" || a.Window == "":
		return out, errors.New("an accepted finding needs rule, file, window and digest: pinion scan prints the lines to paste")
	case strings.TrimSpace(a.Reason) == "" || strings.TrimSpace(a.By) == "":
		return out, errors.New("an accepted finding needs a reason and the person who decided")
	}
	d, err := hashes.Parse(a.Digest)
	if err != nil {
		return out, err
	}
	out.Digest = d
	sum, err := hex.DecodeString(a.Window)
	if err != nil || len(sum) != len(out.Window) {
		return out, fmt.Errorf("window %q is no SHA-256 of 64 hexadecimal digits", a.Window)
	}
	copy(out.Window[:], sum)
	if a.Expires != "" {
		for _, layout := range []string{time.DateOnly, time.RFC3339} {
			if out.Expires, err = time.Parse(layout, a.Expires); err == nil {
				return out, nil
			}
		}
		return out, fmt.Errorf("expires %q is no date such as 2027-01-31", a.Expires)
	}
	return out, nil
}

// match reports whether a pattern with stars fits a whole name. A star stands
// for any characters, the slash included.
func match(pattern, name string) bool {
	parts := strings.Split(strings.ToLower(pattern), "*")
	name = strings.ToLower(name)
	if len(parts) == 1 {
		return parts[0] == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, last)
}
