package catalog

import (
	"bytes"
	"iter"
	"strings"

	"pinion/internal/syntax"
)

// The functions of this file take apart JSON text whose syntax has been checked
// by internal/syntax: they give offsets, which a decoder does not, and keep no
// value in memory. On any other text they stop early.

// span is a value in a text: text[start:end].
type span struct{ start, end int }

// skipBlank returns the offset of the next token at or after i.
func skipBlank(text []byte, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
		default:
			return i
		}
	}
	return i
}

// stringEnd returns the offset after the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			break
		}
		escape := bytes.IndexByte(text[i:i+n], '\\')
		if escape < 0 {
			return i + n + 1
		}
		i += escape + 1 // the escaped character, then on behind it
	}
	return len(text)
}

// valueEnd returns the offset after the value that begins at i.
func valueEnd(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		for depth := 0; i < len(text); i++ {
			switch text[i] {
			case '"':
				i = stringEnd(text, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(text)
	}
	for i < len(text) && strings.IndexByte(" \t\r\n,:]}", text[i]) < 0 {
		i++
	}
	return i
}

// members yields the name and value of each member of the object at i.
func members(text []byte, i int) iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		if i >= len(text) || text[i] != '{' {
			return
		}
		for i = skipBlank(text, i+1); i < len(text) && text[i] == '"'; i = skipBlank(text, i) {
			end := stringEnd(text, i)
			name := unquote(text[i:end])
			i = skipBlank(text, end)
			value := span{i, valueEnd(text, i)}
			if i = value.end; !yield(name, value) {
				return
			}
		}
	}
}

// elements yields each element of the list at i.
func elements(text []byte, i int) iter.Seq[span] {
	return func(yield func(span) bool) {
		if i >= len(text) || text[i] != '[' {
			return
		}
		for i = skipBlank(text, i+1); i < len(text) && text[i] != ']'; i = skipBlank(text, i) {
			value := span{i, valueEnd(text, i)}
			if value.end == value.start {
				return
			}
			if i = value.end; !yield(value) {
				return
			}
		}
	}
}

// member returns the last member of a name, the one that counts.
func member(text []byte, i int, name string) (found span, ok bool) {
	for n, v := range members(text, i) {
		if n == name {
			found, ok = v, true
		}
	}
	return found, ok
}

// unquote returns the text of a JSON string.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		if len(quoted) < 2 {
			return ""
		}
		return string(quoted[1 : len(quoted)-1])
	}
	s, _ := syntax.Unquote(quoted)
	return s
}

// documentStart returns the offset of the first token.
func documentStart(data []byte) int {
	return skipBlank(data, len(data)-len(syntax.TrimBOM(data)))
}
