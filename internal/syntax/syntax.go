// Package syntax reads and writes the text formats of manifests and catalogs:
// JSON, and the YAML frontmatter of Markdown. It is the only package that
// knows the JSON and YAML libraries.
//
// JSON is read strictly: no duplicate key at any depth, exact case of names,
// valid UTF-8, no comment, no trailing comma, one document, nesting of at most
// [MaxDepth]. Every fault of a document is reported in one run with its line
// and column. Positions cost nothing until there is a fault: the first pass is
// one typed decode, and only a document that fails it is read again token by
// token.
//
// What is found is returned as [problem.List] with File empty; the caller
// knows the file's name. The package reads no files and judges no meaning.
package syntax

import "pinion/problem"

// MaxDepth is the deepest nesting of objects and lists that is read. Real
// manifests stay below 10; the limit keeps a hostile document from using the
// stack (security 3.4 row 64).
const MaxDepth = 64

// maxNumber is the longest number in characters. A float64 needs at most 24; a
// longer one only costs time in whoever computes with it (security 3.4 row 65).
const maxNumber = 100

// maxProblems bounds the findings of one document, so that a hostile file
// cannot fill memory or a terminal with them.
const maxProblems = 1000

// Options says how strict [Decode] is. The zero value accepts unknown keys and
// nothing else.
type Options struct {
	// RejectUnknown reports keys for which the Go struct has no field.
	RejectUnknown bool
	// AllowDuplicates makes a duplicate key a warning, for formats whose host
	// takes the last one. The last one is also what is decoded.
	AllowDuplicates bool
	// AllowBOM makes a byte order mark a warning, for formats whose host skips it.
	AllowBOM bool
	// Severity replaces the severity of rules by id, such as
	// {"json/unknown-key": problem.Warning}. It goes before the fields above.
	Severity map[string]problem.Severity
}

func (o Options) severity(r problem.Rule) problem.Severity {
	if s, ok := o.Severity[r.ID]; ok {
		return s
	}
	if o.AllowDuplicates && r.ID == ruleDuplicate.ID || o.AllowBOM && r.ID == ruleBOM.ID {
		return problem.Warning
	}
	return r.Severity
}
