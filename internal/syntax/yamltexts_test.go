package syntax

import (
	"strings"
	"testing"
)

func TestYAMLTexts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                    `null`,
		"a: 1\nb: '2'\nc: 0123456\nd: true\n": `{"a":"1","b":"2","c":"0123456","d":"true"}`,
		"a: ~\nb:\nc: null\nd: \"null\"":      `{"a":null,"b":null,"c":null,"d":"null"}`,
		"- x\n- {y: [1e3, 2026-01-02]}\n- |\n  two\n  lines\n": `["x",{"y":["1e3","2026-01-02"]},"two\nlines\n"]`,
		"1: x\ntrue: y\n":     `{"1":"x","true":"y"}`,
		"a: \"q\\\"\\u00e9\"": `{"a":"q\"é"}`,
	} {
		got, err := YAMLTexts([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("YAMLTexts(%q) = %s, %v, want %s", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"a: &x 1":                 "anchors",
		"a: &x 1\nb: *x":          "anchors",
		"a: {b: 1}\n<<: {c: 1}":   "a key is not text",
		"a: !!str 1":              "tags",
		"a: !own x":               "tags",
		"a: 1\na: 2":              "twice",
		"[a]: 1":                  "key is not text",
		"a: [":                    "",
		"a: \x00":                 "",
		"\"a\": 1\n\"a\": 2":      "twice",
		strings.Repeat("[", 9000): "",
		"a: 1\n---\nb: 2":         "",
	} {
		got, err := YAMLTexts([]byte(in))
		if in == "a: 1\n---\nb: 2" {
			if err != nil || string(got) != `{"a":"1"}` {
				t.Errorf("the first of two documents: %s, %v", got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("YAMLTexts(%.40q) = %s, %v, want an error with %q", in, got, err, want)
		}
	}
}
