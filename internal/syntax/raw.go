package syntax

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is one JSON value as its text, so that other packages can keep values
// they do not interpret. As a field it accepts every JSON value.
type Raw = jsontext.Value

// Unquote returns the text of a JSON string, and false when it is none.
func Unquote(quoted []byte) (string, bool) {
	text, err := jsontext.AppendUnquote(nil, quoted)
	return string(text), err == nil
}

// Canonical returns the RFC 8785 form of a JSON value: sorted keys, no blanks,
// one spelling of each number and string. The error says why raw is not JSON.
func Canonical(raw []byte) ([]byte, error) {
	if at := depthFault(raw); at >= 0 {
		return nil, fmt.Errorf("canonical JSON: nesting is deeper than %d", MaxDepth)
	}
	v := Raw(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return v, nil
}

// Encode writes v as JSON the way Pinion keeps files: two-space indent, final
// newline, no HTML escaping, struct fields in their order, map keys sorted,
// an empty list or map for nil. Same value, same bytes.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := json.MarshalWrite(&b, v, json.Deterministic(true), jsontext.Multiline(true), jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Compact is [Encode] on one line, without the final newline.
func Compact(v any) ([]byte, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return b, nil
}
