package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// errRemote is the answer to every attempt to load a schema from elsewhere.
var errRemote = errors.New("schemas are never loaded from a file or the network")

func refuse(string) (io.ReadCloser, error) { return nil, errRemote }

// Validator checks documents against the schemas of this package. Schemas are
// compiled when they are first used. The zero value is ready; it is safe for
// concurrent use.
type Validator struct {
	mu       sync.Mutex
	compiled map[string]*compiledSchema
}

type compiledSchema struct {
	schema *jsonschema.Schema
	text   any // the schema as a document, to explain what it wants
}

// Validate returns what the schema of that name finds wrong with doc, ordered
// by place, or an error when there is no such schema.
func (v *Validator) Validate(name string, doc any) ([]Fault, error) {
	c, err := v.schema(name)
	if err != nil {
		return nil, err
	}
	err = c.schema.Validate(doc)
	if err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, fmt.Errorf("validate against schema %s: %w", name, err)
	}
	return explain(c.text, doc, invalid), nil
}

func (v *Validator) schema(name string) (*compiledSchema, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c := v.compiled[name]; c != nil {
		return c, nil
	}
	text, ok := Get(name)
	if !ok {
		return nil, fmt.Errorf("no schema %q", name)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	id, _ := lookup(doc, []string{"$id"})
	url, _ := id.(string)
	compiler := newCompiler()
	if err := compiler.AddResource(url, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	schema, err := compiler.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	c := &compiledSchema{schema, doc}
	if v.compiled == nil {
		v.compiled = map[string]*compiledSchema{}
	}
	v.compiled[name] = c
	return c, nil
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = refuse
	return c
}
