package ui

import (
	"bytes"
	"encoding/json"
	"io"
)

// WriteJSON writes v as one document: two-space indent, final newline, no HTML
// escaping. Control characters are escaped by JSON itself; what is only
// invisible (bidi, zero-width, tags) is written as \u escapes, so that a
// document shown in a terminal or a log shows what it holds.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return writeAll(w, visibleJSON(b.Bytes()))
}

// visibleJSON escapes invisible runes of a JSON text. Outside strings JSON has
// only ASCII, so every such rune is inside one.
func visibleJSON(text []byte) []byte {
	if bytes.IndexFunc(text, hiddenInJSON) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if !hiddenInJSON(r) {
			out = append(out, string(r)...)
			continue
		}
		out = appendUTF16(out, r)
	}
	return out
}

func hiddenInJSON(r rune) bool { return r >= 0x7f && !shown(r) }

// appendUTF16 appends r as one \uXXXX or as a surrogate pair.
func appendUTF16(out []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	unit := func(v rune) {
		out = append(out, '\\', 'u', hex[v>>12&15], hex[v>>8&15], hex[v>>4&15], hex[v&15])
	}
	if r > 0xffff {
		r -= 0x10000
		unit(0xd800 + r>>10)
		unit(0xdc00 + r&0x3ff)
		return out
	}
	unit(r)
	return out
}
