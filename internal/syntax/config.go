package syntax

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// ConfigFormat is the syntax of a configuration file of another program.
type ConfigFormat string

// The formats. ConfigJSONC is JSON with comments and trailing commas.
const (
	ConfigJSON  ConfigFormat = "json"
	ConfigJSONC ConfigFormat = "jsonc"
	ConfigTOML  ConfigFormat = "toml"
)

// maxConfig is the largest configuration file that is read, in bytes.
const maxConfig = 4 << 20

// Change is one key of a configuration file that is to have a value, or to go.
type Change struct {
	Path []string
	// Value is nil to take the key away. It is anything that JSON can say, also as
	// a [Raw]; in TOML a bool or a string.
	Value any
	// IfEmpty takes a key away only when it is a table with nothing in it.
	IfEmpty bool
}

// ErrUneditable means that a document is valid and written in a form in which
// the key cannot be set without writing other keys anew.
var ErrUneditable = errors.New("cannot be edited in place")

// ReadConfig reads a configuration file. An empty one is an empty document; one
// that is not a table of keys is an error, as is one with a fault, whose line the
// error names.
func ReadConfig(data []byte, f ConfigFormat) (map[string]any, error) {
	if len(data) > maxConfig {
		return nil, fmt.Errorf("%d bytes, at most %d are read", len(data), maxConfig)
	}
	if len(bytes.TrimSpace(TrimBOM(data))) == 0 {
		return map[string]any{}, nil
	}
	if f == ConfigTOML {
		return readTOML(data)
	}
	text := TrimBOM(data)
	if f == ConfigJSONC {
		text = TrimBOM(plainJSON(data))
	}
	v, problems := Any(text)
	if p, bad := problems.First(); bad && problems.HasErrors() {
		return nil, errors.New(p.String())
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("is not an object")
	}
	return m, nil
}

func readTOML(data []byte) (map[string]any, error) {
	m := map[string]any{}
	if len(data) > maxOther {
		return nil, fmt.Errorf("%d bytes, at most %d are read", len(data), maxOther)
	}
	err := toml.Unmarshal(TrimBOM(data), &m)
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, col := bad.Position()
		return nil, fmt.Errorf("%d:%d: %s", line, col, tomlFault(bad))
	}
	if err != nil {
		return nil, errors.New(tomlFault(err))
	}
	return m, nil
}

// ConfigValue returns what a document that [ReadConfig] gave has at a path.
func ConfigValue(doc map[string]any, path ...string) (any, bool) {
	var v any = doc
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[key]; !ok {
			return nil, false
		}
	}
	return v, true
}

// EditConfig carries out changes in the order given and leaves every other byte
// as it is: keys, their order, comments, indentation, line ends, a byte order
// mark. made are the tables that had to be made, outermost first: the caller may
// later take them away with [Change.IfEmpty]. A document with a fault is an
// error; so is a change that the form of the document does not allow
// ([ErrUneditable]).
func EditConfig(data []byte, f ConfigFormat, changes []Change) (out []byte, made [][]string, err error) {
	doc, err := ReadConfig(data, f)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if len(c.Path) == 0 {
			return nil, nil, errors.New("a change without a key")
		}
		if c.Value != nil {
			made = append(made, missingTables(doc, made, c.Path)...)
		}
	}
	if f == ConfigTOML {
		out, err = editTOML(data, changes)
	} else {
		out, err = editJSON(data, changes)
	}
	if err != nil {
		return nil, nil, err
	}
	// The editors work on text, so what they made is read like any other.
	after, err := ReadConfig(out, f)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUneditable, err)
	}
	for _, c := range changes {
		v, ok := ConfigValue(after, c.Path...)
		switch {
		case c.Value != nil && (!ok || !EqualConfig(v, c.Value)), c.Value == nil && !c.IfEmpty && ok:
			return nil, nil, fmt.Errorf("%s: %w", Pointer(anys(c.Path)...), ErrUneditable)
		}
	}
	return out, made, nil
}

// missingTables returns the tables above a path that are not in the document
// and not in made yet.
func missingTables(doc map[string]any, made [][]string, path []string) (missing [][]string) {
	for i := 1; i < len(path); i++ {
		above := path[:i]
		if _, ok := ConfigValue(doc, above...); ok {
			continue
		}
		if !slices.ContainsFunc(made, func(m []string) bool { return slices.Equal(m, above) }) {
			missing = append(missing, slices.Clone(above))
		}
	}
	return missing
}

// ConfigText returns a value of a configuration file as canonical JSON. A value
// that JSON does not have, such as a date of TOML, is an error.
func ConfigText(v any) (Raw, error) {
	text, err := Compact(numbers(v))
	if err != nil {
		return nil, err
	}
	return Canonical(text)
}

// numbers returns a value with its numbers as they were written: [Any] gives them
// in a type that is encoded as text.
func numbers(v any) any {
	switch v := v.(type) {
	case stdjson.Number:
		return Raw(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = numbers(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = numbers(e)
		}
		return out
	}
	return v
}

// EqualConfig reports whether two values of configuration files say the same,
// whatever Go types the readers gave them.
func EqualConfig(a, b any) bool {
	x, errA := ConfigText(a)
	y, errB := ConfigText(b)
	if errA != nil || errB != nil {
		return reflect.DeepEqual(a, b)
	}
	return bytes.Equal(x, y)
}

func anys(path []string) []any {
	out := make([]any, len(path))
	for i, p := range path {
		out[i] = p
	}
	return out
}
