package checks

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"pinion/scan"
)

// The shortest stretches that are decoded, in bytes. Below them nothing that
// does harm has room.
const (
	minEncoded = 24
	minBase64  = 40
	minHex     = 60
	minEscapes = 12      // escapes in a row
	minCodes   = 12      // numbers in a list
	minPieces  = 3       // literals joined by +
	maxLiteral = 8 << 10 // bytes of one literal, and of several joined
	// maxStretch bounds one decoded stretch; the engine decodes no more.
	maxStretch = 512 << 10
)

// stretches finds what is encoded in a text in one pass from left to right, and
// hands it out until found returns false.
func stretches(p *scan.Pass, t *scan.Text, found func(stretch) bool) {
	data := t.Data
	quotes := 0 // where the next literal may begin that was not read yet
	code := t.Lang == scan.Python || t.Lang == scan.JavaScript || t.Lang == scan.PowerShell
	for i := 0; i < len(data); {
		c := data[i]
		var s stretch
		end := i
		switch {
		case isBase64[c]:
			end, s = runOf64(data, i)
		case c == '\\':
			end, s = manyEscapes(data, i)
		case c == '%':
			end, s = percentText(data, i)
		case code && (c == '[' || c == '('):
			end, s = charCodes(data, i)
		case code && (c == '"' || c == '\'') && i >= quotes:
			// What is in the literal may be encoded itself, so only quotes are
			// passed over.
			if quotes, s = joinedLiteral(data, i); s.decoded != nil {
				end = quotes
			}
		}
		if s.decoded != nil && !found(s) {
			return
		}
		i = max(end, i+1)
	}
}

// isBase64 are the characters of both alphabets of base64.
var isBase64 = func() (set [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		set[c] = true
	}
	return set
}()

// runOf64 reads a run of the characters of base64, which are those of
// hexadecimal as well. Lines of the same length are one stretch.
func runOf64(data []byte, i int) (int, stretch) {
	end := runEnd(data, i)
	if end-i < minBase64 {
		return end, stretch{}
	}
	stop := end
	if width := end - i; width >= 60 {
		for next := lineBegin(data, stop); next > 0; next = lineBegin(data, stop) {
			e := runEnd(data, next)
			if e-next > width || e-next < 4 {
				break
			}
			stop = e
			if e-next < width {
				break
			}
		}
	}
	for stop < len(data) && data[stop] == '=' {
		stop++
	}
	if dataURI(data, i) {
		return stop, stretch{}
	}
	run := alphabet(data[i:min(stop, i+maxStretch)])
	kind := "base64 text"
	decode := unbase64
	if len(run) >= minHex && allHex(run) {
		kind, decode = "hexadecimal text", unhex
	}
	if b := decodeRun(run, decode); b != nil {
		return stop, stretch{i, stop, kind, b}
	}
	// A word or a path may stand in front of the stretch without a gap.
	if k := bytes.LastIndexByte(run[:min(len(run), 64)], '/'); k >= 0 && len(run)-k-1 >= minBase64 {
		if b := decodeRun(run[k+1:], decode); b != nil {
			return stop, stretch{i, stop, kind, b}
		}
	}
	// Base64 written backwards begins with its padding, or is turned where it
	// stands.
	if i > 0 && data[i-1] == '=' || turned(data[stop:]) {
		if b := decodeRun(backwards(run), decode); b != nil {
			return stop, stretch{i, stop, "reversed " + kind, b}
		}
	}
	return stop, stretch{}
}

// turned reports whether a literal that ends here is reversed at once.
func turned(rest []byte) bool {
	rest = bytes.TrimLeft(rest[:min(len(rest), 40)], "\"'=")
	for _, w := range []string{"[::-1]", ".split('').reverse()", `.split("").reverse()`} {
		if bytes.HasPrefix(rest, []byte(w)) {
			return true
		}
	}
	return false
}

// decodeRun decodes a run when its beginning gives something readable, nil
// otherwise. The beginning is a whole number of groups of base64.
func decodeRun(run []byte, decode func([]byte) []byte) []byte {
	if !looksReadable(decode(run[:min(len(run), 480)])) {
		return nil
	}
	return decode(run)
}

