package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2/unstable"
	"go.yaml.in/yaml/v3"
)

// Text is one string of a document.
type Text struct {
	Pointer string // JSON pointer (RFC 6901) of the value
	Value   string // without quotes and escapes
	// Offset is where the value begins in the document; Verbatim is true when
	// the value stands there byte for byte.
	Offset   int
	Verbatim bool
}

// maxOther is the largest YAML or TOML document whose strings are listed. Their
// readers have no bounds of their own worth relying on.
const maxOther = 1 << 20

// ErrTooLarge is a document above what is read.
var ErrTooLarge = errors.New("the document is too large")

// JSONStrings calls fn for every string value of a JSON document, and for every
// name of a member, with the pointer of its value, in order. Repeated names are
// all seen. It stops at the first fault of the document and returns it; fn
// ends it early by returning false.
func JSONStrings(data []byte, fn func(Text) bool) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		before := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case dec.StackDepth() > MaxDepth:
			return fmt.Errorf("more than %d levels deep", MaxDepth)
		case tok.Kind() != '"':
			continue
		}
		value := tok.String()
		at := skipFrom(data, before)
		for at < len(data) && (data[at] == ',' || data[at] == ':') {
			at = skipFrom(data, at+1)
		}
		t := Text{Pointer: string(dec.StackPointer()), Value: value, Offset: at + 1}
		t.Verbatim = stands(data, t.Offset, value)
		if !fn(t) {
			return nil
		}
	}
}

// YAMLStrings does the same for a YAML document. Aliases are not followed, so a
// document cannot grow while it is read.
func YAMLStrings(data []byte, fn func(Text) bool) error {
	if len(data) > maxOther {
		return ErrTooLarge
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	lines := lineStarts(data)
	for {
		var root yaml.Node
		switch err := dec.Decode(&root); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read YAML: %w", err)
		}
		if !yamlStrings(data, lines, &root, "", 0, fn) {
			return nil
		}
	}
}

func yamlStrings(data []byte, lines []int, n *yaml.Node, pointer string, depth int, fn func(Text) bool) bool {
	if depth > MaxDepth {
		return true
	}
	switch n.Kind {
	case yaml.DocumentNode:
		for _, c := range n.Content {
			if !yamlStrings(data, lines, c, pointer, depth+1, fn) {
				return false
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			at := pointer + Pointer(n.Content[i].Value)
			if !yamlStrings(data, lines, n.Content[i], at, depth+1, fn) || !yamlStrings(data, lines, n.Content[i+1], at, depth+1, fn) {
				return false
			}
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			if !yamlStrings(data, lines, c, pointer+Pointer(i), depth+1, fn) {
				return false
			}
		}
	case yaml.ScalarNode:
		t := Text{Pointer: pointer, Value: n.Value}
		if n.Line > 0 && n.Line <= len(lines) {
			t.Offset = columnAt(data, lines[n.Line-1], n.Column)
		}
		if !stands(data, t.Offset, t.Value) {
			t.Verbatim = stands(data, t.Offset+1, t.Value) // behind a quote
			if t.Verbatim {
				t.Offset++
			}
		} else {
			t.Verbatim = true
		}
		return fn(t)
	}
	return true
}

// TOMLStrings does the same for a TOML document; names of keys are not told.
func TOMLStrings(data []byte, fn func(Text) bool) error {
	if len(data) > maxOther {
		return ErrTooLarge
	}
	var p unstable.Parser
	p.Reset(data)
	var table []any
	count := map[string]int{} // elements of each list of tables so far
	for p.NextExpression() {
		n := p.Expression()
		var keys []any
		for it := n.Key(); it.Next(); {
			keys = append(keys, string(it.Node().Data))
		}
		if len(keys) > MaxDepth {
			return fmt.Errorf("more than %d levels deep", MaxDepth)
		}
		if n.Kind != unstable.KeyValue {
			table = keys
			if n.Kind == unstable.ArrayTable {
				name := Pointer(keys...)
				table = append(table, count[name])
				count[name]++
			}
			continue
		}
		if !tomlStrings(data, n.Value(), Pointer(append(table[:len(table):len(table)], keys...)...), 0, fn) {
			return nil
		}
	}
	if err := p.Error(); err != nil {
		return fmt.Errorf("read TOML: %w", err)
	}
	return nil
}

func tomlStrings(data []byte, n *unstable.Node, pointer string, depth int, fn func(Text) bool) bool {
	if depth > MaxDepth {
		return true
	}
	switch n.Kind {
	case unstable.String:
		t := Text{Pointer: pointer, Value: string(n.Data), Offset: int(n.Raw.Offset)}
		for q := 0; q < 4 && !t.Verbatim; q++ { // behind one or three quotes, and a newline
			if t.Verbatim = stands(data, t.Offset+q, t.Value); t.Verbatim {
				t.Offset += q
			}
		}
		return fn(t)
	case unstable.Array:
		i := 0
		for it := n.Children(); it.Next(); i++ {
			if !tomlStrings(data, it.Node(), pointer+Pointer(i), depth+1, fn) {
				return false
			}
		}
	case unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			var keys []any
			for k := it.Node().Key(); k.Next(); {
				keys = append(keys, string(k.Node().Data))
			}
			if !tomlStrings(data, it.Node().Value(), pointer+Pointer(keys...), depth+1, fn) {
				return false
			}
		}
	}
	return true
}

// stands reports whether value is at an offset of data.
func stands(data []byte, offset int, value string) bool {
	return offset >= 0 && offset <= len(data) && bytes.HasPrefix(data[offset:], []byte(value))
}

func lineStarts(data []byte) []int {
	out := []int{0}
	for i, c := range data {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// columnAt returns the offset of a 1-based column, in code points.
func columnAt(data []byte, at, column int) int {
	for ; column > 1 && at < len(data); column-- {
		at++
		for at < len(data) && data[at]&0xC0 == 0x80 {
			at++
		}
	}
	return at
}
