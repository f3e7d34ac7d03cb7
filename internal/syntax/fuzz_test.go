package syntax

import (
	"bytes"
	"testing"
)

// security 3.4 rows 61-67: no input panics; what is accepted encodes and
// decodes to the same; positions are inside the text.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{manifest340, `{"a":1,}`, "\ufeff{\"name\":NaN}", "{\n<<<<<<< a\n}", `{"name":"\ud800"}`, "{'a':1}", `{"a":1 "b":2}`, `[01]`, "{\"env\":{\"a\":null},\"env\":1}", "/* {", `{"a":tru,"b":}`, "{\"name\":\"a\tb\\x\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v doc
		l := Decode(data, &v, Options{RejectUnknown: true})
		end := bytes.Count(data, []byte("\n")) + 1
		for _, p := range l {
			if p.Line < 1 || p.Column < 1 || p.Line > end {
				t.Fatalf("position outside the text: %v", p)
			}
		}
		if len(l) == 0 {
			out, err := Encode(v)
			if err != nil {
				t.Fatalf("encode what was decoded: %v", err)
			}
			var again any
			if l := Decode(out, &again, Options{}); l.HasErrors() {
				t.Fatalf("our own text is refused: %v", l)
			}
		}
		val, al := Any(data)
		if len(al) == 0 {
			if _, err := Compact(val); err != nil {
				t.Fatalf("encode Any: %v", err)
			}
		}
		Locate(data, "/a/0/b")
		LocateKey(data, "/name")
		if l, err := DecodeArray(data, "/files", func(int, Raw, int) error { return nil }); err == nil && len(l) == 0 {
			if _, reason, broken := firstFault(TrimBOM(data)); broken {
				t.Fatalf("DecodeArray took a broken document: %s", reason)
			}
		}
	})
}

// security 3.4 rows 68-70
func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{"---\nname: a\n---\n", "\ufeff\n---\r\na: b: c\r\n---\r\nx", "---\na: &x [*x]\n---", "---\na: {b: \"c\n---\n", "---\n? [a]\n: b\n---\n", "---\na: \xff\n...\n---\n", "---\na:\r b: |\n  x\u2028y\n---\n", "# x\n---\nname: y\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		front, l := Frontmatter(data)
		end := bytes.Count(data, []byte("\n")) + 1
		for _, p := range l {
			if p.Line < 1 || p.Column < 1 || p.Line > end {
				t.Fatalf("position outside the text: %v", p)
			}
		}
		for _, x := range front.Fields {
			if x.Line < front.Line || x.Column < 1 || x.Line > end {
				t.Fatalf("field outside the text: %+v", x)
			}
		}
		if front.Body > len(data) || front.Start > front.End {
			t.Fatalf("ranges: %+v", front)
		}
	})
}

// A document with a replaced or added value parses, holds the value there, and
// has the same bytes elsewhere.
func FuzzReplace(f *testing.F) {
	f.Add([]byte("\ufeff{\r\n\t\"a\": [1, 2]\r\n}"), "/a", []byte(`{"x":[1]}`))
	f.Add([]byte(`{"a":{},"a":[ ]}`), "/a", []byte(`"s"`))
	f.Add([]byte("[[\n1,\n2]]"), "/0", []byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte, pointer string, value []byte) {
		at := find(data, pointer)
		out, err := Replace(data, pointer, value)
		if err != nil {
			return
		}
		if !bytes.HasPrefix(out, data[:at.start]) || !bytes.HasSuffix(out, data[at.end:]) {
			t.Fatalf("bytes outside the value changed: %q to %q", data, out)
		}
		holds(t, out, pointer, value)
		if more, err := Append(data, pointer, value); err == nil {
			holds(t, more, "", more)
			if n := len(children(data, at.start)); len(children(more, find(more, pointer).start)) != n+1 {
				t.Fatalf("append: %q to %q", data, more)
			}
		}
		if more, err := SetMember(data, pointer, "k/ey", value); err == nil {
			holds(t, more, pointer+"/k~1ey", value)
		}
	})
}

// holds checks that the value at pointer of text is value but for its layout.
func holds(t *testing.T, text []byte, pointer string, value []byte) {
	t.Helper()
	if _, reason, broken := firstFault(TrimBOM(text)); broken {
		t.Fatalf("the edited document is broken: %s\n%q", reason, text)
	}
	at := find(text, pointer)
	got, want := Raw(bytes.Clone(text[at.start:at.end])), Raw(bytes.Clone(bytes.TrimSpace(TrimBOM(value))))
	if !at.found || got.Compact() != nil || want.Compact() != nil || !bytes.Equal(got, want) {
		t.Fatalf("at %q is %q, want %q in %q", pointer, got, want, text)
	}
}
