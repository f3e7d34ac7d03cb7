package syntax

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pinion/problem"
)

var (
	strictOptions  = json.JoinOptions(json.RejectUnknownMembers(true))
	ignoreOptions  = json.JoinOptions(json.RejectUnknownMembers(false))
	salvageOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true))
)

// Decode reads the JSON document data into v, a pointer to a struct with `json`
// tags (or any other Go type), whose former content is overwritten. It returns
// nil when there is nothing to report.
//
// With problems, v still holds what could be read: values of a wrong type are
// left zero, of duplicate keys the last one counts, unknown keys are skipped.
// Only a document whose syntax cannot be followed leaves v zero. null counts as
// a wrong type unless the Go type is a pointer, an interface, [Raw] or decodes
// itself. Names match exactly, never by case (security 3.4 rows 61-65).
func Decode(data []byte, v any, opts Options) problem.List {
	if depthFault(data) < 0 && !hasNull(data) {
		o := ignoreOptions
		if opts.RejectUnknown {
			o = strictOptions
		}
		if json.Unmarshal(trimBlanks(data), v, o) == nil {
			return nil
		}
	}
	return explain(data, v, opts)
}

// trimBlanks returns data without the blanks after the document, over which the
// library goes byte by byte. Empty lines go sixteen at a time.
func trimBlanks(data []byte) []byte {
	const lines = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
	for n := len(data) - len(lines); n >= 0 && string(data[n:]) == lines; n -= len(lines) {
		data = data[:n]
	}
	return bytes.TrimRight(data, " \t\r\n")
}

// explain finds everything that is wrong with data, and decodes the rest.
func explain(data []byte, v any, opts Options) problem.List {
	target := reflect.ValueOf(v).Elem()
	target.SetZero() // the fast pass may have left half of a value
	f := &findings{opts: opts}
	doc, ok := repair(data, f)
	if !ok {
		return f.list(data)
	}
	w := newWalker(doc, f)
	w.value(target.Type())
	clean := w.cleaned()

	// A key that the walker overlooked must not become silently accepted.
	reject := opts.RejectUnknown && !f.has(ruleUnknown)
	if err := json.Unmarshal(clean, v, salvageOptions, json.RejectUnknownMembers(reject)); err != nil {
		offset, msg := 0, err.Error()
		if se, is := errors.AsType[*json.SemanticError](err); is {
			offset, msg = find(data, string(se.JSONPointer)).start, semanticText(se)
		}
		if !f.has(ruleType) {
			f.add(ruleType, offset, "", "%s", msg)
		}
	}
	return f.list(data)
}

// semanticText returns the reason of a decode error without the library's
// words for where it happened.
func semanticText(se *json.SemanticError) string {
	if se.Err == nil {
		return "the value is of the wrong type"
	}
	// A type that decodes itself with this library gives an error in an error.
	if inner, ok := errors.AsType[*json.SemanticError](se.Err); ok {
		return semanticText(inner)
	}
	return se.Err.Error()
}

// TooDeep reports whether data nests deeper than [MaxDepth], so that [Decode]
// reads nothing of it while other programs may read all.
func TooDeep(data []byte) bool { return depthFault(data) >= 0 }

// depthFault returns the offset of the bracket that nests deeper than MaxDepth,
// or -1. It runs before any recursion.
func depthFault(data []byte) int { return depthBelow(data, MaxDepth) }

// depthBelow returns the offset of the bracket that nests deeper than limit, or
// -1. Brackets in strings do not count.
func depthBelow(data []byte, limit int) int {
	// Fewer opening brackets than the limit cannot nest beyond it, and counting
	// them is a hundred times faster than looking at every byte.
	if bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) <= limit {
		return -1
	}
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '[', '{':
			if depth++; depth > limit {
				return i
			}
		case ']', '}':
			depth--
		}
	}
	return -1
}

// stringEnd returns the offset of the quote that ends the string beginning at
// i, or the length of data.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return len(data)
		}
		esc := bytes.IndexByte(data[i:i+n], '\\')
		if esc < 0 {
			return i + n
		}
		i += esc + 1 // the escaped character, then on behind it
	}
	return len(data)
}

// hasNull reports whether null may appear as a value. The library turns null
// into a zero value of any type, so such documents are looked at closely.
func hasNull(data []byte) bool {
	for rest := data; ; {
		i := bytes.Index(rest, []byte("null"))
		if i < 0 {
			return false
		}
		before := bytes.TrimRight(rest[:i], " \t\r\n")
		if n := len(before); n == 0 || before[n-1] == ':' || before[n-1] == ',' || before[n-1] == '[' {
			return true
		}
		rest = rest[i+4:]
	}
}
