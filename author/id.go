package author

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxID is the longest id, in bytes (SB-007).
const maxID = 40

// CheckID returns nil when id can be the id of a native package: lower-case
// words of letters and digits joined by single dashes, at most 40 characters,
// no device name of Windows (SB-007). The error is an [*Error] with the nearest
// id that could be one.
func CheckID(id string) error {
	why := ""
	switch {
	case id == "":
		why = "is empty"
	case len(id) > maxID:
		why = fmt.Sprintf("has %d characters, more than %d", utf8.RuneCountInString(id), maxID)
	case slug(id) != id:
		why = "is not lower-case words joined by single dashes"
	case isDevice(id):
		why = "is a device on Windows"
	default:
		return nil
	}
	e := &Error{What: fmt.Sprintf("id %q %s", id, why), Hint: `ids look like "text-tools"`}
	if near := nearest(id); near != "" {
		e.Hint = fmt.Sprintf("did you mean %s?", near)
	}
	return e
}

// nearest returns the id that s most likely stands for, or "".
func nearest(s string) string {
	near := slug(s)
	if len(near) > maxID {
		near = near[:maxID]
		if i := strings.LastIndexByte(near, '-'); i > maxID/2 {
			near = near[:i] // cut between words
		}
		near = strings.TrimRight(near, "-")
	}
	if isDevice(near) {
		near += "-plugin"
	}
	return near
}

// slug keeps ASCII letters, in lower case, and digits; everything between them
// becomes one dash, and so does the step from a small to a capital letter.
func slug(s string) string {
	var b strings.Builder
	dash, lower := false, false
	for _, r := range s {
		upper := 'A' <= r && r <= 'Z'
		switch {
		case upper, 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			if b.Len() > 0 && (dash || upper && lower) {
				b.WriteByte('-')
			}
			if upper {
				r += 'a' - 'A'
			}
			b.WriteRune(r)
			dash, lower = false, !upper
		default:
			dash, lower = true, false
		}
	}
	return b.String()
}

func isDevice(id string) bool {
	switch id {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(id) == 4 && (id[:3] == "com" || id[:3] == "lpt") && '0' <= id[3] && id[3] <= '9'
}

// title makes a name for people from an id: "text-tools" is "Text tools".
func title(id string) string {
	s := strings.ReplaceAll(id, "-", " ")
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
