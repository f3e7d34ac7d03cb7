package compat

import (
	stdjson "encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pinion/internal/syntax"
	"pinion/problem"
)

// fault is one thing about the text of a JSON document that hosts differ about.
type fault string

// The faults, by the rules of the one JSON reader.
const (
	badSyntax    fault = "json/syntax"
	badEncoding  fault = "json/encoding"
	hasBOM       fault = "json/bom"
	duplicateKey fault = "json/duplicate-key"
	oddValue     fault = "json/odd-value" // JSON that not every program can hold
)

// parse reads a JSON document. What is wrong with the text is returned beside
// the value, which is nil only when nothing can be made of it. Of duplicate
// keys the last one counts.
func parse(data []byte) (value any, faults problem.List) {
	v, found := syntax.Any(data)
	for i, p := range found {
		// Hosts take half of a surrogate pair, and numbers of any size.
		if strings.Contains(p.Message, "surrogate") || strings.HasSuffix(p.Message, "does not fit") {
			found[i].Rule = string(oddValue)
		}
	}
	return v, found
}

// broken returns the first finding that the host refuses a document for.
func broken(found problem.List, fatal ...fault) (problem.Problem, bool) {
	for _, p := range found {
		if slices.Contains(fatal, fault(p.Rule)) {
			return p, true
		}
	}
	return problem.Problem{}, false
}

// object, list, text and truth return a value of that type, or its zero value.
func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// kindOf names a value's type in the words of JSON.
func kindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case stdjson.Number:
		return "a number"
	case bool:
		return "true or false"
	}
	return "null"
}

// shape says what a value has to be. It returns where it is not, from the value
// on, and what is wanted there; want is "" when the value fits.
type shape func(v any) (at []any, want string)

// The shapes. A null is only what [nullable] makes of it.
func isText(v any) ([]any, string) {
	if _, ok := v.(string); !ok {
		return nil, "a string"
	}
	return nil, ""
}

func isNumber(v any) ([]any, string) {
	if _, ok := v.(stdjson.Number); !ok {
		return nil, "a number"
	}
	return nil, ""
}

func isTruth(v any) ([]any, string) {
	if _, ok := v.(bool); !ok {
		return nil, "true or false"
	}
	return nil, ""
}

func isURL(v any) ([]any, string) {
	u, err := url.Parse(text(v))
	if err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && !strings.HasPrefix(text(v), u.Scheme+"://") {
		return nil, "a URL"
	}
	return nil, ""
}

func anything(any) ([]any, string) { return nil, "" }

// filled is text that is not empty.
func filled(v any) ([]any, string) {
	if text(v) == "" {
		return nil, "a string that is not empty"
	}
	return nil, ""
}

// named is text that a test accepts.
func named(test func(string) bool, want string) shape {
	return func(v any) ([]any, string) {
		if s, ok := v.(string); !ok || !test(s) {
			return nil, want
		}
		return nil, ""
	}
}

func listOf(each shape) shape {
	return func(v any) ([]any, string) {
		l, ok := v.([]any)
		if !ok {
			return nil, "a list"
		}
		for i, e := range l {
			if at, want := each(e); want != "" {
				return append([]any{i}, at...), want
			}
		}
		return nil, ""
	}
}

// nullable also accepts null.
func nullable(s shape) shape {
	return func(v any) ([]any, string) {
		if v == nil {
			return nil, ""
		}
		return s(v)
	}
}

// noneOr also accepts null and an empty list, which some readers take for an
// object without members.
func noneOr(s shape) shape {
	return func(v any) ([]any, string) {
		if l, ok := v.([]any); v == nil || ok && len(l) == 0 {
			return nil, ""
		}
		return s(v)
	}
}

// either accepts what one of the shapes does.
func either(want string, shapes ...shape) shape {
	return func(v any) ([]any, string) {
		for _, s := range shapes {
			if _, w := s(v); w == "" {
				return nil, ""
			}
		}
		return nil, want
	}
}

// member is one key of an object.
type member struct {
	key      string
	required bool
	shape    shape
}

func required(key string, s shape) member { return member{key, true, s} }
func optional(key string, s shape) member { return member{key, false, s} }

// objectOf is an object with these members; others are free.
func objectOf(members ...member) shape {
	return func(v any) ([]any, string) {
		o, ok := v.(map[string]any)
		if !ok {
			return nil, "an object"
		}
		for _, m := range members {
			e, there := o[m.key]
			switch {
			case !there && m.required:
				return nil, "an object with \"" + m.key + "\""
			case there:
				if at, want := m.shape(e); want != "" {
					return append([]any{m.key}, at...), want
				}
			}
		}
		return nil, ""
	}
}

// mapOf is an object with values of one shape.
func mapOf(each shape) shape {
	return func(v any) ([]any, string) {
		o, ok := v.(map[string]any)
		if !ok {
			return nil, "an object"
		}
		for k, e := range o {
			if at, want := each(e); want != "" {
				return append([]any{k}, at...), want
			}
		}
		return nil, ""
	}
}

// numberUpTo is a positive number of at most most.
func numberUpTo(most float64) shape {
	return func(v any) ([]any, string) {
		n, ok := v.(stdjson.Number)
		if f, err := n.Float64(); !ok || err != nil || f <= 0 || f > most {
			return nil, "a number above 0 of at most " + strconv.FormatFloat(most, 'f', -1, 64)
		}
		return nil, ""
	}
}

// closedObject is an object with text under these keys, and no others.
func closedObject(keys ...string) shape {
	return func(v any) ([]any, string) {
		o, ok := v.(map[string]any)
		if !ok {
			return nil, "an object"
		}
		for k, e := range o {
			if !slices.Contains(keys, k) {
				return []any{k}, "a known key"
			}
			if _, isString := e.(string); !isString {
				return []any{k}, "a string"
			}
		}
		return nil, ""
	}
}
