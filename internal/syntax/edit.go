package syntax

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotFound means that a pointer names nothing in the document.
var ErrNotFound = errors.New("no such value in the document")

// Replace returns data with the value that an RFC 6901 pointer names replaced
// by value, which must be valid JSON. Every byte outside the old value stays:
// blanks, line ends, a byte order mark. The new value is laid out like its
// surroundings. The error is [ErrNotFound], or says what is not JSON.
func Replace(data []byte, pointer string, value []byte) ([]byte, error) {
	if err := editable(data, value); err != nil {
		return nil, err
	}
	at := find(data, pointer)
	if !at.found {
		return nil, fmt.Errorf("%s: %w", pointer, ErrNotFound)
	}
	old := data[at.start:at.end]
	// A list on one line stays on one line; an empty one has no layout of its
	// own and takes that of the document.
	composite := old[0] == '[' || old[0] == '{'
	empty := composite && len(bytes.TrimSpace(old[1:len(old)-1])) == 0
	lines := bytes.IndexByte(old, '\n') >= 0 || (empty || !composite) && bytes.IndexByte(data, '\n') >= 0
	text, err := layout(data, value, indentOf(data, at.start), lines)
	if err != nil {
		return nil, err
	}
	return splice(data, at.start, at.end, text), nil
}

// Append is [Insert] at the end of the list.
func Append(data []byte, pointer string, value []byte) ([]byte, error) {
	return Insert(data, pointer, -1, value)
}

// Insert returns data with value added to the list that pointer names, before
// element index; an index of -1 or the length adds at the end. All other bytes
// stay, and the new element is set apart like its neighbours.
func Insert(data []byte, pointer string, index int, value []byte) ([]byte, error) {
	if err := editable(data, value); err != nil {
		return nil, err
	}
	list := find(data, pointer)
	if !list.found || data[list.start] != '[' {
		return nil, fmt.Errorf("list %q: %w", pointer, ErrNotFound)
	}
	items := children(data, list.start)
	if index < 0 {
		index = len(items)
	}
	if index > len(items) {
		return nil, fmt.Errorf("list %q has %d elements, index %d: %w", pointer, len(items), index, ErrNotFound)
	}
	if len(items) == 0 {
		return Replace(data, pointer, bytes.Join([][]byte{[]byte("["), value, []byte("]")}, nil))
	}
	return insertChild(data, items, index, nil, value)
}

// SetMember returns data with member key of the object that pointer names set
// to value: replaced in its place when it is there, else added as the last one.
func SetMember(data []byte, pointer, key string, value []byte) ([]byte, error) {
	if err := editable(data, value); err != nil {
		return nil, err
	}
	object := find(data, pointer)
	if !object.found || data[object.start] != '{' {
		return nil, fmt.Errorf("object %q: %w", pointer, ErrNotFound)
	}
	if member := pointer + Pointer(key); find(data, member).found {
		return Replace(data, member, value)
	}
	name, err := jsontext.AppendQuote(nil, key)
	if err != nil {
		return nil, fmt.Errorf("member name %q: %w", key, err)
	}
	name = append(name, ':')
	items := children(data, object.start)
	if len(items) == 0 {
		return Replace(data, pointer, bytes.Join([][]byte{[]byte("{"), name, value, []byte("}")}, nil))
	}
	last := items[len(items)-1]
	if colon := bytes.LastIndexByte(data[last.key:last.start], ':'); colon < 0 || last.key+colon+1 < last.start {
		name = append(name, ' ')
	}
	return insertChild(data, items, len(items), name, value)
}

// insertChild puts prefix and value before the child index, with the blanks
// that the other children have before them.
func insertChild(data []byte, items []span, index int, prefix, value []byte) ([]byte, error) {
	gap := []byte(" ")
	if like := min(max(index, 1), len(items)-1); like > 0 || bytes.IndexByte(gapBefore(data, items[0].key), '\n') >= 0 {
		gap = gapBefore(data, items[like].key)
	}
	indent := gap[bytes.LastIndexByte(gap, '\n')+1:]
	lines := len(indent) < len(gap)
	if !lines {
		indent = nil
	}
	text, err := layout(data, value, indent, lines)
	if err != nil {
		return nil, err
	}
	text = append(bytes.Clone(prefix), text...)
	if index == len(items) {
		end := items[index-1].end
		return splice(data, end, end, bytes.Join([][]byte{[]byte(","), gap, text}, nil)), nil
	}
	at := items[index].key
	return splice(data, at, at, bytes.Join([][]byte{text, []byte(","), gap}, nil)), nil
}

func children(data []byte, offset int) (items []span) {
	eachChild(data, offset, func(_ string, _ int, at span) { items = append(items, at) })
	return items
}

// gapBefore returns the blanks right before offset.
func gapBefore(data []byte, offset int) []byte {
	start := offset
	for start > 0 && isBlank(data[start-1]) {
		start--
	}
	return data[start:offset]
}

// editable refuses texts in which an edit could not be placed.
func editable(data, value []byte) error {
	if depthFault(data) >= 0 || depthFault(value) >= 0 {
		return fmt.Errorf("edit JSON: nesting is deeper than %d", MaxDepth)
	}
	if _, reason, broken := firstFault(TrimBOM(data)); broken {
		return fmt.Errorf("edit JSON: %s", reason)
	}
	if !Raw(value).IsValid() {
		return errors.New("edit JSON: the new value is not valid JSON")
	}
	return nil
}

// layout formats value for a line that begins with indent: on several lines or
// on one, with the document's indent unit and line ends.
func layout(data, value, indent []byte, lines bool) ([]byte, error) {
	v := Raw(bytes.Clone(bytes.TrimSpace(value)))
	if !lines {
		err := v.Format(jsontext.PreserveRawStrings(true), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
		return v, err
	}
	if err := v.Indent(jsontext.WithIndentPrefix(string(indent)), jsontext.WithIndent(indentUnit(data))); err != nil {
		return nil, err
	}
	if nl := bytes.IndexByte(data, '\n'); nl > 0 && data[nl-1] == '\r' {
		return bytes.ReplaceAll(v, []byte("\n"), []byte("\r\n")), nil
	}
	return v, nil
}

// indentUnit returns the blanks of the first indented line, two spaces when
// there is none.
func indentUnit(data []byte) string {
	for line := range bytes.Lines(data) {
		text := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(text); n > 0 && len(bytes.TrimSpace(text)) > 0 {
			return string(line[:n])
		}
	}
	return "  "
}

// indentOf returns the blanks at the start of the line of offset.
func indentOf(data []byte, offset int) []byte {
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	end := start
	for end < offset && (data[end] == ' ' || data[end] == '\t') {
		end++
	}
	return data[start:end]
}

func splice(data []byte, start, end int, with []byte) []byte {
	return bytes.Join([][]byte{data[:start], with, data[end:]}, nil)
}
