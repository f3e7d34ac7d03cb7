package syntax

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// shape is what a struct type accepts: its member names in order of their
// fields, and the type of each. open is true when it keeps any other member.
type shape struct {
	names []string
	types map[string]reflect.Type
	open  bool
}

func (w *walker) shape(t reflect.Type) *shape {
	if sh := w.shapes[t]; sh != nil {
		return sh
	}
	sh := &shape{types: map[string]reflect.Type{}}
	w.shapes[t] = sh
	sh.collect(t, 0)
	return sh
}

// collect adds the fields of struct t. Embedded structs count as part of it;
// depth stops a type that embeds itself.
func (sh *shape) collect(t reflect.Type, depth int) {
	if depth > 8 {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		name = strings.Trim(name, "'")
		ft, _ := base(f.Type)
		if f.Anonymous && name == "" || hasOption(options, "embed") {
			if ft != nil && ft.Kind() == reflect.Struct {
				sh.collect(ft, depth+1)
			} else {
				sh.open = true
			}
			continue
		}
		if !tagged || name == "" {
			name = f.Name
		}
		typ := f.Type
		if hasOption(options, "string") || strings.Contains(options, "format:") {
			typ = nil // another JSON type than the Go type says
		}
		if _, outer := sh.types[name]; !outer {
			sh.names = append(sh.names, name)
			sh.types[name] = typ
		}
	}
}

func hasOption(options, want string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if o == want {
			return true
		}
	}
	return false
}

var (
	rawType             = reflect.TypeFor[Raw]()
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	unmarshalerFromType = reflect.TypeFor[json.UnmarshalerFrom]()
	textType            = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// base returns the type below pointers, nil for one that accepts everything,
// and whether null is a proper value for it.
func base(t reflect.Type) (plain reflect.Type, nullable bool) {
	for t != nil && t.Kind() == reflect.Pointer {
		t, nullable = t.Elem(), true
	}
	switch {
	case t == nil, t == rawType, t.Kind() == reflect.Interface:
		return nil, true
	case decodesItself(t):
		return t, true
	}
	return t, nullable
}

// decodesItself reports whether the type has its own decoding.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshalerType) || p.Implements(unmarshalerFromType) || p.Implements(textType)
}

// leaf reports whether a value of type t is checked by decoding it.
func leaf(t reflect.Type) bool {
	if t == nil {
		return false
	}
	if decodesItself(t) || isBytes(t) {
		return true
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		return false
	}
	return true
}

// isBytes reports whether t is decoded from base64 text.
func isBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() == reflect.Uint8
}

// kindFits reports whether a JSON value of kind k may be decoded into t.
func kindFits(k jsontext.Kind, t reflect.Type) bool {
	if t == nil || decodesItself(t) {
		return true
	}
	switch {
	case isBytes(t):
		return k == '"'
	case t.Kind() == reflect.String:
		return k == '"'
	case t.Kind() == reflect.Bool:
		return k == 't' || k == 'f'
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return k == '{'
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		return k == '['
	}
	return k == '0'
}

// wanted names what t accepts.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		if isBytes(t) {
			return "base64 text"
		}
		if e, _ := base(t.Elem()); e != nil && e.Kind() == reflect.String {
			return "a list of strings"
		}
		return "a list"
	}
	return "a whole number of " + strconv.Itoa(t.Bits()) + " bits"
}

// found names what is there instead.
func found(k jsontext.Kind, raw []byte) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		text, _ := jsontext.AppendUnquote(nil, raw)
		return "the string " + quote(string(text))
	case '0':
		return "the number " + excerpt(string(raw))
	}
	return excerpt(string(raw))
}
