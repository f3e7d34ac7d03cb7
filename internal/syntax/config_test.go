package syntax

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What other programs' files look like before and after our keys are set, and
// after they are taken away again. Issue 4, hand over: other people's keys, order
// and comments survive.
func TestEditConfig(t *testing.T) {
	t.Parallel()
	on := Change{Path: []string{"on", "b@pinion"}, Value: true}
	tests := []struct {
		name, before string
		format       ConfigFormat
		change       Change
		after        string
		lost         bool // taking it away again does not give the same bytes
	}{
		{"empty file", "", ConfigJSON, on, "{\n  \"on\": {\n    \"b@pinion\": true\n  }\n}\n", true},
		{"empty object", "{}\n", ConfigJSON, on, "{\n  \"on\": {\n    \"b@pinion\": true\n  }\n}\n", false},
		{"last member", "{\n    \"a\": 1,\n    \"on\": {\n        \"a@x\": true\n    }\n}", ConfigJSON, on,
			"{\n    \"a\": 1,\n    \"on\": {\n        \"a@x\": true,\n        \"b@pinion\": true\n    }\n}", false},
		{"tabs", "{\n\t\"on\": {\n\t\t\"a@x\": true\n\t},\n\t\"z\": []\n}\n", ConfigJSON, on,
			"{\n\t\"on\": {\n\t\t\"a@x\": true,\n\t\t\"b@pinion\": true\n\t},\n\t\"z\": []\n}\n", false},
		{"one line", `{"a":1,"on":{"x":false,"y":true}}`, ConfigJSON, on, `{"a":1,"on":{"x":false,"y":true,"b@pinion": true}}`, false},
		{"one line, new object", `{"a":1}`, ConfigJSON, on, `{"a":1, "on": {"b@pinion": true}}`, false},
		{"windows", "{\r\n  \"a\": 1\r\n}\r\n", ConfigJSON, on, "{\r\n  \"a\": 1,\r\n  \"on\": {\r\n    \"b@pinion\": true\r\n  }\r\n}\r\n", false},
		{"byte order mark", "\ufeff{\n  \"a\": 1\n}\n", ConfigJSON, on, "\ufeff{\n  \"a\": 1,\n  \"on\": {\n    \"b@pinion\": true\n  }\n}\n", false},
		{"value in place", "{\n  \"on\": {\"b@pinion\": false /* off */},\n}\n", ConfigJSONC, on, "{\n  \"on\": {\"b@pinion\": true /* off */},\n}\n", true},
		{"comments", "// mine\n{\n  \"a\": 1, // one\n  /* two */ \"b\": \"//x\" // \"}\n}\n", ConfigJSONC, on,
			"// mine\n{\n  \"a\": 1, // one\n  /* two */ \"b\": \"//x\", // \"}\n  \"on\": {\n    \"b@pinion\": true\n  }\n}\n", false},
		{"trailing comma", "{\n  \"a\": 1, // one\n}\n", ConfigJSONC, on, "{\n  \"a\": 1, // one\n  \"on\": {\n    \"b@pinion\": true\n  },\n}\n", false},
		{"only a comment", "{\n  // nothing yet\n}\n", ConfigJSONC, on, "{\n  \"on\": {\n    \"b@pinion\": true\n  }\n  // nothing yet\n}\n", false},
		{"take away the first", "{\n  \"on\": {\n    \"b@pinion\": true,\n    \"z\": 1\n  }\n}\n", ConfigJSON, Change{Path: on.Path}, "{\n  \"on\": {\n    \"z\": 1\n  }\n}\n", true},

		{"toml: empty file", "", ConfigTOML, on, "[on]\n\"b@pinion\" = true\n", false},
		{"toml: new table", "# mine\nmodel = \"x\" # y\n", ConfigTOML, on, "# mine\nmodel = \"x\" # y\n\n[on]\n\"b@pinion\" = true\n", false},
		{"toml: table is there", "[on]\na = 1 # x\n\n# about p\n[p]\nq = [\n  1,\n]\n", ConfigTOML, on, "[on]\na = 1 # x\n\"b@pinion\" = true\n\n# about p\n[p]\nq = [\n  1,\n]\n", false},
		{"toml: in place", "[on]\n\"b@pinion\" = false # off\n", ConfigTOML, on, "[on]\n\"b@pinion\" = true # off\n", true},
		{"toml: dotted", "on.\"b@pinion\" = false\n", ConfigTOML, on, "on.\"b@pinion\" = true\n", true},
		{"toml: windows", "a = 1\r\n", ConfigTOML, on, "a = 1\r\n\r\n[on]\r\n\"b@pinion\" = true\r\n", false},
		{"toml: deep", "[plugins.\"a@x\"]\nenabled = true\n", ConfigTOML, Change{Path: []string{"plugins", "b@pinion", "enabled"}, Value: true},
			"[plugins.\"a@x\"]\nenabled = true\n\n[plugins.\"b@pinion\"]\nenabled = true\n", false},
		{"toml: at the root", "a = 1\n\n[t]\nb = 2\n", ConfigTOML, Change{Path: []string{"c"}, Value: `q"\`}, "a = 1\n\nc = \"q\\\"\\\\\"\n[t]\nb = 2\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, made, err := EditConfig([]byte(tt.before), tt.format, []Change{tt.change})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(out)); diff != "" {
				t.Fatalf("after the change (-want +got):\n%s", diff)
			}
			if tt.lost {
				return
			}
			back := []Change{{Path: tt.change.Path}}
			for i := len(made) - 1; i >= 0; i-- {
				back = append(back, Change{Path: made[i], IfEmpty: true})
			}
			again, _, err := EditConfig(out, tt.format, back)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.before, string(again)); diff != "" {
				t.Errorf("taken away again (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEditConfigSeveral(t *testing.T) {
	t.Parallel()
	before := "{\n  \"on\": {\n    \"a\": 1,\n    \"b\": 2,\n    \"c\": 3\n  }\n}\n"
	out, _, err := EditConfig([]byte(before), ConfigJSON, []Change{
		{Path: []string{"on", "b"}}, {Path: []string{"on", "c"}}, {Path: []string{"on", "d"}, Value: "x"},
		{Path: []string{"new", "e"}, Value: true}, {Path: []string{"new", "f"}, Value: []string{"g"}}, {Path: []string{"on", "a"}, Value: false},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"on\": {\n    \"a\": false,\n    \"d\": \"x\"\n  },\n  \"new\": {\n    \"e\": true,\n    \"f\": [\n      \"g\"\n    ]\n  }\n}\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
}

// Hostile and unusual files are refused and never guessed at.
func TestEditConfigRefuses(t *testing.T) {
	t.Parallel()
	on := []Change{{Path: []string{"on", "b"}, Value: true}}
	for _, tt := range []struct {
		name, data string
		format     ConfigFormat
		want       string
	}{
		{"not JSON", "{\"a\": }", ConfigJSON, "1:7"},
		{"comment in JSON", "{ // x\n}", ConfigJSON, "1:3"},
		{"two documents", "{} {}", ConfigJSONC, "1:4"},
		{"duplicate key", "{\"on\": {}, \"on\": {}}", ConfigJSON, "on"},
		{"a list", "[]", ConfigJSON, "not an object"},
		{"parent is no object", "{\"on\": true}", ConfigJSON, "not an object"},
		{"open comment", "{ /* x }", ConfigJSONC, "1:4"},
		{"only a comma", "{ , }", ConfigJSONC, "1:3"},
		{"too large", strings.Repeat(" ", maxConfig) + "{}", ConfigJSON, "at most"},
		{"not TOML", "a = ", ConfigTOML, "1:"},
		{"inline table", "on = { a = true }\n", ConfigTOML, "table of its own"},
		{"array of tables", "[[on]]\na = 1\n", ConfigTOML, "table of its own"},
		{"scalar", "on = 1\n", ConfigTOML, "table of its own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, _, err := EditConfig([]byte(tt.data), tt.format, on)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want an error with %q", out, err, tt.want)
			}
		})
	}
	_, _, err := EditConfig([]byte("on = {}"), ConfigTOML, on)
	if !errors.Is(err, ErrUneditable) {
		t.Errorf("got %v, want ErrUneditable", err)
	}
}

// Whatever the text is: an edit that succeeds leaves a document that can be read
// and has the value, and all other values.
func FuzzEditConfig(f *testing.F) {
	for _, s := range []string{"{}", "{\"a\":[1,{\"b\":\"}\"}],}", "// x\n{\"on\":{/**/}}", "\ufeff{}", "{\"on\":{\"b\":1,\n},\n}"} {
		f.Add([]byte(s), uint8(1))
	}
	for _, s := range []string{"a=1", "[on]\nb='x' # y", "on.c=1\r\n[z.y]\n", "[[a]]\nb=1\n[a.on]\n", "x = \"\"\"\n[on]\n\"\"\""} {
		f.Add([]byte(s), uint8(2))
	}
	f.Fuzz(func(t *testing.T, data []byte, form uint8) {
		format := []ConfigFormat{ConfigJSON, ConfigJSONC, ConfigTOML}[form%3]
		before, err := ReadConfig(data, format)
		if err != nil {
			return
		}
		out, made, err := EditConfig(data, format, []Change{{Path: []string{"on", "b"}, Value: true}})
		if err != nil {
			return
		}
		after, err := ReadConfig(out, format)
		if v, _ := ConfigValue(after, "on", "b"); err != nil || v != true {
			t.Fatalf("%q became %q: %v", data, out, err)
		}
		back := []Change{{Path: []string{"on", "b"}}}
		for i := len(made) - 1; i >= 0; i-- {
			back = append(back, Change{Path: made[i], IfEmpty: true})
		}
		if _, had := ConfigValue(before, "on", "b"); had {
			return
		}
		again, _, err := EditConfig(out, format, back)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, out, err)
		}
		restored, err := ReadConfig(again, format)
		if err != nil || !EqualConfig(before, restored) {
			t.Fatalf("%q became %q and %q: %v", data, out, again, err)
		}
	})
}
