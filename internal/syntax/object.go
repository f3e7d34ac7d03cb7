package syntax

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object that keeps the order of its members and the members
// nobody here knows, for files whose owner may write more than Pinion does.
// The zero value is an empty object. Not safe for concurrent change.
type Object struct {
	keys   []string
	values map[string]Raw
}

var (
	_ json.UnmarshalerFrom = (*Object)(nil)
	_ json.MarshalerTo     = Object{}
)

// Len returns the number of members.
func (o Object) Len() int { return len(o.keys) }

// Keys returns the member names in their order.
func (o Object) Keys() []string { return slices.Clone(o.keys) }

// Get returns the value of a member. The bytes belong to o.
func (o Object) Get(key string) (Raw, bool) {
	v, ok := o.values[key]
	return v, ok
}

// Set replaces the value of a member in its place, or adds it as the last one.
// value must be valid JSON.
func (o *Object) Set(key string, value Raw) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	if o.values == nil {
		o.values = map[string]Raw{}
	}
	o.values[key] = value
}

// SetValue is [Object.Set] with the JSON form of a Go value.
func (o *Object) SetValue(key string, v any) error {
	b, err := Compact(v)
	if err != nil {
		return fmt.Errorf("member %q: %w", key, err)
	}
	o.Set(key, b)
	return nil
}

// Delete removes a member and reports whether it was there.
func (o *Object) Delete(key string) bool {
	if _, ok := o.values[key]; !ok {
		return false
	}
	delete(o.values, key)
	o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	return true
}

// UnmarshalJSONFrom reads an object. Its values are copies of the text.
func (o *Object) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if k := dec.PeekKind(); k != '{' {
		if err := dec.SkipValue(); err != nil {
			return err
		}
		return fmt.Errorf("want an object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	*o = Object{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		o.Set(key, value.Clone())
	}
	_, err := dec.ReadToken()
	return err
}

// MarshalJSONTo writes the members in their order.
func (o Object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, k := range o.keys {
		if err := enc.WriteToken(jsontext.String(k)); err != nil {
			return err
		}
		if err := enc.WriteValue(o.values[k]); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}
