package syntax

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/problem"
)

type tool struct {
	Name  string `json:"name"`
	Input Raw    `json:"input_schema"`
}

type base0 struct {
	ID string `json:"id"`
}

type doc struct {
	base0Alias `json:",embed"`
	Name       string            `json:"name"`
	Version    string            `json:"version"`
	License    string            `json:"license"`
	Schema     int32             `json:"schema_version"`
	Ratio      float64           `json:"ratio"`
	On         bool              `json:"on"`
	Opt        *string           `json:"opt"`
	Files      []string          `json:"files"`
	Tools      []tool            `json:"tools"`
	Env        map[string]string `json:"env"`
	Extra      Object            `json:"extra"`
	Free       any               `json:"free"`
}

type base0Alias = base0

// lines renders findings as "line:col severity rule message".
func lines(l problem.List) []string {
	var out []string
	for _, p := range l {
		out = append(out, fmt.Sprintf("%d:%d %s %s %s", p.Line, p.Column, p.Severity, p.Rule, p.Message))
	}
	return out
}

// security 3.4 rows 61-67
func TestDecodeFaults(t *testing.T) {
	t.Parallel()
	strict := Options{RejectUnknown: true}
	for _, tt := range []struct {
		name, in string
		opts     Options
		want     []string
	}{
		{"valid", `{"id":"i","name":"a","files":["x"],"tools":[{"name":"t","input_schema":{"a":null}}],"opt":null,"free":null}`, strict, nil},
		{"duplicate", "{\"name\":\"a\",\n \"name\":\"b\"}", strict, []string{`2:2 error json/duplicate-key key "name" appears twice in the document, before on line 1`}},
		{"duplicate deep", "{\"free\":{\"x\":[{\"é\":1,\"é\":2}]}}", strict, []string{`1:22 error json/duplicate-key key "é" appears twice in "free.x[0]", before on line 1`}},
		{"duplicate by escape", `{"name":"a","n\u0061me":"b"}`, strict, []string{`1:13 error json/duplicate-key key "name" appears twice in the document, before on line 1`}},
		{"duplicate allowed", `{"name":"a","name":"b"}`, Options{AllowDuplicates: true}, []string{`1:13 warning json/duplicate-key key "name" appears twice in the document, before on line 1`}},
		{"unknown", "{\n  \"licence\": \"MIT\",\n  \"tools\": [{\"nmae\": \"x\"}],\n  \"zzzzz\": 1\n}", strict, []string{
			`2:3 error json/unknown-key unknown key "licence"; did you mean "license"?`,
			`3:14 error json/unknown-key unknown key "nmae" in "tools[0]"; did you mean "name"?`,
			`4:3 error json/unknown-key unknown key "zzzzz"`}},
		{"case is not folded", `{"NAME":"a"}`, strict, []string{`1:2 error json/unknown-key unknown key "NAME"; did you mean "name"?`}},
		{"unknown lowered", `{"x9":1}`, Options{RejectUnknown: true, Severity: map[string]problem.Severity{"json/unknown-key": problem.Warning}},
			[]string{`1:2 warning json/unknown-key unknown key "x9"`}},
		{"unknown ignored", `{"x9":1}`, Options{}, nil},
		{"prototype keys are data", `{"__proto__":{"constructor":1}}`, Options{}, nil},
		{"types", "{\"name\":1,\n\"files\":\"a\",\r\n\"tools\":[{\"name\":true}, 3],\"on\":\"yes\",\"schema_version\":1.5,\"env\":[]}", strict, []string{
			`1:9 error json/type "name" is the number 1, want a string`,
			`2:9 error json/type "files" is the string "a", want a list of strings`,
			`3:18 error json/type "tools[0].name" is true, want a string`,
			`3:25 error json/type "tools[1]" is the number 3, want an object`,
			`3:33 error json/type "on" is the string "yes", want true or false`,
			`3:56 error json/type "schema_version" is the number 1.5, want a whole number of 32 bits`,
			`3:66 error json/type "env" is a list, want an object`}},
		{"null", `{"name":null,"files":[null]}`, strict, []string{
			`1:9 error json/type "name" is null, want a string`,
			`1:23 error json/type "files[0]" is null, want a string`}},
		{"type that decodes itself", `{"extra":[1]}`, strict, []string{`1:10 error json/type "extra" is a list: want an object`}},
		{"int overflow", `{"schema_version":99999999999999999999}`, strict, []string{`1:19 error json/type "schema_version" is the number 99999999999999999999, want a whole number of 32 bits`}},
		{"int exponent", `{"schema_version":1e3}`, strict, []string{`1:19 error json/type "schema_version" is the number 1e3, want a whole number of 32 bits`}},
		{"float overflow", `{"ratio":1e999}`, strict, []string{`1:10 error json/syntax "ratio": the number 1e999 does not fit`}},
		{"root type", `[]`, strict, []string{`1:1 error json/type the document is a list, want an object`}},
		{"comments and trailing commas", "// a\n{\"name\":\"a\", /* b\n*/ \"on\": true, # c\n\"files\": [\"x\",],\n}", strict, []string{
			`1:1 error json/syntax comments are not allowed in JSON`,
			`2:14 error json/syntax comments are not allowed in JSON`,
			`3:16 error json/syntax comments are not allowed in JSON`,
			`4:14 error json/syntax a comma before "]"; JSON has no trailing commas`,
			`4:16 error json/syntax a comma before "}"; JSON has no trailing commas`}},
		{"trailing comma and meaning", "{\"nam\":\"a\",\n}", strict, []string{
			`1:2 error json/unknown-key unknown key "nam"; did you mean "name"?`,
			`1:11 error json/syntax a comma before "}"; JSON has no trailing commas`}},
		{"missing comma", "{\"name\": \"a\"\n  \"files\": [\"a\" \"b\"]}", strict, []string{
			`2:3 error json/syntax a comma is missing before this`,
			`2:17 error json/syntax a comma is missing before this`}},
		{"words", `{"ratio":NaN,"on":True,"schema_version":01,"free":[-Infinity,+5,.5]}`, strict, []string{
			`1:10 error json/syntax "NaN" is not a JSON value`,
			`1:19 error json/syntax "True" is not a JSON value`,
			`1:41 error json/syntax "01" is not a JSON value`,
			`1:52 error json/syntax "-Infinity" is not a JSON value`,
			`1:62 error json/syntax "+5" is not a JSON value`,
			`1:65 error json/syntax ".5" is not a JSON value`}},
		{"second document", "{\"name\":\"a\"}\n{}", strict, []string{`2:1 error json/syntax text follows after the end of the document`}},
		{"extra brace", `{"name":"a"}}`, strict, []string{`1:13 error json/syntax "}" closes nothing; the document ended before`}},
		{"conflict", "{\n<<<<<<< a\n\"on\":true,\n=======\n\"on\":false,\n>>>>>>> b\n\"name\":\"a\"}", strict, []string{
			`2:1 error json/syntax a merge conflict marker is left in the file`,
			`4:1 error json/syntax a merge conflict marker is left in the file`,
			`5:1 error json/duplicate-key key "on" appears twice in the document, before on line 3`,
			`6:1 error json/syntax a merge conflict marker is left in the file`}},
		{"invalid UTF-8", "{\"name\":\"é\xff\",\"id\":\"\xe2\x82\"}", strict, []string{
			`1:11 error json/encoding the byte 0xFF is not UTF-8`,
			`1:20 error json/encoding the byte 0xE2 is not UTF-8`}},
		{"lone surrogates", `{"name":"\ud800","id":"\udc00 \ud83d\ude80"}`, strict, []string{
			`1:10 error json/encoding "\\ud800" is half of a surrogate pair`,
			`1:24 error json/encoding "\\udc00" is half of a surrogate pair`}},
		{"bom", "\ufeff{\"nam\":\"a\"}", strict, []string{
			`1:1 error json/bom the file starts with a byte order mark`,
			`1:2 error json/unknown-key unknown key "nam"; did you mean "name"?`}},
		{"bom allowed", "\ufeff{}", Options{AllowBOM: true}, []string{`1:1 warning json/bom the file starts with a byte order mark`}},
		{"utf-16", "\xff\xfe{\x00", strict, []string{`1:1 error json/syntax the file is UTF-16, want UTF-8`}},
		{"empty", " \n", strict, []string{`1:1 error json/syntax the file is empty`}},
		{"ends early", "{\"name\":\n\"a", strict, []string{`2:3 error json/syntax the document ends too early: a string, object or list is not closed`}},
		{"line break in string", "{\"name\":\"a\nb\"}", strict, []string{`1:11 error json/syntax the string is not closed on this line`}},
		{"tab in string", "{\"name\":\"a\tb\"}", strict, []string{`1:11 error json/syntax the control character U+0009 is inside a string`}},
		{"bad escape", `{"name":"a\x"}`, strict, []string{`1:11 error json/syntax "\\x" is not an escape that JSON has`}},
		{"single quotes", `{'name':'a'}`, strict, []string{`1:2 error json/syntax names and strings need double quotes`}},
		{"bare name", `{name:"a"}`, strict, []string{`1:2 error json/syntax the name "name" needs double quotes`}},
		{"text escaped", "{\"\u202e\\u0007\":1}", strict, []string{`1:2 error json/unknown-key unknown key "\u202e\a"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var v doc
			got := lines(Decode([]byte(tt.in), &v, tt.opts))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decode(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

// security 3.4 row 64
func TestDepth(t *testing.T) {
	t.Parallel()
	nest := func(n int) []byte {
		return []byte(strings.Repeat("[", n) + `"[["` + strings.Repeat("]", n))
	}
	for _, tt := range []struct {
		n    int
		want []string
	}{
		{MaxDepth, nil},
		{MaxDepth + 1, []string{"1:65 error json/syntax nesting is deeper than 64"}},
		{1_000_000, []string{"1:65 error json/syntax nesting is deeper than 64"}},
	} {
		var v any
		if diff := cmp.Diff(tt.want, lines(Decode(nest(tt.n), &v, Options{}))); diff != "" {
			t.Errorf("depth %d (-want +got):\n%s", tt.n, diff)
		}
		if _, l := Any(nest(tt.n)); len(l) != len(tt.want) {
			t.Errorf("Any at depth %d: %v", tt.n, l)
		}
	}
}

// What could be read is in v even with problems: the last duplicate wins as a
// whole, wrong values are zero, the rest is there.
func TestDecodeSalvages(t *testing.T) {
	t.Parallel()
	in := "\ufeff" + `{"id":"i","env":{"A":"1"},"name":7,"nope":1,"files":["a",2,"c"],"env":{"B":"2"},"env":{"C":"3"},"version":"1.0",}`
	v := doc{License: "left over"}
	l := Decode([]byte(in), &v, Options{RejectUnknown: true})
	if len(l) != 7 {
		t.Errorf("got %d problems, want 7: %v", len(l), l)
	}
	want := doc{Version: "1.0", Files: []string{"a", "", "c"}, Env: map[string]string{"C": "3"}}
	want.ID = "i"
	if !reflect.DeepEqual(v, want) {
		t.Errorf("v = %+v\nwant %+v", v, want)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	in := "{" + strings.Repeat(`"x":1,`, 50_000) + `"y":2}`
	var v doc
	if l := Decode([]byte(in), &v, Options{RejectUnknown: true}); len(l) != maxProblems {
		t.Errorf("got %d problems, want %d", len(l), maxProblems)
	}
}

// security 3.4 row 65
func TestAny(t *testing.T) {
	t.Parallel()
	v, l := Any([]byte(`{"a":[1,12345678901234567890,true,null,"x"],"b":{}}`))
	if len(l) > 0 {
		t.Fatal(l)
	}
	if got, want := fmt.Sprintf("%#v", v), `map[string]interface {}{"a":[]interface {}{"1", "12345678901234567890", true, interface {}(nil), "x"}, "b":map[string]interface {}{}}`; got != want {
		t.Errorf("Any = %s\nwant %s", got, want)
	}
	for in, want := range map[string]string{
		`{"a":1e1000000000}`:                          `1:6 error json/syntax "a": the number 1e1000000000 does not fit`,
		`[1e-1000000000]`:                             `1:2 error json/syntax "[0]": the number 1e-1000000000 does not fit`,
		"[\n" + strings.Repeat("9", 10_000_000) + "]": `2:1 error json/syntax "[0]": the number ` + strings.Repeat("9", 60) + `… does not fit`,
		`{"a":1,"a":2}`:                               `1:8 error json/duplicate-key key "a" appears twice in the document, before on line 1`,
		`{"a":`:                                       `1:6 error json/syntax the document ends too early: a string, object or list is not closed`,
	} {
		_, l := Any([]byte(in))
		if diff := cmp.Diff([]string{want}, lines(l)); diff != "" {
			t.Errorf("Any(%.40q) (-want +got):\n%s", in, diff)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	keys := []string{"name", "license", "mcpServers", "input_schema", "id", "files"}
	for word, want := range map[string]string{
		"licence": "license", "nmae": "name", "NAME": "name", "mcp_servers": "mcpServers", "inputSchema": "input_schema",
		"names": "name", "xyz": "", "": "", "q": "", "ids": "id", "version": "", "name": "", strings.Repeat("n", 1000): "",
	} {
		got, ok := Nearest(word, keys)
		if got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", word, got, ok, want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.Title == "" || r.Help == "" || r.Fix == "" || r.Since == "" {
			t.Errorf("rule %q is incomplete or there twice", r.ID)
		}
		seen[r.ID] = true
	}
}
