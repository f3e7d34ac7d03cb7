package checks

import (
	"pinion/scan"
)

const (
	padColumns = 200 // of blanks in front of text
	padLines   = 50  // blank lines in front of text
	tabWidth   = 8
)

// paddedText reports text behind so much white space that nobody sees it.
func paddedText(p *scan.Pass, t *scan.Text) {
	data := t.Data
	blank := 0    // blank lines before this one
	columns := 0  // of blanks before this byte
	text := false // the line has text already
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '\n':
			if text {
				blank = 0
			} else {
				blank++
			}
			columns, text = 0, false
			continue
		case ' ':
			columns++
			continue
		case '\t':
			columns += tabWidth
			continue
		case '\r', '\f', '\v':
			continue
		default:
			if n := blankRune(data[i:]); n > 0 {
				columns++
				i += n - 1
				continue
			}
			// The bars of a table stand far from its text.
			if columns >= padColumns && c != '|' {
				p.Report(rulePadding, t, i, i+1, "text follows after %d columns of blanks", columns)
			} else if !text && blank >= padLines {
				p.Report(rulePadding, t, i, i+1, "text follows after %d blank lines", blank)
			}
			columns, text = 0, true
		}
	}
}

// blankRune returns the length of a blank that is not ASCII at the beginning of
// data: no-break, em and ideographic spaces and the blank of Braille.
func blankRune(data []byte) int {
	switch {
	case len(data) >= 2 && data[0] == 0xC2 && data[1] == 0xA0:
		return 2
	case len(data) >= 3 && data[0] == 0xE2 && data[1] == 0x80 && data[2] >= 0x80 && data[2] <= 0x8A,
		len(data) >= 3 && data[0] == 0xE3 && data[1] == 0x80 && data[2] == 0x80,
		len(data) >= 3 && data[0] == 0xE2 && data[1] == 0xA0 && data[2] == 0x80:
		return 3
	}
	return 0
}
