package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show renders fields as "key kind value line:col value-line:col".
func show(fields []Field) []string {
	var out []string
	for _, f := range fields {
		v := f.Value
		switch f.Kind {
		case List:
			v = strings.Join(f.List, "|")
		case Map:
			v = strings.Join(show(f.Items), ";")
		}
		out = append(out, fmt.Sprintf("%s %s %s %d:%d %d:%d", f.Key, f.Kind, v, f.Line, f.Column, f.ValueLine, f.ValueColumn))
	}
	return out
}

// security 3.4 rows 68-70
func TestFrontmatter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, body string
		fields, want   []string
	}{
		{"plain", "---\nname: a\ndescription: \"é: b\"\n---\nbody\n", "body\n",
			[]string{"name string a 2:1 2:7", "description string é: b 3:1 3:14"}, nil},
		{"CRLF and blanks after dashes", "---  \r\nname: a\r\nx: |\r\n  l1\r\n  l2\r\n--- \t\r\nbody", "body",
			[]string{"name string a 2:1 2:7", "x string l1\nl2\n 3:1 3:4"}, nil},
		{"kinds keep their text", "---\na: yes\nb: 1.10\nc: 2026-01-02\nd: ~\ne: true\nf: [x, 1, [y]]\ng:\n  k: v\nh: '1'\ni:\n---", "",
			[]string{"a string yes 2:1 2:4", "b number 1.10 3:1 3:4", "c date 2026-01-02 4:1 4:4", "d null ~ 5:1 5:4", "e bool true 6:1 6:4",
				"f list x|1 7:1 7:4", "g map k string v 9:3 9:6 8:1 9:3", "h string 1 10:1 10:4", "i null  11:1 11:3"}, nil},
		{"dashes inside a value", "---\na: x --- y\nb: |\n  ---\n---\nrest\n---\n", "rest\n---\n",
			[]string{"a string x --- y 2:1 2:4", "b string ---\n 3:1 3:4"}, nil},
		{"empty", "---\n---\nb", "b", nil, nil},
		{"comment only", "---\n# c\n---\n", "", nil, nil},
		{"none", "# Title\n\ntext\n\n---\n\nmore", "# Title\n\ntext\n\n---\n\nmore", nil, nil},
		{"a table is no frontmatter", "| a |\n| --- |\n", "| a |\n| --- |\n", nil, nil},
		{"no file", "", "", nil, nil},
		{"BOM", "\ufeff---\nname: é\n---\nb", "b", []string{"name string é 2:1 2:7"},
			[]string{"1:1 warning skill/frontmatter a byte order mark comes before the frontmatter"}},
		{"blank lines", "\r\n \n---\nname: a\n---\nb", "b", []string{"name string a 4:1 4:7"},
			[]string{"1:1 warning skill/frontmatter blank lines come before the frontmatter"}},
		{"indented dashes", " ---\nname: a\n---\nb", " ---\nname: a\n---\nb", nil, nil},
		{"after a heading", "# T\n\n---\nname: a\n---\n", "# T\n\n---\nname: a\n---\n", nil,
			[]string{"3:1 warning skill/frontmatter the frontmatter does not start on the first line; hosts do not see it"}},
		{"unclosed", "---\nname: a\n", "---\nname: a\n", nil,
			[]string{"1:1 error skill/frontmatter-unclosed the frontmatter that starts here has no closing --- line"}},
		{"unquoted colon", "---\nname: a\ndescription: Use é when: asked\nx: [1]\n---\n", "",
			[]string{"name string a 2:1 2:7", "description string Use é when: asked 3:1 3:14", "x list 1 4:1 4:4"},
			[]string{`3:24 warning yaml/syntax the value of "description" has a colon and a space, but no quotes`}},
		{"two broken values", "---\na: `x`\nb: [p] [q]\nc: \"x\", \"y\"\n---\n", "",
			[]string{"a string `x` 2:1 2:4", "b string [p] [q] 3:1 3:4", "c string \"x\", \"y\" 4:1 4:4"},
			[]string{"2:4 warning yaml/syntax the value of \"a\" starts with \"`\", which needs quotes: found character that cannot start any token",
				`3:8 warning yaml/syntax text follows after the closing "]" in the value of "b"`,
				`4:7 warning yaml/syntax text follows after the closing "\"" in the value of "c"`}},
		{"stray text", "---\nname: a\nsome text\n---\n", "", []string{"name string a 2:1 2:7"},
			[]string{`3:1 warning yaml/syntax this line belongs to no key; the value of "name" ends above it`}},
		{"no keys at all", "---\njust text\n---\n", "", nil,
			[]string{`2:1 warning yaml/syntax the frontmatter is not valid YAML: want lines of the form key: value`}},
		{"duplicate", "---\na: 1\nb:\n  c: 1\n  c: 2\na: 2\n---\n", "",
			[]string{"a number 1 2:1 2:4", "b map c number 1 4:3 4:6;c number 2 5:3 5:6 3:1 4:3", "a number 2 6:1 6:4"},
			[]string{`5:3 error yaml/duplicate-key key "c" appears twice, before on line 4`, `6:1 error yaml/duplicate-key key "a" appears twice, before on line 2`}},
		{"duplicate in broken YAML", "---\na: 1: 2\na: 3\n---\n", "", []string{"a string 1: 2 2:1 2:4", "a number 3 3:1 3:4"},
			[]string{`2:5 warning yaml/syntax the value of "a" has a colon and a space, but no quotes`, `3:1 error yaml/duplicate-key key "a" appears twice, before on line 2`}},
		{"unsafe", "---\na: &x [1]\nb: *x\n<<: {c: 1}\nd: !!python/object:os.system [x]\ne: !t v\n---\n", "",
			[]string{"a list 1 2:1 2:4", "b string *x 3:1 3:4", "<< map c number 1 4:6 4:9 4:1 4:5", "d list x 5:1 5:4", "e string v 6:1 6:4"},
			[]string{"2:4 error yaml/unsafe an anchor (&) is not allowed in frontmatter", "3:4 error yaml/unsafe an alias (*) is not allowed in frontmatter",
				"4:1 error yaml/unsafe a merge key (<<) is not allowed in frontmatter", "5:4 error yaml/unsafe a tag (!) is not allowed in frontmatter",
				"6:4 error yaml/unsafe a tag (!) is not allowed in frontmatter"}},
		{"invalid UTF-8", "---\nname: a\xffb\n---\n", "", []string{"name string a?b 2:1 2:7"},
			[]string{"2:8 warning yaml/syntax the byte 0xFF is not UTF-8"}},
		{"document end", "---\na: 1\n...\nb: 2\n---\n", "", []string{"a number 1 2:1 2:4", "b number 2 4:1 4:4"},
			[]string{"3:1 warning yaml/syntax a document end marker inside the frontmatter"}},
		{"odd line ends", "---\na: 1\rb: 2\u2028c: 3\nd: 4\n---\n", "",
			[]string{"a number 1 2:1 2:4", "b number 2 2:6 2:9", "c number 3 2:11 2:14", "d number 4 3:1 3:4"}, nil},
		{"control character", "---\na: x\x01y\n---\n", "", []string{"a string x\x01y 2:1 2:4"},
			[]string{`2:5 warning yaml/syntax a control character is in the value of "a"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, l := Frontmatter([]byte(tt.in))
			if diff := cmp.Diff(tt.fields, show(f.Fields)); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, lines(l)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if got := tt.in[f.Body:]; got != tt.body {
				t.Errorf("body = %q, want %q", got, tt.body)
			}
		})
	}
}

// security 3.4 rows 68 and 70
func TestFrontmatterLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, rule string
	}{
		{"largest", "---\na: " + strings.Repeat("x", maxFront-4) + "\n---\n", ""},
		{"too large", "---\na: " + strings.Repeat("x", maxFront-3) + "\n---\n", "yaml/limit"},
		{"huge and unclosed", "---\n" + strings.Repeat("a: b\n", 1<<20), "yaml/limit"},
		{"depth at the limit", "---\na: " + strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1) + "\n---\n", ""},
		{"depth past the limit", "---\na: " + strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1) + "\n---\n", "yaml/limit"},
		{"deep and open", "---\na: " + strings.Repeat("[", 200_000) + "\n---\n", "yaml/syntax"},
		{"deep blocks", "---\na:\n" + strings.Repeat("- ", 100_000) + "\n---\n", "yaml/syntax"},
		{"alias bomb", "---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n---\n", "yaml/unsafe"},
	} {
		_, l := Frontmatter([]byte(tt.in))
		if tt.rule == "" && len(l) > 0 || tt.rule != "" && (len(l) == 0 || l[0].Rule != tt.rule) {
			t.Errorf("%s: got %v, want %q", tt.name, l, tt.rule)
		}
	}
}

func TestFrontRange(t *testing.T) {
	t.Parallel()
	in := "---\r\nname: a\r\n---\r\nb"
	f, _ := Frontmatter([]byte(in))
	if got := in[f.Start:f.End]; got != "name: a\r\n" || f.Line != 2 || f.EndLine != 3 || f.Lenient {
		t.Errorf("YAML %q on lines %d to %d, lenient %v", got, f.Line, f.EndLine, f.Lenient)
	}
	if v, ok := f.Get("name"); !ok || v.Value != "a" {
		t.Errorf("Get = %v, %v", v, ok)
	}
	if _, ok := f.Get("x"); ok {
		t.Error("Get found what is not there")
	}
}
