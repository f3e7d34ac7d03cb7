package schemas

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestEverySchemaIsAValidNamedSchema(t *testing.T) {
	t.Parallel()
	names := Names()
	if !slices.Contains(names, "plugin") || !slices.Contains(names, "catalog") {
		t.Fatalf("Names() = %v, want plugin and catalog among them", names)
	}
	var v Validator
	for _, name := range names {
		text, ok := Get(name)
		if !ok {
			t.Errorf("Get(%q) found nothing", name)
			continue
		}
		doc := decode(t, string(text)).(map[string]any)
		if got := doc["$schema"]; got != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: $schema = %v", name, got)
		}
		id, _ := doc["$id"].(string)
		if !strings.HasPrefix(id, "https://pinion.dev/schemas/"+name+".v") {
			t.Errorf("%s: $id = %q", name, id)
		}
		if _, err := v.Validate(name, map[string]any{}); err != nil {
			t.Errorf("Validate(%q) = %v", name, err)
		}
	}
	if _, err := v.Validate("nosuch", nil); err == nil {
		t.Error("Validate of an unknown name gave no error")
	}
	if _, ok := Get("nosuch"); ok {
		t.Error("Get of an unknown name found something")
	}
}

func TestValidateMessages(t *testing.T) {
	t.Parallel()
	const valid = `"schema_version":1,"id":"a","name":"A","version":"1.0.0","description":"d","license":"MIT","files":["LICENSE"]`
	tests := []struct {
		doc  string
		want []Fault
	}{
		{`{` + valid + `,"kind":"skill"}`, nil},
		{`[]`, []Fault{{"", "is a list, want object"}}},
		{`{` + valid + `}`, []Fault{{"", `has no "kind"`}}},
		{`{` + valid + `,"kind":"skil"}`, []Fault{{"/kind", `is "skil", want one of "skill", "mcp", "extension", "builtin"`}}},
		{`{` + valid + `,"kind":"skill","a/b~c d":1}`, []Fault{{"/a~1b~0c d", `unknown key "a/b~c d"`}}},
		{`{` + valid + `,"kind":"mcp","tools":[{"name":1,"description":"d","input_schema":{"type":"object"}}]}`,
			[]Fault{{"/tools/0/name", "is 1, want string"}}},
		{`{` + valid + `,"kind":"mcp","hooks":[{"event":"before_chat","entrypoint":"h.py","timeout":61}]}`,
			[]Fault{{"/hooks/0/timeout", "is 61, want at most 60"}}},
		{`{` + valid + `,"kind":"mcp","requires":["httpx"]}`, []Fault{{"/requires", "is longer than 0"}}},
	}
	var v Validator
	for _, tt := range tests {
		got, err := v.Validate("plugin", decode(t, tt.doc))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", tt.doc, d)
		}
	}
}

func TestCatalogSchema(t *testing.T) {
	t.Parallel()
	var v Validator
	doc := `{"schema_version":1,"name":"n","owner":{"name":"o"},"more":true,"plugins":[
		{"name":"a","version":"1.0.0","source":"./plugins/a","hash":"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}]}`
	if got, err := v.Validate("catalog", decode(t, doc)); err != nil || len(got) > 0 {
		t.Errorf("Validate = %v, %v, want nothing", got, err)
	}
	broken := strings.Replace(doc, "h1:47", "h1:", 1)
	if got, _ := v.Validate("catalog", decode(t, broken)); len(got) != 1 || got[0].Pointer != "/plugins/0/hash" {
		t.Errorf("Validate(short hash) = %v", got)
	}
}

