package schemas

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxFaults bounds what is reported of one document.
const maxFaults = 1000

// explain turns the library's tree of errors into our list.
func explain(schema, doc any, root *jsonschema.ValidationError) []Fault {
	var out []Fault
	leaves(root, func(e *jsonschema.ValidationError) {
		if len(out) < maxFaults {
			out = append(out, fault(schema, doc, e)...)
		}
	})
	return ordered(out)
}

// leaves calls fn for the errors that have no closer cause.
func leaves(e *jsonschema.ValidationError, fn func(*jsonschema.ValidationError)) {
	if len(e.Causes) == 0 {
		fn(e)
		return
	}
	for _, c := range e.Causes {
		leaves(c, fn)
	}
}

// ordered sorts by place and drops what is said twice.
func ordered(faults []Fault) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(faults)
}

// fault words one error. Errors about members are reported where the member is,
// or would be.
func fault(schema, doc any, e *jsonschema.ValidationError) []Fault {
	_, fragment, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	at := tokens(fragment)
	where := tokens(e.InstanceLocation)
	place := pointer(where)
	value, _ := lookup(doc, where)
	if len(at) == 0 {
		return []Fault{{place, "is not allowed here"}}
	}
	keyword := at[len(at)-1]
	want, _ := lookup(schema, at)
	one := func(format string, args ...any) []Fault {
		return []Fault{{place, fmt.Sprintf(format, args...)}}
	}
	switch keyword {
	case "type":
		return one("is %s, want %s", describe(value), typeNames(want))
	case "required":
		return missing(want, value, place)
	case "additionalProperties":
		known, _ := lookup(schema, append(slices.Clone(at[:len(at)-1]), "properties"))
		return unknown(known, value, place)
	case "enum":
		return one("is %s, want one of %s", describe(value), list(want))
	case "const":
		return one("is %s, want %s", describe(value), describe(want))
	case "pattern":
		return one("%s does not match the pattern %v", describe(value), want)
	case "minLength", "minItems", "minProperties":
		return one("is shorter than %v", want)
	case "maxLength", "maxItems", "maxProperties":
		return one("is longer than %v", want)
	case "minimum":
		return one("is %s, want at least %v", describe(value), want)
	case "maximum":
		return one("is %s, want at most %v", describe(value), want)
	case "uniqueItems":
		return one("has the same element twice")
	case "not":
		return one("%s is not allowed", describe(value))
	}
	return one("does not fit the rule %q of the schema", keyword)
}

func missing(want, value any, at string) (out []Fault) {
	names, _ := want.([]any)
	object, _ := value.(map[string]any)
	for _, n := range names {
		name, _ := n.(string)
		if _, there := object[name]; !there {
			out = append(out, Fault{at, fmt.Sprintf("has no %q", name)})
		}
	}
	return out
}

func unknown(known, value any, at string) (out []Fault) {
	properties, _ := known.(map[string]any)
	object, _ := value.(map[string]any)
	for name := range object {
		if _, there := properties[name]; !there {
			out = append(out, Fault{at + "/" + escape(name), fmt.Sprintf("unknown key %q", name)})
		}
	}
	return out
}

func typeNames(want any) string {
	if names, ok := want.([]any); ok {
		all := make([]string, 0, len(names))
		for _, n := range names {
			all = append(all, fmt.Sprint(n))
		}
		return strings.Join(all, " or ")
	}
	return fmt.Sprint(want)
}

func list(want any) string {
	values, _ := want.([]any)
	all := make([]string, 0, len(values))
	for _, v := range values {
		all = append(all, describe(v))
	}
	return strings.Join(all, ", ")
}

// describe names a value without repeating much of it.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		const most = 60
		if r := []rune(v); len(r) > most {
			return strconv.Quote(string(r[:most]) + "…")
		}
		return strconv.Quote(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case json.Number:
		return v.String()
	}
	return fmt.Sprint(v)
}
