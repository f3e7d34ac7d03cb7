package checks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"pinion/scan"
)

// carriesData is the length from which a row of characters without width is
// taken for data: two of them are the bits of two letters.
const carriesData = 16

// zeroWidth judges a row of characters without width.
func (s *hiddenScan) zeroWidth(i int) int {
	end, run := s.while(i, isZeroWidth)
	next, _ := utf8.DecodeRune(s.t.Data[end:])
	if end == len(s.t.Data) {
		next = 0
	}
	level, message := s.weigh(i, run, next)
	if message == "" {
		return end
	}
	if inASCIIWord(s.prev) && inASCIIWord(next) {
		if _, seen := s.split[s.line]; !seen && len(s.splits) < 20 {
			s.splits = append(s.splits, s.line)
			s.split[s.line] = i
		}
	}
	s.p.ReportAs(level, ruleZeroWidth, s.t, i, end, "%s", message)
	return end
}

// weigh returns the level of a row and what to say of it; "" when it is in its
// place.
func (s *hiddenScan) weigh(i int, run []rune, next rune) (scan.Level, string) {
	r := run[0]
	code := s.codeAt(i)
	switch {
	case len(run) >= carriesData:
		return scan.High, "a row of " + counted(len(run), "character") + " without width" + spells(bitsOf(run))
	case isFiller(r):
		if unicode.Is(unicode.Hangul, s.prev) && !isFiller(s.prev) || unicode.Is(unicode.Hangul, next) {
			return 0, ""
		}
		if code {
			return scan.High, "a Hangul filler, which is an invisible letter in code"
		}
		return scan.Medium, "a Hangul filler, which is an invisible letter"
	case len(run) > 1:
		if len(run) == 2 && (joined(s.prev) || joined(next)) {
			return 0, ""
		}
		return scan.Medium, "a row of " + counted(len(run), "character") + " without width"
	case r == 0xFEFF:
		if i == 0 {
			return 0, ""
		}
		if s.prev == '\n' {
			return scan.Low, "a byte order mark at the beginning of a line"
		}
		return scan.Medium, "a byte order mark inside the text"
	case r == 0x200D && (pictorial(s.prev) || pictorial(next)):
		return 0, ""
	case joined(s.prev), joined(next):
		return 0, ""
	case r == 0xAD && !code:
		return scan.Low, "a soft hyphen"
	case inASCIIWord(s.prev) && inASCIIWord(next):
		return scan.Medium, "a character without width splits a word"
	}
	return scan.Low, "a character without width"
}

// joined reports whether a character is of a script that is written with
// joiners, or without spaces between words so that zero-width ones part them.
func joined(r rune) bool {
	return r >= 0x590 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) && !isFiller(r) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hangul)
}

// pictorial reports whether a character can be part of an emoji that is joined
// of several.
func pictorial(r rune) bool {
	return r > 0xff && (unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) || unicode.Is(unicode.Sm, r))
}

// bitsOf reads a row of two kinds of characters as bits, eight for a byte; nil
// when there are more kinds, or neither way to read it gives text.
func bitsOf(run []rune) []byte {
	one := run[0]
	other := one
	for _, r := range run {
		if r != one && other == one {
			other = r
		}
		if r != one && r != other {
			return nil
		}
	}
	for _, set := range []rune{one, other} {
		out := make([]byte, len(run)/8)
		for i := range out {
			for _, r := range run[8*i : 8*i+8] {
				out[i] <<= 1
				if r == set {
					out[i]++
				}
			}
		}
		if spells(out) != "" {
			return out
		}
	}
	return nil
}

// splitWords looks at the lines of split words without what splits them. What
// another rule finds then was hidden from it, by intent.
func (s *hiddenScan) splitWords() {
	for _, start := range s.splits {
		line, _ := s.t.Line(start)
		at := s.split[start]
		if found := revealed(s.p, s.t, start, s.langAt(start), []byte(withoutHidden(string(line)))); found != "" {
			s.p.ReportAs(scan.High, ruleZeroWidth, s.t, at, at+3, "characters without width hide what %s reports", found)
		}
	}
}

// withoutHidden returns a line without characters that show nothing.
func withoutHidden(line string) string {
	return strings.Map(func(r rune) rune {
		if isZeroWidth(r) || isTag(r) || isSelector(r) || isBidi(r) {
			return -1
		}
		return r
	}, line)
}

// revealed inspects a line in the form that a reader sees, and returns the rule
// that finds something grave in it, "" for none.
func revealed(p *scan.Pass, t *scan.Text, start int, lang scan.Lang, line []byte) string {
	if lang == scan.Markdown || len(line) > 4<<10 {
		return ""
	}
	for _, f := range p.Inspect(t, start, lang, line) {
		if f.Level >= scan.High || f.Rule == ruleOverride || f.Rule == ruleConceal {
			return f.Rule
		}
	}
	return ""
}
