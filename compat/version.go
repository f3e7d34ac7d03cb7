package compat

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is a released version of a host: three numbers. The zero value is
// before every release.
type Version struct{ Major, Minor, Patch int }

// ParseVersion reads "2.1.268"; missing numbers are 0.
func ParseVersion(s string) (Version, error) {
	parts := strings.Split(s, ".")
	if len(parts) > 3 {
		return Version{}, fmt.Errorf("%q is not a version like 2.1.268", s)
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return Version{}, fmt.Errorf("%q is not a version like 2.1.268", s)
		}
		n[i] = int(v)
	}
	return Version{n[0], n[1], n[2]}, nil
}

// Compare orders versions.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch))
}

// IsZero reports whether v is no version.
func (v Version) IsZero() bool { return v == Version{} }

// String returns "2.1.268", or "" for no version.
func (v Version) String() string {
	if v.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
}

// MarshalText encodes v as its text.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Range is a set of versions, both ends included.
type Range struct{ Low, High Version }

// String returns "2.1.268" or "2.1.200–2.1.332".
func (r Range) String() string {
	if r.Low == r.High {
		return r.Low.String()
	}
	return r.Low.String() + "–" + r.High.String()
}

// Target is a host and the versions of it that matter.
type Target struct {
	Host  Host
	Range Range
	// Optional is true for a host of "all": that nothing is there for it is no
	// fault.
	Optional bool
}

// ParseTargets reads one word of the command line: "claude" (the newest known
// version), "claude@2.1.268", "claude@>=2.1.200" (up to the newest known),
// "claude@2.1.200..2.1.300", or "all" for every host. The error says what is
// accepted.
func ParseTargets(s string) ([]Target, error) {
	name, versions, ranged := strings.Cut(s, "@")
	if name == "all" && !ranged {
		var all []Target
		for _, h := range hosts() {
			all = append(all, Target{Host: h.name, Range: Range{h.newest, h.newest}, Optional: true})
		}
		return all, nil
	}
	h := find(Host(name))
	if h == nil {
		return nil, fmt.Errorf("%q is no host that Pinion judges for; it knows %s and all", name, strings.Join(names(), ", "))
	}
	t := Target{Host: h.name, Range: Range{h.newest, h.newest}}
	if !ranged {
		return []Target{t}, nil
	}
	low, high, span := strings.Cut(versions, "..")
	from, open := strings.CutPrefix(low, ">=")
	var err error
	if t.Range.Low, err = ParseVersion(strings.TrimSpace(from)); err != nil {
		return nil, err
	}
	switch {
	case span && open:
		return nil, fmt.Errorf("%q has both %q and %q", versions, ">=", "..")
	case span:
		t.Range.High, err = ParseVersion(strings.TrimSpace(high))
	case !open:
		t.Range.High = t.Range.Low
	}
	if err != nil {
		return nil, err
	}
	if t.Range.High.Compare(t.Range.Low) < 0 {
		if open {
			return nil, fmt.Errorf("%s is newer than %s %s, the newest that Pinion knows", t.Range.Low, h.title, h.newest)
		}
		return nil, fmt.Errorf("%q ends before it begins", versions)
	}
	return []Target{t}, nil
}

// Newest returns the newest version of a host whose behaviour is known.
func Newest(h Host) Target {
	if known := find(h); known != nil {
		return Target{Host: h, Range: Range{known.newest, known.newest}}
	}
	return Target{Host: h}
}
