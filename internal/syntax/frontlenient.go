package syntax

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// chunk is one top-level key of frontmatter with the lines that belong to it.
type chunk struct {
	key        string
	start, end int // in the YAML text
	value      int // offset of what follows the colon and blanks
}

// chunks reads frontmatter that is not YAML as a whole: every key for itself,
// as YAML when that works, else the text of its first line. fault is what the
// whole text failed with; it is reported when no single key explains it. hidden is
// true when there is more than these keys: see [Front].
func (y *yamlText) chunks(fault error) (out []Field, hidden bool) {
	seen := map[string]int{}
	explained := false
	split := y.split()
	if len(split) == 0 || outdented(y.text[:split[0].start]) {
		hidden = true
	}
	for _, c := range split {
		first := y.lineAt(c.start)
		var got []Field
		root, err := parseYAML(y.text[c.start:c.end])
		if err == nil && root != nil && root.Kind == yaml.MappingNode {
			var more bool
			got, more = y.members(root, first, 1)
			hidden = hidden || more
		} else {
			hidden = hidden || outdented(y.text[nextLine(y.text, c.start):c.end])
			y.broken(c, err)
			explained = true
			got = []Field{y.lenient(c)}
		}
		for _, field := range got {
			if line, twice := seen[field.Key]; twice {
				y.f.add(ruleYAMLDuplicate, y.base+c.start, "", "key %s appears twice, before on line %d", quote(field.Key), line)
			} else {
				seen[field.Key] = field.Line
			}
			out = append(out, field)
		}
	}
	if !explained {
		line, reason := yamlReason(fault)
		at := y.starts[min(max(line, 1), len(y.starts))-1].offset
		at = skipBlanks(y.text, at)
		y.f.add(ruleYAMLSyntax, y.base+min(at, max(len(y.text)-1, 0)), "", "the frontmatter is not valid YAML: %s", reason)
	}
	return out, hidden
}

// outdented reports whether a line of text begins in the first column, where a
// key could stand that is written in another way than word and colon.
func outdented(text []byte) bool {
	for pos := 0; pos < len(text); pos = nextLine(text, pos) {
		line := bytes.TrimRight(text[pos:pos+lineLength(text[pos:])], " \t\r")
		if len(line) > 1 && bytes.IndexByte([]byte(`"'?*&!{`), line[0]) >= 0 && line[1] != line[0] && bytes.IndexByte(line, ':') >= 0 {
			return true
		}
	}
	return false
}

// split cuts the text at the lines that look like "key:" in the first column.
func (y *yamlText) split() []chunk {
	var out []chunk
	for pos := 0; pos < len(y.text); {
		next := nextLine(y.text, pos)
		line := y.text[pos : pos+lineLength(y.text[pos:])]
		if key, value, ok := keyLine(line); ok {
			out = append(out, chunk{key: key, start: pos, value: pos + value})
		}
		if len(out) > 0 {
			out[len(out)-1].end = next
		}
		pos = next
	}
	return out
}

// keyLine splits a line "key: value" into its key and the offset of its value.
func keyLine(line []byte) (key string, value int, ok bool) {
	n := 0
	for n < len(line) && (isWord(line[n]) || line[n] == '$' || line[n] == '/') {
		n++
	}
	if n == 0 || n == len(line) || line[n] != ':' || line[0] == '-' && n == 1 {
		return "", 0, false
	}
	value = n + 1
	if value < len(line) && line[value] != ' ' && line[value] != '\t' {
		return "", 0, false
	}
	for value < len(line) && (line[value] == ' ' || line[value] == '\t') {
		value++
	}
	return string(line[:n]), value, true
}

// lenient returns the field that the first line of c spells.
func (y *yamlText) lenient(c chunk) Field {
	text := y.text[c.value:c.end]
	text = bytes.TrimRight(text[:lineLength(text)], " \t")
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && closing(text) == n {
		text = text[1 : n-1]
	}
	field := Field{Key: c.key, Kind: String, Value: string(text), Hidden: true}
	// The line starts after an LF, and key and blanks are ASCII.
	field.Line, field.Column = y.starts[y.lineAt(c.start)].line, 1
	field.ValueLine, field.ValueColumn = field.Line, 1+c.value-c.start
	return field
}

// broken reports why the value of c is not YAML, at the place where an author
// has to change something; the library only knows a line near it.
func (y *yamlText) broken(c chunk, err error) {
	reason := "want a key and a value"
	if err != nil {
		_, reason = yamlReason(err)
	}
	value := y.text[c.value:c.end]
	value = value[:lineLength(value)]
	key := strconv.Quote(c.key)
	report := func(at int, fix, format string, args ...any) {
		y.f.add(ruleYAMLSyntax, y.base+at, fix, format, args...)
	}
	quoteIt := "put the value of " + key + " in double quotes"
	if i := control(y.text[c.start:c.end]); i >= 0 {
		report(c.start+i, "remove the character", "a control character is in the value of %s", key)
		return
	}
	if at := y.stray(c); at >= 0 {
		report(at, "indent the line, or put the whole value in double quotes on one line", "this line belongs to no key; the value of %s ends above it", key)
		return
	}
	if strings.Contains(reason, "mapping values are not allowed") {
		if at := y.looseColon(c); at >= 0 {
			report(at, quoteIt, "the value of %s has a colon and a space, but no quotes", key)
			return
		}
	}
	if len(value) > 0 {
		switch value[0] {
		case '`', '@', '%', ',', '|', '>', '&', '*', '!':
			report(c.value, quoteIt, "the value of %s starts with %q, which needs quotes: %s", key, value[:1], reason)
			return
		case '[', '{', '"', '\'':
			if at := closing(value); at > 0 && at < len(value) {
				rest := skipBlanks(value, at)
				report(c.value+min(rest, len(value)-1), quoteIt, "text follows after the closing %q in the value of %s", value[at-1:at], key)
				return
			}
		}
	}
	at := c.value
	if len(value) == 0 {
		at = c.start
	}
	report(at, quoteIt, "the value of %s is not valid YAML: %s", key, reason)
}

// stray returns the offset of a line of c, after its first, that starts in the
// first column and is neither a list item nor a comment, or -1.
func (y *yamlText) stray(c chunk) int {
	for pos := nextLine(y.text, c.start); pos < c.end; pos = nextLine(y.text, pos) {
		if b := y.text[pos]; !isBlank(b) && b != '#' && b != '-' {
			return pos
		}
	}
	return -1
}

// looseColon returns the offset of the first ": " in the lines of c that is not
// the one after its key, or -1.
func (y *yamlText) looseColon(c chunk) int {
	for pos := c.value; pos < c.end; pos = nextLine(y.text, pos) {
		line := y.text[pos : pos+lineLength(y.text[pos:])]
		for i, b := range line {
			if b == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
				return pos + i
			}
		}
	}
	return -1
}

// closing returns the offset after the bracket or quote that closes the one
// value starts with, 0 when it is not closed on this line.
func closing(value []byte) int {
	open := value[0]
	if open == '"' || open == '\'' {
		for i := 1; i < len(value); i++ {
			if value[i] == '\\' && open == '"' {
				i++
			} else if value[i] == open {
				return i + 1
			}
		}
		return 0
	}
	depth := 0
	for i, b := range value {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// control returns the offset of the first character that YAML does not allow.
func control(text []byte) int {
	for i, r := range string(text) {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || r >= 0x80 && r < 0xa0 && r != 0x85 {
			return i
		}
	}
	return -1
}