// alphabet returns a run without what is no part of it, such as the ends of
// lines, and in the usual alphabet.
func alphabet(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		switch {
		case c == '-':
			out = append(out, '+')
		case c == '_':
			out = append(out, '/')
		case isBase64[c]:
			out = append(out, c)
		}
	}
	return out
}

func runEnd(data []byte, i int) int {
	for i < len(data) && isBase64[data[i]] {
		i++
	}
	return i
}

// lineBegin returns where the text of the next line begins when end is the end
// of a line, 0 otherwise. Quotes and signs that join literals are passed over.
func lineBegin(data []byte, end int) int {
	i := end
	for i < len(data) && i < end+8 && bytes.IndexByte([]byte("\"'+,\\n \t\r"), data[i]) >= 0 && data[i] != '\n' {
		if data[i] == 'n' && data[i-1] != '\\' {
			return 0
		}
		i++
	}
	if i >= len(data) || data[i] != '\n' {
		return 0
	}
	i++
	for n := 0; i < len(data) && n < 40 && bytes.IndexByte([]byte("\"' \t+#>"), data[i]) >= 0; n++ {
		i++
	}
	if i < len(data) && isBase64[data[i]] {
		return i
	}
	return 0
}

// dataURI reports whether what begins at i is the content of an image or a font
// in a data URI.
func dataURI(data []byte, i int) bool {
	before := data[max(i-80, 0):i]
	k := bytes.LastIndex(before, []byte("data:"))
	if k < 0 {
		return false
	}
	for _, kind := range []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/x-icon", "image/bmp", "font/", "application/font", "application/x-font", "audio/", "video/"} {
		if bytes.HasPrefix(before[k+5:], []byte(kind)) {
			return true
		}
	}
	return false
}

func allHex(b []byte) bool {
	for _, c := range b {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}

func unhex(b []byte) []byte {
	out := make([]byte, len(b)/2)
	if _, err := hex.Decode(out, b[:len(b)&^1]); err != nil {
		return nil
	}
	return out
}

// unbase64 decodes a run without its padding.
func unbase64(b []byte) []byte {
	if len(b)%4 == 1 {
		b = b[:len(b)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(b)))
	n, err := base64.RawStdEncoding.Decode(out, b)
	if err != nil {
		return nil
	}
	return out[:n]
}

// looksReadable asks whether the beginning of decoded bytes can be text or something
// compressed. Random bytes fail at once, which is what hashes and images are.
func looksReadable(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	if packedAs(b) != "" || utf16Order(b) != 0 {
		return true
	}
	head := b[:min(len(b), 256)]
	bad := 0
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			bad++
		}
		i += n
	}
	return bad*20 < len(head)
}

// manyEscapes reads a row of \xNN, \uNNNN, \u{N} and octal escapes. Single other
// characters between them belong to it.
func manyEscapes(data []byte, i int) (int, stretch) {
	start, n, gap := i, 0, 0
	var out []byte
	for i < len(data) && len(out) < maxStretch {
		if data[i] == '\\' {
			if r, size, isByte := oneEscape(data[i:]); size > 0 {
				if isByte {
					out = append(out, byte(r))
				} else {
					out = utf8.AppendRune(out, r)
				}
				i += size
				n++
				gap = 0
				continue
			}
		}
		if n == 0 || gap >= 4 || data[i] < ' ' || data[i] == '"' || data[i] == '\'' {
			break
		}
		out = append(out, data[i])
		gap++
		i++
	}
	if n < minEscapes {
		return i, stretch{}
	}
	return i, stretch{start, i, "escapes", out}
}

// oneEscape decodes one escape at the beginning of b; size 0 means none.
func oneEscape(b []byte) (r rune, size int, isByte bool) {
	if len(b) < 4 {
		return 0, 0, false
	}
	switch b[1] {
	case 'x':
		if v, err := strconv.ParseUint(string(b[2:4]), 16, 8); err == nil {
			return rune(v), 4, true
		}
	case 'u':
		if b[2] == '{' {
			if k := bytes.IndexByte(b[:min(len(b), 11)], '}'); k > 3 {
				if v, err := strconv.ParseUint(string(b[3:k]), 16, 32); err == nil {
					return rune(v), k + 1, false
				}
			}
			return 0, 0, false
		}
		if len(b) >= 6 {
			if v, err := strconv.ParseUint(string(b[2:6]), 16, 16); err == nil {
				return rune(v), 6, false
			}
		}
	case '0', '1':
		if v, err := strconv.ParseUint(string(b[1:4]), 8, 8); err == nil {
			return rune(v), 4, true
		}
	}
	return 0, 0, false
}

