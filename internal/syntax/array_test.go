package syntax

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeArray(t *testing.T) {
	t.Parallel()
	text := "\ufeff{\"x\": {\"l\": [ {\"a\":1} ,\n 2, \"é\" ]}, \"y\": []}"
	var got []string
	l, err := DecodeArray([]byte(text), "/x/l", func(i int, raw Raw, offset int) error {
		line, col := PositionAt([]byte(text), offset)
		got = append(got, fmt.Sprintf("%d %s %d:%d", i, raw, line, col))
		return nil
	})
	if diff := cmp.Diff([]string{`0 {"a":1} 1:15`, "1 2 2:2", `2 "é" 2:5`}, got); diff != "" || err != nil || len(l) > 0 {
		t.Errorf("DecodeArray: %v, %v\n%s", l, err, diff)
	}
	stop := errors.New("enough")
	if _, err := DecodeArray([]byte(text), "/x/l", func(int, Raw, int) error { return stop }); err != stop {
		t.Errorf("the callback's error became %v", err)
	}
	for in, want := range map[string]string{
		`{"x":[1,{"a":1,"a":2}]}`:           `1:16 error json/duplicate-key key "a" appears twice in "x[1]", before on line 1`,
		`{"x":[1,]}`:                        `1:8 error json/syntax a comma before "]"; JSON has no trailing commas`,
		`{"x":[1]} 2`:                       `1:11 error json/syntax text follows after the end of the document`,
		`{"x":[1],"y":1,"y":1}`:             `1:16 error json/duplicate-key key "y" appears twice in the document, before on line 1`,
		`{"x":{}}`:                          `1:6 error json/type the value at "/x" is not a list`,
		`{"z":{}}`:                          `1:1 error json/type there is no value at "/x"`,
		`{"x":[` + strings.Repeat("[", 100): `1:69 error json/syntax nesting is deeper than 64`,
	} {
		l, err := DecodeArray([]byte(in), "/x", func(int, Raw, int) error { return nil })
		if diff := cmp.Diff([]string{want}, lines(l)); diff != "" || err != nil {
			t.Errorf("DecodeArray(%q): %v\n%s", in, err, diff)
		}
	}
}

type entry struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Source      string `json:"source"`
	Hash        string `json:"hash"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
	Kind        string `json:"kind"`
	License     string `json:"license"`
}

type entries struct {
	Name    string  `json:"name"`
	Plugins []entry `json:"plugins"`
}

func catalog(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"schema_version":1,"name":"acme","plugins":[`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"name":"plugin-%d","version":"1.2.3","source":"./plugins/plugin-%d","hash":"h1:Qm3xV1a0Qm3xV1a0Qm3xV1a0Qm3xV1a0Qm3xV1a0Qm3=","displayName":"Plugin %d","description":"Does one useful thing and says so in a sentence of ordinary length.","kind":"skill","license":"MIT"}`, i, i, i)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

const manifest340 = `{"schema_version":1,"name":"text-tools","version":"1.0.0","license":"Apache-2.0","files":["server.py","README.md","LICENSE"],"tools":[{"name":"count_words","input_schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}],"env":{"A":"long enough to be 340 bytes in all"}}`

func BenchmarkDecode(b *testing.B) {
	data := []byte(manifest340)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var v doc
		if l := Decode(data, &v, Options{RejectUnknown: true}); l != nil {
			b.Fatal(l)
		}
	}
}

func BenchmarkCatalog(b *testing.B) {
	data := catalog(10_000)
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("v1", func() error { var v entries; return stdjson.Unmarshal(data, &v) })
	run("Decode", func() error { var v entries; return Decode(data, &v, Options{}).Err() })
	run("DecodeArray", func() error {
		l, err := DecodeArray(data, "/plugins", func(int, Raw, int) error { return nil })
		return errors.Join(l.Err(), err)
	})
	run("DecodeArray+Decode", func() error {
		l, err := DecodeArray(data, "/plugins", func(_ int, raw Raw, _ int) error { var e entry; return Decode(raw, &e, Options{}).Err() })
		return errors.Join(l.Err(), err)
	})
}
