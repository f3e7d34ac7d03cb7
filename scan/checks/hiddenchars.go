package checks

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pinion/scan"
)

// hiddenScan goes once over the characters of a text.
type hiddenScan struct {
	p    *scan.Pass
	t    *scan.Text
	prev rune // the last visible character, 0 at the beginning
	line int  // where the line begins

	part   int         // index in p.Texts of the part of a Markdown file that was looked up last
	loose  []int       // offsets of single selectors that are not in place
	split  map[int]int // offset of the line → of the first word split in it
	splits []int
}

func newHiddenScan(p *scan.Pass, t *scan.Text) *hiddenScan {
	return &hiddenScan{p: p, t: t, split: map[int]int{}}
}

func (s *hiddenScan) run() {
	data := s.t.Data
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			s.prev = rune(data[i])
			i++
			if s.prev == '\n' {
				s.line = i
			}
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case isTag(r):
			i = s.tags(i)
		case isSelector(r):
			i = s.selectors(i)
		case isBidi(r):
			i = s.bidi(i)
		case isZeroWidth(r):
			i = s.zeroWidth(i)
		default:
			s.prev = r
			i += n
		}
	}
	s.looseSelectors()
	s.splitWords()
}

func isTag(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }
func isSelector(r rune) bool {
	return 0xFE00 <= r && r <= 0xFE0F || 0xE0100 <= r && r <= 0xE01EF
}
func isBidi(r rune) bool { return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 }

// isZeroWidth reports whether a character shows nothing and has no other
// family: spaces and joiners, fillers, format controls without use in text.
func isZeroWidth(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x180E, r == 0xFEFF, isFiller(r),
		0x200B <= r && r <= 0x200D, 0x2060 <= r && r <= 0x2065, 0x206A <= r && r <= 0x206F,
		0xFFF9 <= r && r <= 0xFFFB, 0x1D173 <= r && r <= 0x1D17A:
		return true
	}
	return false
}

// isFiller reports the fillers of Hangul, which are letters to programming
// languages and blank to readers.
func isFiller(r rune) bool { return r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 }

// while returns where the characters from i on that are all in cannot be
// continued, and the characters.
func (s *hiddenScan) while(i int, in func(rune) bool) (end int, run []rune) {
	for i < len(s.t.Data) {
		r, n := utf8.DecodeRune(s.t.Data[i:])
		if !in(r) {
			break
		}
		run = append(run, r)
		i += n
	}
	return i, run
}

func (s *hiddenScan) tags(i int) int {
	end, run := s.while(i, isTag)
	if s.prev == 0x1F3F4 && regionFlag(run) {
		return end
	}
	var b strings.Builder
	for _, r := range run {
		if c := r - 0xE0000; ' ' <= c && c < 0x7f {
			b.WriteByte(byte(c))
		}
	}
	s.p.Report(ruleTags, s.t, i, end, "%s that show nothing and spell %q", counted(len(run), "tag character"), cutText(b.String(), 80))
	return end
}

// regionFlag reports whether tags are the rest of a flag such as that of
// Scotland: up to six letters or digits and the cancel tag.
func regionFlag(run []rune) bool {
	n := len(run) - 1
	if n < 3 || n > 6 || run[n] != 0xE007F {
		return false
	}
	for _, r := range run[:n] {
		c := r - 0xE0000
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9') {
			return false
		}
	}
	return true
}

// selectors judges a row of variation selectors. Numbers 1 to 16 and 17 to 256
// are counted together: with both, one of them stands for a byte.
func (s *hiddenScan) selectors(i int) int {
	end, run := s.while(i, isSelector)
	if len(run) >= 4 {
		s.p.Report(ruleSelectors, s.t, i, end, "a row of %d variation selectors%s", len(run), spells(selectorBytes(run)))
		return end
	}
	for _, r := range run {
		switch {
		case r >= 0xE0100 && len(run) == 1 && unicode.Is(unicode.Han, s.prev):
		case r >= 0xE0100, r < 0xFE0E && s.prev < utf8.RuneSelf:
			s.loose = append(s.loose, i)
		}
	}
	return end
}

