package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// innerURL is the name under which a schema from outside is compiled. The
// schema may name itself otherwise with $id; nothing is looked up by either.
const innerURL = "https://pinion.dev/schemas/inner"

// CheckSchema returns what makes doc, which comes from outside, no usable JSON
// Schema: keywords with values that the meta-schema refuses, references that
// leave the document or lead nowhere, a dialect other than the drafts 4, 6, 7,
// 2019-09 and 2020-12, patterns with lookaround or back references. A schema
// without $schema is draft 2020-12.
func CheckSchema(doc any) []Fault {
	if plain(doc) {
		return nil
	}
	w := refWalk{root: doc}
	w.schema(doc, nil)
	if len(w.faults) > 0 {
		return ordered(w.faults)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return []Fault{{"", "is not JSON: " + err.Error()}}
	}
	c := newCompiler()
	if err := c.AddResource(innerURL, bytes.NewReader(text)); err != nil {
		return []Fault{{"", "is not JSON"}}
	}
	_, err = c.Compile(innerURL)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Fault{{"", compileText(err)}}
	}
	var out []Fault
	leaves(invalid, func(e *jsonschema.ValidationError) {
		if len(out) < maxFaults {
			where := tokens(e.InstanceLocation)
			value, _ := lookup(doc, where)
			out = append(out, Fault{pointer(where), metaText(where, value)})
		}
	})
	return ordered(out)
}

// compileText words the errors that the library finds after the meta-schema.
func compileText(err error) string {
	var loop jsonschema.InfiniteLoopError
	switch {
	case errors.As(err, &loop):
		return "refers to itself without end"
	case errors.Is(err, errRemote):
		return "refers to another document"
	}
	return "refers to a part of itself that is not there"
}

// metaText says what a keyword may be. where leads to the value.
func metaText(where []string, value any) string {
	if len(where) == 0 {
		return fmt.Sprintf("is %s, want an object, true or false", describe(value))
	}
	for i := len(where) - 1; i >= max(0, len(where)-2); i-- {
		if want := keyword(where[i]); want != "" {
			if s, isString := value.(string); isString && where[i] == "pattern" {
				return fmt.Sprintf("%s is not a regular expression that can be checked: %s", describe(s), regexpText(s))
			}
			return fmt.Sprintf("is %s; %q wants %s", describe(value), where[i], want)
		}
	}
	return fmt.Sprintf("is %s, which JSON Schema does not allow here", describe(value))
}

func regexpText(pattern string) string {
	_, err := regexp.Compile(pattern)
	if err == nil {
		return "it is not valid"
	}
	text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	text, _, _ = strings.Cut(text, ": ")
	return text
}

// keyword returns what the value of a keyword may be, "" for one not known here.
func keyword(name string) string {
	switch name {
	case "type":
		return "one of array, boolean, integer, null, number, object, string, or a list of them"
	case "properties", "$defs", "definitions", "dependentSchemas":
		return "an object of schemas"
	case "patternProperties":
		return "an object of schemas whose names are regular expressions"
	case "required":
		return "a list of different strings"
	case "enum":
		return "a list of values"
	case "items", "additionalProperties", "contains", "not", "if", "then", "else":
		return "a schema"
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return "a list of at least one schema"
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return "a whole number from 0"
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return "a number"
	case "multipleOf":
		return "a number above 0"
	case "uniqueItems":
		return "true or false"
	case "pattern":
		return "a regular expression"
	case "title", "description", "format":
		return "a string"
	case "examples":
		return "a list"
	case "$ref":
		return "a reference"
	case "$anchor":
		return "a name"
	}
	return ""
}
