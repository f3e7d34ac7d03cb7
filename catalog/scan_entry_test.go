package catalog

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/problem"
)

// Reading an entry in one pass gives what decoding gives, or leaves it to the
// decoder.
func TestEntryScan(t *testing.T) {
	t.Parallel()
	const hash = `"h1:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk="`
	tests := []struct {
		raw     string
		decoder bool // left to the decoder
	}{
		{raw: `{}`},
		{raw: "{ \n}"},
		{raw: `{"name":"a","version":"1.0.0","source":"./plugins/a","hash":` + hash + `,"displayName":"A","description":"d","kind":"skill","license":"MIT"}`},
		{raw: "{\n  \"name\" : \"b\" ,\r\n\t\"version\": \"1.0.0\", \"kind\":\"skill\",\"license\":\"MIT\"\n}"},
		{raw: `{"name":"\u0061\n\"\\\ud83d\ude00","version":"1\u002e0","kind":"sk\u0069ll","license":"\\","description":"é 漢 \/"}`},
		{raw: `{"license":"\\","kind":"","version":""}`},
		{raw: `{"license":"\\\\"}`},
		{raw: `{"license":"a\nb"}`},
		{raw: `{"license":"a\\nb"}`},
		{raw: `{"source":{"source":"github","repo":"a/b","ref":"main","sha":"x","package":1}}`},
		{raw: `{"source":{"source":1}}`},
		{raw: `{"source":[1,{"a":"]"}],"hash":17}`},
		{raw: `{"source":true,"hash":"h2:x"}`},
		{raw: `{"hash":"\u00681:ewgmbxq501s9WBsNBQyYKOiGfnOXpdPPuc8LDrawrBk="}`},
		{raw: `{"tags":["a","b\n",1,["c"]],"keywords":"no list","category":{"x":[]}}`},
		{raw: `{"strict":true}`},
		{raw: `{"strict":false,"hooks":{"a":[{"b":"}"}]},"skills":["./s"],"mcpServers":"x","author":{"name":"N"},"homepage":1e3}`},
		{raw: `{"commands":1,"agents":2,"lspServers":3,"monitors":4,"outputStyles":5,"workflows":6,"themes":7,"experimental":8,"settings":9,"userConfig":10,"channels":11}`},
		{raw: `{"name":null,"version":null,"source":null,"hash":null,"tags":null,"strict":null,"skills":null,"category":null,"license":null}`},
		{raw: `{"Name":"other case","NAME":"too","x":"\\\"","y":"\\"}`},

		{raw: `{"name":1}`, decoder: true},
		{raw: `{"version":["1"]}`, decoder: true},
		{raw: `{"description":{}}`, decoder: true},
		{raw: `{"kind":true}`, decoder: true},
		{raw: `{"strict":"yes"}`, decoder: true},
		{raw: `{"n\u0061me":"a"}`, decoder: true},
		{raw: `[]`, decoder: true},
		{raw: `"text"`, decoder: true},
		{raw: `null`, decoder: true},
	}
	opts := cmp.AllowUnexported(wireEntry{}, wireHash{}, wireSource{}, hashes.Digest{})
	var s entryScan // one for all, as in a catalog
	for _, tt := range tests {
		if !json.Valid([]byte(tt.raw)) {
			t.Fatalf("%s is not JSON", tt.raw)
		}
		var want wireEntry
		found := syntax.Decode([]byte(tt.raw), &want, syntax.Options{})
		got := s.read([]byte(tt.raw))
		if got == tt.decoder {
			t.Errorf("%s: read is %v", tt.raw, got)
		}
		if !got {
			continue
		}
		if diff := cmp.Diff(want, s.w, opts); diff != "" {
			t.Errorf("%s: -decoded +read\n%s", tt.raw, diff)
		}
		for _, p := range found {
			if p.Severity == problem.Error && !strings.Contains(tt.raw, "null") {
				t.Errorf("%s: decoding says %s", tt.raw, p.Message)
			}
		}
	}
}

// Every field of an entry is read in the one pass too.
func TestEntryScanFields(t *testing.T) {
	t.Parallel()
	var check func(typ reflect.Type)
	check = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Anonymous {
				check(f.Type)
				continue
			}
			name := f.Tag.Get("json")
			var filled bool
			for _, value := range []string{`"x"`, `["x"]`, `true`} {
				var s entryScan
				if s.read([]byte(`{"`+name+`":`+value+`}`)) && !reflect.DeepEqual(s.w, wireEntry{}) {
					filled = true
				}
			}
			if !filled {
				t.Errorf("%q is not read", name)
			}
		}
	}
	check(reflect.TypeFor[wireEntry]())
}