// SB-021: input_schema is a JSON Schema. Nothing is loaded to check it.
func TestCheckSchema(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, doc string
		want      []Fault
	}{
		{"empty", `{}`, nil},
		{"plain", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, nil},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{}},"properties":{"x":{"$ref":"#/definitions/a"}}}`, nil},
		{"own id", `{"$id":"https://example.org/x","$defs":{"a":{}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, nil},
		{"recursive", `{"properties":{"next":{"$ref":"#"}}}`, nil},
		{"anchor", `{"$defs":{"a":{"$anchor":"b"}},"properties":{"x":{"$ref":"#b"}}}`, nil},
		{"property called $ref", `{"properties":{"$ref":{"type":"string"},"default":{"$ref":"#/$defs/d"}},"$defs":{"d":true}}`, nil},
		{"ref in data", `{"const":{"$ref":"http://example.org/x"},"enum":[{"$ref":"a.json"}]}`, nil},
		{"unknown type", `{"type":"strng"}`, []Fault{{"/type", `is "strng"; "type" wants one of array, boolean, integer, null, number, object, string, or a list of them`}}},
		{"required", `{"properties":{"a":{"required":true}}}`, []Fault{{"/properties/a/required", `is true; "required" wants a list of different strings`}}},
		{"required twice", `{"required":["a","a"]}`, []Fault{{"/required", `is a list; "required" wants a list of different strings`}}},
		{"not a schema", `{"properties":{"a":"string"}}`, []Fault{{"/properties/a", `is "string"; "properties" wants an object of schemas`}}},
		{"lookahead", `{"pattern":"(?=a)b"}`, []Fault{{"/pattern", `"(?=a)b" is not a regular expression that can be checked: invalid or unsupported Perl syntax`}}},
		{"number", `3`, []Fault{{"", "is 3, want an object, true or false"}}},
		{"network", `{"properties":{"a":{"$ref":"https://example.org/s.json"}}}`,
			[]Fault{{"/properties/a/$ref", `refers to "https://example.org/s.json"; only references inside the schema (#…) are followed`}}},
		{"file", `{"$ref":"file://` + filepath.ToSlash(secret) + `"}`, []Fault{{"/$ref", ""}}},
		{"relative file", `{"allOf":[{"$dynamicRef":"s.json#/a"}]}`, []Fault{{"/allOf/0/$dynamicRef", ""}}},
		{"dialect", `{"$schema":"https://example.org/dialect"}`,
			[]Fault{{"/$schema", `names the dialect "https://example.org/dialect"; known are the drafts 4, 6, 7, 2019-09 and 2020-12`}}},
		{"missing", `{"properties":{"a":{"$ref":"#/$defs/a"}}}`, []Fault{{"/properties/a/$ref", `refers to "#/$defs/a", which is not in the schema`}}},
		{"missing anchor", `{"$ref":"#a"}`, []Fault{{"", "refers to a part of itself that is not there"}}},
		{"loop", `{"$ref":"#"}`, []Fault{{"", "refers to itself without end"}}},
	}
	for _, tt := range tests {
		got := CheckSchema(decode(t, tt.doc))
		if len(tt.want) == 1 && tt.want[0].Message == "" && len(got) == 1 {
			got[0].Message = ""
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: CheckSchema(%s) (-want +got)\n%s", tt.name, tt.doc, d)
		}
	}
}

// plain is only a short cut: what it accepts, the compiler accepts.
func TestPlainIsSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := anySchema(t, 3)
		if !plain(doc) {
			return
		}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		c := newCompiler()
		if err := c.AddResource(innerURL, strings.NewReader(string(text))); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile(innerURL); err != nil {
			t.Fatalf("plain accepts %s, the compiler says %v", text, err)
		}
	})
}

// anySchema draws something that is a schema or nearly one.
func anySchema(t *rapid.T, depth int) any {
	if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]any{true, false, nil, "string", json.Number("1"), map[string]any{}}).Draw(t, "value")
	}
	m := map[string]any{}
	for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{
		"type", "title", "properties", "items", "required", "enum", "minLength", "maximum", "anyOf", "default", "$ref", "additionalProperties",
	}), 0, 4).Draw(t, "keys") {
		switch k {
		case "type":
			m[k] = rapid.SampledFrom([]any{"string", "object", "strng", []any{"null"}}).Draw(t, k)
		case "required", "enum":
			m[k] = rapid.SampledFrom([]any{[]any{}, []any{"a"}, []any{"a", "a"}, []any{json.Number("1")}, "a"}).Draw(t, k)
		case "minLength", "maximum":
			m[k] = rapid.SampledFrom([]any{json.Number("1"), json.Number("-1"), json.Number("1.5"), json.Number("0"), json.Number("1e300"), "1"}).Draw(t, k)
		case "properties":
			m[k] = map[string]any{"p": anySchema(t, depth-1)}
		case "anyOf":
			m[k] = []any{anySchema(t, depth-1)}
		case "title":
			m[k] = rapid.SampledFrom([]any{"t", json.Number("1")}).Draw(t, k)
		default:
			m[k] = anySchema(t, depth-1)
		}
	}
	return m
}

func FuzzCheckSchema(f *testing.F) {
	for _, s := range []string{`{}`, `{"$id":3}`, `{"$ref":"#/%41"}`, `{"type":["object"]}`, `{"$schema":1}`, `{"items":[{"$id":"#x"}]}`, `{"$dynamicAnchor":"a"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) != nil {
			return
		}
		for _, fault := range CheckSchema(v) {
			if fault.Message == "" || fault.Pointer != "" && fault.Pointer[0] != '/' {
				t.Errorf("CheckSchema(%s) = %+v", text, fault)
			}
		}
	})
}
