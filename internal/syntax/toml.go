package syntax

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"pinion/problem"
)

var (
	ruleTOMLSyntax = problem.Rule{
		ID: "toml/syntax", Severity: problem.Error, Since: "0.2.0",
		Title:   "The file is not valid TOML",
		Help:    "Nothing of a TOML file with a fault is used: half of a policy would allow what the other half forbids.",
		Fix:     "correct the TOML at this position",
		Example: "cooldown = 72h      not a value\ncooldown = \"72h\"    correct",
	}
	ruleTOMLUnknown = problem.Rule{
		ID: "toml/unknown-key", Severity: problem.Error, Since: "0.2.0",
		Title:   "A key that the file does not have",
		Help:    "The key would be ignored. Most often it is a misspelling of a known key.",
		Fix:     "correct the spelling or remove the key",
		Example: "cooldwon = \"72h\"    unknown\ncooldown = \"72h\"    correct",
	}
)

// DecodeTOML reads a TOML document of at most 1 MiB into a struct. Unknown keys
// are errors, as is a value of the wrong type. With problems v is not to be
// used.
func DecodeTOML(data []byte, v any) problem.List {
	if len(data) > maxOther {
		return problem.List{ruleTOMLSyntax.Report("the file has %d bytes, at most %d are read", len(data), maxOther)}
	}
	data = TrimBOM(data)
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	err := dec.Decode(v)
	var missing *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		var out problem.List
		for i := range missing.Errors {
			e := &missing.Errors[i]
			line, col := e.Position()
			out.Add(ruleTOMLUnknown.Report("unknown key %s", quote(strings.Join(e.Key(), "."))).At("", line, col))
		}
		return out
	case errors.As(err, &bad):
		line, col := bad.Position()
		return problem.List{ruleTOMLSyntax.Report("%s", tomlFault(bad)).At("", line, col)}
	}
	return problem.List{ruleTOMLSyntax.Report("%s", tomlFault(err))}
}

// tomlFault words a fault without the names of Go types, which tell an author
// nothing.
func tomlFault(err error) string {
	s := strings.TrimPrefix(err.Error(), "toml: ")
	if strings.HasPrefix(s, "cannot decode") {
		return "the value is of the wrong type"
	}
	return excerpt(s)
}

// TOMLPosition returns the line and column of the key that a pointer means, of
// its nearest table when the document does not have it; 0 for neither.
func TOMLPosition(data []byte, pointer string) (line, col int) {
	if len(data) > maxOther {
		return 0, 0
	}
	var p unstable.Parser
	p.Reset(data)
	var table []any
	count := map[string]int{}
	best := -1
	deepest := -1
	for p.NextExpression() {
		n := p.Expression()
		var keys []any
		at := -1
		for it := n.Key(); it.Next(); {
			if at < 0 {
				at = int(it.Node().Raw.Offset)
			}
			keys = append(keys, string(it.Node().Data))
		}
		if n.Kind != unstable.KeyValue {
			table = keys
			if n.Kind == unstable.ArrayTable {
				name := Pointer(keys...)
				table = append(table, count[name])
				count[name]++
			}
			keys = nil
		}
		full := Pointer(append(table[:len(table):len(table)], keys...)...)
		if (pointer == full || strings.HasPrefix(pointer, full+"/")) && len(full) > deepest {
			best, deepest = at, len(full)
		}
	}
	if best < 0 {
		return 0, 0
	}
	return PositionAt(data, best)
}
