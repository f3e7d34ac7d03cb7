package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRepairs bounds how often a document is parsed again after a fault.
const maxRepairs = 64

// document is a text that parses: a copy of the original in which every syntax
// fault is overwritten by something harmless of the same length, so that
// offsets stay those of the original.
type document struct {
	text        []byte
	placeholder map[int]bool // offsets of values that stand for a broken one
}

// repair reports every syntax fault and returns the document without them, so
// that faults of meaning can be looked for as well. ok is false when a fault
// cannot be stepped over; the faults before it have been reported.
func repair(data []byte, f *findings) (doc document, ok bool) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		f.add(ruleSyntax, 0, "save the file as UTF-8", "the file is UTF-16, want UTF-8")
		return doc, false
	}
	doc = document{text: bytes.Clone(data), placeholder: map[int]bool{}}
	if bytes.HasPrefix(data, []byte(bom)) {
		f.add(ruleBOM, 0, "", "the file starts with a byte order mark")
		blank(doc.text, 0, len(bom))
	}
	if len(bytes.TrimSpace(doc.text)) == 0 {
		f.add(ruleSyntax, 0, "", "the file is empty")
		return doc, false
	}
	if at := depthFault(data); at >= 0 {
		f.add(ruleSyntax, at, "", "nesting is deeper than %d", MaxDepth)
		return doc, false
	}
	last := -1
	for range maxRepairs {
		at, reason, broken := firstFault(doc.text)
		if !broken {
			encodingFaults(data, f)
			return doc, true
		}
		if at < last || !doc.step(at, reason, f) {
			at, msg := faultText(doc.text, at, reason)
			f.add(ruleSyntax, at, "", "%s", msg)
			return doc, false
		}
		last = at
	}
	f.add(ruleSyntax, last, "", "too many syntax faults; the rest of the file was not read")
	return doc, false
}

// firstFault parses text and returns the offset and the library's words for
// the first thing that is not JSON.
func firstFault(text []byte) (at int, reason string, broken bool) {
	dec := lenientDecoder(text)
	err := dec.SkipValue()
	if err == nil {
		at = skipBlanks(text, int(dec.InputOffset()))
		return at, "after top-level value", at < len(text)
	}
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return int(se.ByteOffset), se.Err.Error(), true
	}
	// The library gives a bare io.EOF for text that ends before a value.
	return len(text), "unexpected EOF", true
}

// step reports the fault at an offset and overwrites it, if it is one of the
// known ones.
func (d *document) step(at int, reason string, f *findings) bool {
	t := d.text
	if at >= len(t) {
		return false
	}
	rest := t[at:]
	lineEnd := at + lineLength(rest)
	switch {
	case bytes.HasPrefix(rest, []byte("//")), rest[0] == '#':
		f.add(ruleSyntax, at, "remove the comment", "comments are not allowed in JSON")
		blank(t, at, lineEnd)
		return true
	case bytes.HasPrefix(rest, []byte("/*")):
		end := bytes.Index(rest[2:], []byte("*/"))
		if end < 0 {
			return false
		}
		f.add(ruleSyntax, at, "remove the comment", "comments are not allowed in JSON")
		blank(t, at, at+2+end+2)
		return true
	case conflictMarker(t, at):
		f.add(ruleSyntax, at, "resolve the merge conflict and remove the marker lines", "a merge conflict marker is left in the file")
		blank(t, at, lineEnd)
		return true
	case strings.Contains(reason, "after top-level value"):
		if rest[0] == '}' || rest[0] == ']' {
			f.add(ruleSyntax, at, "remove it", "%q closes nothing; the document ended before", rest[:1])
		} else {
			f.add(ruleSyntax, at, "remove everything after the document", "text follows after the end of the document")
		}
		blank(t, at, len(t))
		return true
	case rest[0] == ',' && strings.Contains(reason, "at start of value"):
		if next := skipBlanks(t, at+1); next < len(t) && (t[next] == '}' || t[next] == ']') {
			f.add(ruleSyntax, at, "remove the comma", "a comma before %q; JSON has no trailing commas", t[next:next+1])
		} else {
			f.add(ruleSyntax, at, "remove the comma", "a comma with no value before it")
		}
		t[at] = ' '
		return true
	case strings.Contains(reason, "in string") && rest[0] < ' ' && rest[0] != '\n' && rest[0] != '\r':
		f.add(ruleSyntax, at, "write it as an escape such as \\t", "the control character U+%04X is inside a string", rest[0])
		t[at] = ' '
		return true
	case strings.Contains(reason, "escape sequence") && rest[0] == '\\':
		f.add(ruleSyntax, at, `write \\ for a backslash`, "%q is not an escape that JSON has", clipEscape(rest))
		t[at] = ' '
		return true
	case d.stepMissingComma(at, reason, f):
		return true
	}
	return d.stepWord(at, reason, f)
}

// stepMissingComma puts a comma into the blank before a value that follows
// another one, when what follows can be a member or an element.
func (d *document) stepMissingComma(at int, reason string, f *findings) bool {
	t := d.text
	if at == 0 || !isBlank(t[at-1]) {
		return false
	}
	switch {
	case strings.Contains(reason, "after object value") && t[at] == '"':
		end := valueEnd(t, at)
		if colon := skipBlanks(t, end); end == at || colon >= len(t) || t[colon] != ':' {
			return false
		}
	case strings.Contains(reason, "after array element") && strings.IndexByte(`"{[`, t[at]) >= 0:
	default:
		return false
	}
	f.add(ruleSyntax, at, "write a comma after the value before", "a comma is missing before this")
	t[at-1] = ','
	return true
}

