package syntax

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Locate returns the position of the value that an RFC 6901 pointer names, such
// as "/tools/0/name". When part of the pointer is not in the document, the
// position is that of the deepest value that is. Of duplicate keys the last
// counts, as in [Decode].
func Locate(data []byte, pointer string) (line, col int) {
	s := find(data, pointer)
	return PositionAt(data, s.start)
}

// LocateKey is [Locate] for the name of the member instead of its value. For a
// list element, and for the whole document, both are the same.
func LocateKey(data []byte, pointer string) (line, col int) {
	s := find(data, pointer)
	return PositionAt(data, s.key)
}

// span is where a value is in the text: its bytes, and where its key starts
// (equal to start when it has none). found is false when only an ancestor is.
type span struct {
	key, start, end int
	found           bool
}

// find walks to pointer. Documents with faults are followed as far as they can
// be read, since positions are most wanted there.
func find(data []byte, pointer string) span {
	s := span{}
	s.start = skipFrom(data, 0)
	s.key, s.end, s.found = s.start, s.start, true
	if depthFault(data) >= 0 {
		return s
	}
	tokens, ok := splitPointer(pointer)
	if len(tokens) == 0 {
		s.end = valueEnd(data, s.start)
	}
	for _, tok := range tokens {
		next, there := child(data, s, tok)
		if !there {
			s.found = false
			return s
		}
		s = next
	}
	s.found = ok && s.end > s.start
	return s
}

// child returns the member or element tok of the value at s.
func child(data []byte, s span, tok string) (c span, ok bool) {
	eachChild(data, s.start, func(name string, index int, at span) {
		if index < 0 && name == tok || index >= 0 && strconv.Itoa(index) == tok {
			c, ok = at, true
		}
	})
	return c, ok
}

// eachChild calls fn for each member (index -1) or element of the object or
// list that starts at offset, until the first fault.
func eachChild(data []byte, offset int, fn func(name string, index int, at span)) {
	dec := lenientDecoder(data[offset:])
	open, err := dec.ReadToken()
	if err != nil || open.Kind() != '{' && open.Kind() != '[' {
		return
	}
	object := open.Kind() == '{'
	for i := 0; ; i++ {
		if k := dec.PeekKind(); k == '}' || k == ']' || k == 0 {
			return
		}
		var at span
		var name string
		index := i
		at.key = skipFrom(data, offset+int(dec.InputOffset()))
		if object {
			tok, err := dec.ReadToken()
			if err != nil {
				return
			}
			name, index = tok.String(), -1
		}
		at.start = skipFrom(data, offset+int(dec.InputOffset()))
		if !object {
			at.key = at.start
		}
		err := dec.SkipValue()
		at.end = offset + int(dec.InputOffset())
		at.found = err == nil
		fn(name, index, at)
		if err != nil {
			return
		}
	}
}

// valueEnd returns the end of the value at offset, or offset when it is broken.
func valueEnd(data []byte, offset int) int {
	dec := lenientDecoder(data[offset:])
	if dec.SkipValue() != nil {
		return offset
	}
	return offset + int(dec.InputOffset())
}

// lenientDecoder reads everything that has the shape of JSON.
func lenientDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// skipFrom returns the offset of the next token at or after offset: the
// decoder stops right after a token, before blanks, colon and comma.
func skipFrom(data []byte, offset int) int {
	if offset == 0 && bytes.HasPrefix(data, []byte(bom)) {
		offset = len(bom)
	}
	for offset < len(data) && strings.IndexByte(" \t\r\n,:", data[offset]) >= 0 {
		offset++
	}
	return offset
}

// splitPointer returns the unescaped tokens of an RFC 6901 pointer; ok is
// false for text that is not one.
func splitPointer(pointer string) (tokens []string, ok bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens = strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		if strings.Contains(t, "~") {
			tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
		}
	}
	return tokens, true
}

// Pointer builds an RFC 6901 pointer from member names and element indexes
// (strings and ints).
func Pointer(parts ...any) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteByte('/')
		switch p := p.(type) {
		case int:
			b.WriteString(strconv.Itoa(p))
		case string:
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(p, "~", "~0"), "/", "~1"))
		}
	}
	return b.String()
}
