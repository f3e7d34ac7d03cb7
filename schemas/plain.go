package schemas

import (
	"encoding/json"
	"strings"
)

// plain reports whether doc is surely a valid schema: it uses only the keywords
// that nearly every tool uses, each in its simplest form. Compiling a schema
// costs a hundred times more, which a catalog of 10,000 packages would feel. A
// test holds it against the compiler.
func plain(doc any) bool {
	m, ok := doc.(map[string]any)
	if !ok {
		_, ok = doc.(bool)
		return ok
	}
	for name, v := range m {
		if !plainKeyword(name, v) {
			return false
		}
	}
	return true
}

func plainKeyword(name string, v any) bool {
	switch name {
	case "title", "description":
		_, ok := v.(string)
		return ok
	case "default":
		return true
	case "type":
		s, ok := v.(string)
		return ok && typeWord(s)
	case "properties":
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		for _, sub := range m {
			if !plain(sub) {
				return false
			}
		}
		return true
	case "items", "additionalProperties":
		return plain(v)
	case "anyOf":
		l, ok := v.([]any)
		if !ok || len(l) == 0 {
			return false
		}
		for _, sub := range l {
			if !plain(sub) {
				return false
			}
		}
		return true
	case "required":
		return distinctStrings(v, true)
	case "enum":
		return distinctStrings(v, false)
	case "minLength", "maxLength", "minItems", "maxItems":
		n, ok := v.(json.Number)
		return ok && len(n) < 10 && strings.Trim(n.String(), "0123456789") == ""
	case "minimum", "maximum":
		n, ok := v.(json.Number)
		return ok && len(n) < 18 && !strings.ContainsAny(n.String(), "eE")
	}
	return false
}

func typeWord(s string) bool {
	switch s {
	case "array", "boolean", "integer", "null", "number", "object", "string":
		return true
	}
	return false
}

// distinctStrings reports whether v is a short list of different strings.
func distinctStrings(v any, mayBeEmpty bool) bool {
	const few = 50 // every pair is compared
	l, ok := v.([]any)
	if !ok || len(l) > few || len(l) == 0 && !mayBeEmpty {
		return false
	}
	for i, e := range l {
		s, ok := e.(string)
		if !ok {
			return false
		}
		for _, before := range l[:i] {
			if before == s {
				return false
			}
		}
	}
	return true
}
