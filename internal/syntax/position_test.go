package syntax

import (
	"fmt"
	"strings"
	"testing"
)

func TestPositionAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		offset     int
		want       string
	}{
		{"start", "ab", 0, "1:1"},
		{"end", "ab", 2, "1:3"},
		{"past the end", "ab", 99, "1:3"},
		{"negative", "ab", -1, "1:1"},
		{"LF", "a\nb", 2, "2:1"},
		{"at LF", "a\nb", 1, "1:2"},
		{"CRLF", "a\r\nb", 3, "2:1"},
		{"lone CR is no line", "a\rb", 2, "1:3"},
		{"BOM has no width", "\ufeffab", 4, "1:2"},
		{"in the BOM", "\ufeffab", 1, "1:1"},
		{"BOM then line", "\ufeffa\nb", 5, "2:1"},
		{"multibyte", "é漢🚀x", 9, "1:4"},
		{"invalid byte", "\xff\xffx", 2, "1:3"},
	} {
		if l, c := PositionAt([]byte(tt.text), tt.offset); fmt.Sprintf("%d:%d", l, c) != tt.want {
			t.Errorf("%s: PositionAt(%q, %d) = %d:%d, want %s", tt.name, tt.text, tt.offset, l, c, tt.want)
		}
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	text := "\ufeff{\r\n  \"é\": {\"a/b\": [1, {\"m~n\" : \"x\"}]},\r\n  \"d\": 1, \"d\" : 22,\r\n  \"\": [[]]\r\n}"
	for _, tt := range []struct{ pointer, value, key string }{
		{"", "1:1", "1:1"},
		{"/é", "2:8", "2:3"},
		{"/é/a~1b", "2:16", "2:9"},
		{"/é/a~1b/0", "2:17", "2:17"},
		{"/é/a~1b/1/m~0n", "2:29", "2:21"},
		{"/d", "3:17", "3:11"},
		{"/", "4:7", "4:3"},
		{"//0", "4:8", "4:8"},
		{"/missing", "1:1", "1:1"},
		{"/é/missing/x", "2:8", "2:3"},
		{"/é/a~1b/00", "2:16", "2:9"},
		{"nonsense", "1:1", "1:1"},
	} {
		if l, c := Locate([]byte(text), tt.pointer); fmt.Sprintf("%d:%d", l, c) != tt.value {
			t.Errorf("Locate(%q) = %d:%d, want %s", tt.pointer, l, c, tt.value)
		}
		if l, c := LocateKey([]byte(text), tt.pointer); fmt.Sprintf("%d:%d", l, c) != tt.key {
			t.Errorf("LocateKey(%q) = %d:%d, want %s", tt.pointer, l, c, tt.key)
		}
	}
	// A document that ends in a fault is located as far as it goes.
	if l, c := Locate([]byte("{\"a\": 1,\n \"b\": [2, 3"), "/b/0"); l != 2 || c != 8 {
		t.Errorf("Locate in a broken document = %d:%d, want 2:8", l, c)
	}
	if got, want := Pointer("a/b", 3, "m~n"), "/a~1b/3/m~0n"; got != want {
		t.Errorf("Pointer = %q, want %q", got, want)
	}
	if l, _ := Locate([]byte(strings.Repeat("[", 100000)), "/0/0"); l != 1 {
		t.Errorf("Locate in deep nesting = line %d, want 1", l)
	}
}
