package syntax

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"pinion/problem"
)

// Any decodes data into the types that JSON Schema validators take:
// map[string]any, []any, string, bool, nil, and encoding/json's Number, so that
// large integers stay exact. Numbers that a float64 cannot hold are refused:
// computing with 1e1000000000 would not end (security 3.4 row 65).
//
// With problems, the value is what could be read, or nil.
func Any(data []byte) (any, problem.List) {
	if depthFault(data) < 0 {
		if v, err := generic(data); err == nil {
			return v, nil
		}
	}
	f := &findings{}
	doc, ok := repair(data, f)
	if !ok {
		return nil, f.list(data)
	}
	w := newWalker(doc, f)
	w.value(nil)
	v, err := generic(w.cleaned(), jsontext.AllowInvalidUTF8(true))
	if err != nil && len(f.all) == 0 {
		f.add(ruleSyntax, 0, "", "%s", err)
	}
	return v, f.list(data)
}

// generic reads one document. Its nesting has been checked.
func generic(data []byte, opts ...jsontext.Options) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), opts...)
	v, err := genericValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("text follows after the document")
	}
	return v, nil
}

func genericValue(dec *jsontext.Decoder) (any, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case '{':
		m := map[string]any{}
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			if m[key], err = genericValue(dec); err != nil {
				return nil, err
			}
		}
		_, err = dec.ReadToken()
		return m, err
	case '[':
		l := []any{}
		for dec.PeekKind() != ']' {
			v, err := genericValue(dec)
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		_, err = dec.ReadToken()
		return l, err
	case '"':
		return tok.String(), nil
	case '0':
		s := tok.String()
		if !numberFits([]byte(s)) {
			return nil, fmt.Errorf("the number %s does not fit", excerpt(s))
		}
		return stdjson.Number(s), nil
	case 't', 'f':
		return tok.Bool(), nil
	}
	return nil, nil
}
