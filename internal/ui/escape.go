package ui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s as one line that only shows itself: what could move a
// cursor, start a terminal command, reorder text, hide, or be read as a command
// by a CI system is written as a visible escape (`\x1b`, `\u202e`, `\n`).
//
// Replaced are control characters (C0, C1, DEL, so CR and tab too), every
// format character (bidi overrides and isolates, zero-width, tags, BOM), line
// and paragraph separators, private-use and unassigned code points, variation
// selectors beyond the 16 of emoji, and bytes that are not UTF-8. Spaces of
// other widths become a plain space. A leading `::` (a workflow command of
// GitHub) and `##name[` anywhere (GitHub's older form, Azure's, TeamCity's)
// are broken up. It is idempotent. Security 3.5 row 74.
func Escape(s string) string {
	i := firstUnsafe(s)
	if i < 0 {
		return breakCommands(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			writeRune(&b, r)
		}
		i += n
	}
	return breakCommands(b.String())
}

// firstUnsafe returns the offset of the first rune that must be replaced, or
// -1. Almost all text passes here without an allocation.
func firstUnsafe(s string) int {
	for i, r := range s {
		if r >= ' ' && r < 0x7f {
			continue
		}
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
		if !shown(r) {
			return i
		}
	}
	return -1
}

// shown reports whether r is a graphic character that stands for itself.
func shown(r rune) bool {
	const firstTagSelector, lastTagSelector = 0xE0100, 0xE01EF
	return unicode.IsPrint(r) && (r < firstTagSelector || r > lastTagSelector)
}

func writeRune(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case shown(r):
		b.WriteRune(r)
	case unicode.Is(unicode.Zs, r):
		b.WriteByte(' ')
	case r < utf8.RuneSelf:
		fmt.Fprintf(b, `\x%02x`, r)
	case r <= 0xffff:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// breakCommands defuses what a CI runner would obey when the line reaches its
// log. Runners trim the line before they look for "::", and look for "##[" at
// any place of it.
func breakCommands(s string) string {
	if trimmed := strings.TrimLeft(s, " "); strings.HasPrefix(trimmed, "::") {
		s = s[:len(s)-len(trimmed)] + `\x3a` + trimmed[1:]
	}
	if !strings.Contains(s, "##") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "##")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		j := i + 2
		for j < len(s) && (s[j] == '#' || s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z') {
			j++
		}
		b.WriteString(s[:j])
		s = s[j:]
		if strings.HasPrefix(s, "[") {
			b.WriteString(`\x5b`)
			s = s[1:]
		}
	}
}
