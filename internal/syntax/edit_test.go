package syntax

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	replace := func(p, v string) func([]byte) ([]byte, error) {
		return func(d []byte) ([]byte, error) { return Replace(d, p, []byte(v)) }
	}
	insert := func(p string, i int, v string) func([]byte) ([]byte, error) {
		return func(d []byte) ([]byte, error) { return Insert(d, p, i, []byte(v)) }
	}
	set := func(p, k, v string) func([]byte) ([]byte, error) {
		return func(d []byte) ([]byte, error) { return SetMember(d, p, k, []byte(v)) }
	}
	for _, tt := range []struct {
		name string
		do   func([]byte) ([]byte, error)
		in   string
		want string
	}{
		{"scalar", replace("/version", `"2.0.0"`), "\ufeff{\r\n\t\"version\" :  \"1.0.0\" ,\r\n\t\"a\": 1.50\r\n}\r\n", "\ufeff{\r\n\t\"version\" :  \"2.0.0\" ,\r\n\t\"a\": 1.50\r\n}\r\n"},
		{"root", replace("", "2"), " 1 ", " 2 "},
		{"last of duplicates", replace("/a", "3"), `{"a":1,"a":2}`, `{"a":1,"a":3}`},
		{"list stays on its line", replace("/f", `["x",  "y"]`), "{\n  \"f\": [\"a\"]\n}", "{\n  \"f\": [\"x\", \"y\"]\n}"},
		{"list on lines, CRLF and tab", replace("/f", `["x","y"]`), "{\r\n\t\"f\": [\r\n\t\t\"a\"\r\n\t]\r\n}", "{\r\n\t\"f\": [\r\n\t\t\"x\",\r\n\t\t\"y\"\r\n\t]\r\n}"},
		{"scalar to object", replace("/f", `{"a":{"b":1}}`), "{\n    \"f\": 1\n}", "{\n    \"f\": {\n        \"a\": {\n            \"b\": 1\n        }\n    }\n}"},
		{"strings keep their spelling", replace("/f", `"\u00e9\/"`), `{"f":0}`, `{"f":"\u00e9\/"}`},
		{"append line", insert("/f", -1, `"c"`), "{\n  \"f\": [\n    \"a\",\n    \"b\"\n  ]\n}", "{\n  \"f\": [\n    \"a\",\n    \"b\",\n    \"c\"\n  ]\n}"},
		{"append to one", insert("/f", -1, `"c"`), "{\n  \"f\": [\n    \"a\"\n  ]\n}", "{\n  \"f\": [\n    \"a\",\n    \"c\"\n  ]\n}"},
		{"insert first", insert("/f", 0, `"c"`), "{\n  \"f\": [\n    \"a\"\n  ]\n}", "{\n  \"f\": [\n    \"c\",\n    \"a\"\n  ]\n}"},
		{"insert middle inline", insert("/f", 1, `"c"`), `{"f":["a","b"]}`, `{"f":["a","c","b"]}`},
		{"append inline to one", insert("/f", -1, `"c"`), `{"f": [ "a" ]}`, `{"f": [ "a", "c" ]}`},
		{"append to empty", insert("/f", -1, `"c"`), "{\n  \"f\": []\n}", "{\n  \"f\": [\n    \"c\"\n  ]\n}"},
		{"append to empty on one line", insert("/f", 0, `"c"`), `{"f":[ ]}`, `{"f":["c"]}`},
		{"append object on lines", insert("", -1, `{"b":[1]}`), "[\n  {\n    \"a\": 1\n  }\n]", "[\n  {\n    \"a\": 1\n  },\n  {\n    \"b\": [\n      1\n    ]\n  }\n]"},
		{"new member", set("", "version", `"1"`), "{\r\n  \"a\": [1]\r\n}", "{\r\n  \"a\": [1],\r\n  \"version\": \"1\"\r\n}"},
		{"new member inline", set("", "v", `1`), `{"a":1,"b":2}`, `{"a":1,"b":2,"v":1}`},
		{"known member", set("/o", "v", `1`), `{"o": {"v": 2}}`, `{"o": {"v": 1}}`},
		{"member of empty", set("", "v/w", `1`), "{}\n", "{\n  \"v/w\": 1\n}\n"},
	} {
		got, err := tt.do([]byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	if _, err := Replace([]byte(`{"a":1}`), "/b", []byte("1")); !errors.Is(err, ErrNotFound) {
		t.Errorf("missing value: %v", err)
	}
	if _, err := Insert([]byte(`{"a":1}`), "/a", 0, []byte("1")); !errors.Is(err, ErrNotFound) {
		t.Errorf("not a list: %v", err)
	}
	if _, err := Insert([]byte(`[1]`), "", 2, []byte("1")); !errors.Is(err, ErrNotFound) {
		t.Errorf("index past the end: %v", err)
	}
	if _, err := SetMember([]byte(`[1]`), "", "a", []byte("1")); !errors.Is(err, ErrNotFound) {
		t.Errorf("not an object: %v", err)
	}
	for _, v := range []string{"", "1 2", `{"a":1,"a":2}`, `"x`, `1}, "b": {`} {
		if _, err := Replace([]byte(`{"a":1}`), "/a", []byte(v)); err == nil {
			t.Errorf("value %q was taken", v)
		}
	}
	if _, err := Replace([]byte(`{"a":1,}`), "/a", []byte("2")); err == nil {
		t.Error("a broken document was edited")
	}
}

func TestObjectKeepsOrderAndUnknown(t *testing.T) {
	t.Parallel()
	in := []byte(`{"z":1.50,"a":{"y":[],"b":"\u00e9<"},"m":null}`)
	var o Object
	if l := Decode(in, &o, Options{}); len(l) > 0 {
		t.Fatal(l)
	}
	got, err := Compact(o)
	if err != nil || string(got) != `{"z":1.50,"a":{"y":[],"b":"é<"},"m":null}` {
		t.Errorf("round trip = %s, %v", got, err)
	}
	o.Set("a", Raw("2"))
	if err := o.SetValue("new", []string(nil)); err != nil {
		t.Fatal(err)
	}
	if !o.Delete("m") || o.Delete("m") {
		t.Error("Delete does not report what was there")
	}
	if v, ok := o.Get("z"); !ok || string(v) != "1.50" || o.Len() != 3 {
		t.Errorf("Get(z) = %s, %v; Len %d", v, ok, o.Len())
	}
	got, err = Encode(o)
	if want := "{\n  \"z\": 1.50,\n  \"a\": 2,\n  \"new\": []\n}\n"; err != nil || string(got) != want {
		t.Errorf("Encode = %s, %v, want %s", got, err, want)
	}
	if got := o.Keys(); !cmp.Equal(got, []string{"z", "a", "new"}) {
		t.Errorf("Keys = %v", got)
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	v := struct {
		B string            `json:"b"`
		A []string          `json:"a"`
		M map[string]int    `json:"m"`
		N map[string]string `json:"n,omitempty"`
		R Raw               `json:"r"`
	}{B: "<&>\u2028", M: map[string]int{"z": 1, "a": 2}, R: Raw(`{"x":[1,2]}`)}
	want := "{\n  \"b\": \"<&>\u2028\",\n  \"a\": [],\n  \"m\": {\n    \"a\": 2,\n    \"z\": 1\n  },\n  \"r\": {\n    \"x\": [\n      1,\n      2\n    ]\n  }\n}\n"
	for range 20 {
		got, err := Encode(v)
		if err != nil || string(got) != want {
			t.Fatalf("Encode = %s, %v, want %s", got, err, want)
		}
	}
	if got, err := Canonical([]byte("{ \"b\": 1.0, \"a\": \"\\u00e9\" }")); err != nil || string(got) != `{"a":"é","b":1}` {
		t.Errorf("Canonical = %s, %v", got, err)
	}
	if _, err := Canonical(bytes.Repeat([]byte("["), 100)); err == nil {
		t.Error("Canonical took a broken value")
	}
}