func (s *hiddenScan) looseSelectors() {
	if len(s.loose) == 0 {
		return
	}
	level := scan.Medium
	if len(s.loose) >= 4 {
		level = scan.Critical
	}
	at := s.loose[0]
	s.p.ReportAs(level, ruleSelectors, s.t, at, at+3, "%s behind characters that have no variants", counted(len(s.loose), "variation selector"))
}

// selectorBytes returns the bytes that selectors 1 to 256 number.
func selectorBytes(run []rune) []byte {
	out := make([]byte, len(run))
	for i, r := range run {
		if r >= 0xE0100 {
			out[i] = byte(r - 0xE0100 + 16)
		} else {
			out[i] = byte(r - 0xFE00)
		}
	}
	return out
}

// spells words decoded bytes when they are text.
func spells(b []byte) string {
	if len(b) < 4 || !utf8.Valid(b) || bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
		return ""
	}
	return fmt.Sprintf(" that spell %q", cutText(string(b), 60))
}

func cutText(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// bidi judges the rest of a line from its first control on.
func (s *hiddenScan) bidi(i int) int {
	line, _ := cutAt(s.t.Data, s.line)
	end := s.line + len(line)
	shift, fine := bidiEffect(line)
	if !fine {
		level := scan.Medium
		if shift && s.codeAt(i) {
			level = scan.High
		}
		r, n := utf8.DecodeRune(s.t.Data[i:])
		s.p.ReportAs(level, ruleBidi, s.t, i, i+n, "the bidirectional control U+%04X changes the order of what is shown", r)
	}
	// What else hides in the line is looked for as usual.
	for i < end {
		r, n := utf8.DecodeRune(s.t.Data[i:])
		switch {
		case isBidi(r):
			i += n
		case isTag(r):
			i = s.tags(i)
		case isSelector(r):
			i = s.selectors(i)
		case isZeroWidth(r):
			i = s.zeroWidth(i)
		default:
			s.prev = r
			i += n
		}
	}
	return i
}

// bidiEffect says whether the controls of a line can move text: they go right
// to left, or meet letters that do. They are fine when every one is closed on
// the line, none overrides, and what they enclose has no marks of strings or
// comments.
func bidiEffect(line []byte) (shift, fine bool) {
	fine = true
	var open []rune
	quoted := false
	for _, r := range string(line) {
		switch {
		case r == 0x202D, r == 0x202E:
			shift, fine = true, false
		case r == 0x202A, r == 0x202B, 0x2066 <= r && r <= 0x2068:
			shift = shift || r == 0x202B || r == 0x2067
			open = append(open, r)
		case r == 0x202C, r == 0x2069:
			n := len(open) - 1
			if n < 0 || (open[n] >= 0x2066) != (r == 0x2069) {
				fine = false
				continue
			}
			open = open[:n]
		case rightToLeft(r):
			shift = true
		case len(open) > 0 && strings.ContainsRune("\"'`#/*\\", r):
			quoted = true
		}
	}
	return shift, fine && len(open) == 0 && (!quoted || !shift) && (!shift || bytes.ContainsFunc(line, rightToLeft))
}

func rightToLeft(r rune) bool {
	return r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// codeAt reports whether byte i of the text is in code or data, a code block of
// a Markdown file included.
func (s *hiddenScan) codeAt(i int) bool { return isCodeOrData(s.langAt(i)) }

func isCodeOrData(l scan.Lang) bool {
	return l.Code() || l == scan.JSON || l == scan.YAML || l == scan.TOML
}

// langAt returns the language at byte i of the text: a Markdown file is prose
// and code.
func (s *hiddenScan) langAt(i int) scan.Lang {
	if s.t.Lang != scan.Markdown {
		return s.t.Lang
	}
	at := s.t.Offset(i)
	texts := s.p.Texts
	if s.part < len(texts) && at < texts[s.part].Offset(0) {
		s.part = 0 // only the look at split words goes back
	}
	for ; s.part < len(texts); s.part++ {
		if t := texts[s.part]; t.Verbatim() && at < t.Offset(len(t.Data)) {
			if at < t.Offset(0) {
				break
			}
			return t.Lang
		}
	}
	return scan.Prose
}

// cutAt returns the line of data that begins at an offset, and where the next
// one begins.
func cutAt(data []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return data[at : at+i], at + i + 1
	}
	return data[at:], len(data)
}

func inASCIIWord(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
