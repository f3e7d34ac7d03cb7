package checks

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"pinion/scan"
)

// utf16Order returns 'l' or 'b' when data is UTF-16 in that byte order: it has
// a byte order mark, or nearly every other byte of its beginning is zero.
func utf16Order(data []byte) byte {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")) && !bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")):
		return 'l'
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return 'b'
	}
	head := data[:min(len(data), 512)&^1]
	if len(head) < 16 {
		return 0
	}
	var zero, other [2]int
	for i, c := range head {
		switch {
		case c == 0:
			zero[i&1]++
		case c == '\t' || c == '\n' || c == '\r' || ' ' <= c && c < 0x7f:
			other[i&1]++
		}
	}
	half := len(head) / 2
	switch {
	case zero[1] > half*9/10 && other[0] > half*9/10:
		return 'l'
	case zero[0] > half*9/10 && other[1] > half*9/10:
		return 'b'
	}
	return 0
}

// decodeUTF16 returns data as UTF-8, without the byte order mark.
func decodeUTF16(data []byte, order byte) []byte {
	endian := unicode.LittleEndian
	if order == 'b' {
		endian = unicode.BigEndian
	}
	out, err := unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Bytes(data)
	if err != nil {
		// The decoder of UseBOM refuses content without a mark.
		out, _ = unicode.UTF16(endian, unicode.IgnoreBOM).NewDecoder().Bytes(data)
	}
	return out
}

// utf16Piece is how many bytes of UTF-16 are inspected at once; decoded they are
// at most one and a half times as many.
const utf16Piece = 160 << 10

// inspectUTF16 decodes a file and reports what any check finds in it, as
// findings of the file: lines of the decoded text are not those of its bytes.
func inspectUTF16(p *scan.Pass, f *scan.File, order byte) {
	p.ReportFile(scan.Medium, ruleUndecodable, f.Path, "the file is UTF-16, not UTF-8")
	whole := f.Whole()
	seen := map[string]bool{}
	for at := 0; at < len(f.Data); {
		end := min(at+utf16Piece, len(f.Data))
		if end < len(f.Data) {
			end = utf16LineEnd(f.Data, at, end, order)
		}
		if !p.Spend(end - at) {
			return
		}
		for _, found := range p.Inspect(whole, at, f.Lang, decodeUTF16(f.Data[at:end], order)) {
			if key := found.Rule + found.Message; !seen[key] {
				seen[key] = true
				p.ReportFile(found.Level, found.Rule, f.Path, "%s (in the decoded text)", found.Message)
			}
		}
		at = end
	}
}

// utf16LineEnd moves end back to behind the last newline of data[at:end].
func utf16LineEnd(data []byte, at, end int, order byte) int {
	read := binary.LittleEndian.Uint16
	if order == 'b' {
		read = binary.BigEndian.Uint16
	}
	for i := end - (end-at)%2 - 2; i > at; i -= 2 {
		if read(data[i:]) == '\n' {
			return i + 2
		}
	}
	return at + (end-at)&^1
}

// invalidUTF8 reports the first byte of a text file that is not UTF-8. Content
// of an unknown kind is text only when such bytes are rare in it.
func invalidUTF8(p *scan.Pass, t *scan.Text) {
	if utf8.Valid(t.Data) {
		return
	}
	first, count := -1, 0
	for i := 0; i < len(t.Data); {
		r, n := utf8.DecodeRune(t.Data[i:])
		if r == utf8.RuneError && n == 1 {
			if first < 0 {
				first = i
			}
			count++
		}
		i += n
	}
	if t.Lang == scan.Plain && (count > len(t.Data)/20 || bytes.HasPrefix(t.Data, []byte("%PDF"))) {
		return
	}
	if kindOf(t.Data).class != 0 {
		return // it is no text at all, which is a finding of its own
	}
	what := "%d bytes are not UTF-8"
	if count == 1 {
		what = "%d byte is not UTF-8"
	}
	p.Report(ruleUndecodable, t, first, first+1, what, count)
}