// stepWord takes out a word that stands where a value should: NaN, True, 01,
// +5, .5, 0x1F.
func (d *document) stepWord(at int, reason string, f *findings) bool {
	t := d.text
	start, end := wordAround(t, at)
	next := skipBlanks(t, end)
	if start == end || d.placeholder[start] || next < len(t) && t[next] == ':' ||
		strings.Contains(reason, "in string") || strings.Contains(reason, "object name") || !looksLikeValue(t[start:end]) {
		return false
	}
	// Only a word in the place of a value; a bare word after a value is text
	// that cannot be stepped over.
	if p := bytes.TrimRight(t[:start], " \t\r\n"); len(p) > 0 && strings.IndexByte(":,[", p[len(p)-1]) < 0 {
		return false
	}
	f.add(ruleSyntax, start, "", "%s is not a JSON value", quote(string(t[start:end])))
	blank(t, start, end)
	t[start] = '0'
	d.placeholder[start] = true
	return true
}

// looksLikeValue reports whether a word is a value of another language or a
// number in a spelling that JSON does not have, rather than loose text.
func looksLikeValue(word []byte) bool {
	switch strings.ToLower(strings.TrimLeft(string(word), "+-")) {
	case "nan", "infinity", "inf", "undefined", "none", "nil", "null", "true", "false", "yes", "no", "on", "off":
		return true
	}
	return strings.IndexByte("+-.0123456789", word[0]) >= 0
}

// faultText says in plain words what is wrong at a fault that ends the reading,
// and where to point.
func faultText(t []byte, at int, reason string) (int, string) {
	if at >= len(t) || strings.Contains(reason, "unexpected EOF") {
		return len(t), "the document ends too early: a string, object or list is not closed"
	}
	c, _ := utf8.DecodeRune(t[at:])
	inString := strings.Contains(reason, "in string")
	switch {
	case inString && (c == '\n' || c == '\r'):
		return at, "the string is not closed on this line"
	case c == '\'':
		return at, "names and strings need double quotes"
	case !inString && isWord(t[at]):
		start, end := wordAround(t, at)
		if next := skipBlanks(t, end); next < len(t) && t[next] == ':' {
			return start, fmt.Sprintf("the name %s needs double quotes", quote(string(t[start:end])))
		}
		return start, fmt.Sprintf("%s is not expected here; strings need double quotes", quote(string(t[start:end])))
	case strings.Contains(reason, "object name (expecting ':')"):
		return at, fmt.Sprintf("%q stands where the colon after a name is expected", c)
	case strings.Contains(reason, "after object value"):
		return at, fmt.Sprintf("%q stands where a comma or } is expected", c)
	case strings.Contains(reason, "after array element"):
		return at, fmt.Sprintf("%q stands where a comma or ] is expected", c)
	case strings.Contains(reason, "object member name must be a string"):
		return at, "a name in double quotes is expected here"
	case strings.Contains(reason, "start of value"):
		return at, fmt.Sprintf("%q cannot start a name or value", c)
	}
	return at, reason
}

// wordAround returns the word that covers or ends at an offset.
func wordAround(t []byte, at int) (start, end int) {
	start, end = at, at
	for start > 0 && isWord(t[start-1]) {
		start--
	}
	for end < len(t) && isWord(t[end]) {
		end++
	}
	return start, end
}

// encodingFaults reports bytes that are not UTF-8 and halves of surrogate
// pairs. text has no other fault, so a backslash is always inside a string.
func encodingFaults(text []byte, f *findings) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\\':
			n, lone := escapeAt(text[i:])
			if lone {
				f.add(ruleEncoding, i, "", "%q is half of a surrogate pair", text[i:i+n])
			}
			i += n
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				f.add(ruleEncoding, i, "", "the byte 0x%02X is not UTF-8", c)
				for n < len(text)-i && !utf8.RuneStart(text[i+n]) {
					n++ // one finding for one broken character
				}
			}
			i += n
		}
	}
}

// escapeAt returns the length of the escape that b starts with, a whole
// surrogate pair counted as one, and whether it is a lone surrogate.
func escapeAt(b []byte) (n int, lone bool) {
	hi, ok := unit(b)
	switch {
	case !ok:
		return min(2, len(b)), false
	case hi >= 0xDC00 && hi <= 0xDFFF:
		return 6, true
	case hi < 0xD800 || hi > 0xDFFF:
		return 6, false
	}
	if lo, ok := unit(b[6:]); ok && lo >= 0xDC00 && lo <= 0xDFFF {
		return 12, false
	}
	return 6, true
}

// unit reads a \uXXXX escape.
func unit(b []byte) (v rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return 0, false
		}
		v = v<<4 | rune(d)
	}
	return v, true
}

// conflictMarker reports whether a git conflict marker line starts at offset.
func conflictMarker(t []byte, at int) bool {
	if at > 0 && t[at-1] != '\n' {
		return false
	}
	for _, m := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if bytes.HasPrefix(t[at:], []byte(m)) {
			return true
		}
	}
	return false
}

func clipEscape(b []byte) []byte {
	_, n := utf8.DecodeRune(b[min(1, len(b)):])
	return b[:min(1+n, len(b))]
}

// blank overwrites t[start:end] with spaces and keeps its line breaks.
func blank(t []byte, start, end int) {
	for i := start; i < end; i++ {
		if t[i] != '\n' && t[i] != '\r' {
			t[i] = ' '
		}
	}
}

// lineLength returns the number of bytes before the end of the first line.
func lineLength(b []byte) int {
	if n := bytes.IndexAny(b, "\r\n"); n >= 0 {
		return n
	}
	return len(b)
}

func skipBlanks(t []byte, at int) int {
	for at < len(t) && isBlank(t[at]) {
		at++
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isWord(c byte) bool {
	return c == '+' || c == '-' || c == '.' || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
