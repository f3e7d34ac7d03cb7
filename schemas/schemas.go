// Package schemas holds the JSON Schemas that Pinion publishes and validates
// documents against them. It is the only package that knows the JSON Schema
// library.
//
// A schema is one file NAME.vN.json in this folder, draft 2020-12; adding a
// file is all it takes. Its $id is an absolute address that is only a name:
// nothing is ever fetched, and a schema that refers to another document is
// refused, whether by file: or by network.
//
// Documents are the values that encoding/json decodes into an any, with numbers
// as json.Number (internal/syntax.Any makes them). What is wrong is returned as
// a list of [Fault] in the words of Pinion, not of the library.
package schemas

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names returns the names of the schemas, sorted: "catalog", "plugin", ….
func Names() []string {
	entries, _ := files.ReadDir(".") // an embedded root is always there
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, schemaName(e.Name()))
	}
	return slices.Compact(names)
}

// Get returns the text of a schema: the newest version when there are several.
func Get(name string) ([]byte, bool) {
	entries, _ := files.ReadDir(".")
	for _, e := range slices.Backward(entries) {
		if schemaName(e.Name()) == name {
			b, err := files.ReadFile(e.Name())
			return b, err == nil
		}
	}
	return nil, false
}

// schemaName is "plugin" for "plugin.v1.json".
func schemaName(file string) string {
	name, _, _ := strings.Cut(file, ".v")
	return name
}

// Fault is one place of a document that its schema does not allow.
type Fault struct {
	Pointer string // RFC 6901, "" for the whole document
	Message string // what is wrong there, without the position
}