// percentText reads URL-encoded text in which most characters are encoded, which
// nobody writes by hand.
func percentText(data []byte, i int) (int, stretch) {
	start, n, plain := i, 0, 0
	var out []byte
	for i < len(data) && len(out) < maxStretch {
		c := data[i]
		if c == '%' && i+2 < len(data) {
			if v, err := strconv.ParseUint(string(data[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(v))
				n++
				i += 3
				continue
			}
		}
		if n == 0 || !isBase64[c] && c != '.' && c != '~' && c != '*' && c != '(' && c != ')' || plain > 8*n+16 {
			break
		}
		out = append(out, c)
		plain++
		i++
	}
	if n < minEscapes {
		return max(i, start+1), stretch{}
	}
	return i, stretch{start, i, "URL-encoded text", out}
}

// charCodes reads a list of numbers that are the codes of characters.
func charCodes(data []byte, open int) (int, stretch) {
	var out []byte
	i, n := open+1, 0
	for i < len(data) && n < maxStretch {
		for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
			i++
		}
		at := i
		for i < len(data) && i-at < 8 && inASCIIWord(rune(data[i])) {
			i++
		}
		v, err := strconv.ParseUint(string(data[at:i]), 0, 16)
		if err != nil || v > 0xffff {
			return open + 1, stretch{}
		}
		if v < 0x100 {
			out = append(out, byte(v))
		} else {
			out = utf8.AppendRune(out, rune(v))
		}
		n++
		for i < len(data) && data[i] == ' ' {
			i++
		}
		if i >= len(data) || data[i] != ',' {
			break
		}
		i++
	}
	if n < minCodes || !looksReadable(out) {
		// The numbers are read once more at most, as words.
		return open + 1, stretch{}
	}
	return i, stretch{open, i, "a list of character codes", out}
}

// joinedLiteral reads string literals that are joined with + or stand side by side,
// and one that is reversed where it stands.
func joinedLiteral(data []byte, i int) (int, stretch) {
	start := i
	var out []byte
	pieces := 0
	end := i
	for {
		text, e := quotedLiteral(data, i)
		if e == 0 {
			break
		}
		out = append(out, text...)
		pieces++
		end = e
		next := e
		for next < len(data) && (data[next] == ' ' || data[next] == '\n' || data[next] == '\r' || data[next] == '\t' || data[next] == '+') {
			next++
		}
		if next >= len(data) || data[next] != '"' && data[next] != '\'' || !bytes.Contains(data[e:next], []byte("+")) || len(out) > maxLiteral {
			break
		}
		i = next
	}
	if pieces > 0 && turned(data[end:]) && len(out) >= 16 {
		return end, stretch{start, end, "reversed text", backwards(out)}
	}
	if pieces >= minPieces && len(out) >= 16 && len(out) < 24*pieces {
		return end, stretch{start, end, "text in pieces", out}
	}
	if pieces == 0 {
		// It has no end on its line, so none of the quotes in it has.
		line, _ := cutAt(data, start)
		return start + min(len(line), maxLiteral), stretch{}
	}
	return end, stretch{}
}

// quotedLiteral returns the content of the literal that begins at i, as it is written,
// and where it ends; 0 when it does not end on its line.
func quotedLiteral(data []byte, i int) (text []byte, end int) {
	q := data[i]
	for k := i + 1; k < len(data) && k-i < maxLiteral; k++ {
		switch data[k] {
		case '\\':
			k++
		case '\n':
			return nil, 0
		case q:
			return data[i+1 : k], k + 1
		}
	}
	return nil, 0
}

func backwards(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[len(b)-1-i] = c
	}
	return out
}
