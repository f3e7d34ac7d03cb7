package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlLine is one expression of a document: a table's heading, or a key with its
// value.
type tomlLine struct {
	path       []string // from the root
	heading    bool
	array      bool // of an array of tables, or below one
	start, end int  // of its lines, with the line end
	value      span // of a key; empty for a value that is no string, bool or list
	gone       bool
}

// tomlLines lists the expressions of a valid document.
func tomlLines(data []byte) []tomlLine {
	var p unstable.Parser
	p.Reset(data)
	var all []tomlLine
	var table []string
	array := false
	for p.NextExpression() {
		n := p.Expression()
		var l tomlLine
		at := -1
		for it := n.Key(); it.Next(); {
			if at < 0 {
				at = int(it.Node().Raw.Offset)
			}
			l.path = append(l.path, string(it.Node().Data))
		}
		if at < 0 {
			continue
		}
		stop := at
		switch n.Kind {
		case unstable.KeyValue:
			l.path = slices.Concat(table, l.path)
			l.array = array
			stop = int(n.Raw.Offset) + int(n.Raw.Length)
			v := n.Value()
			if v.Kind == unstable.String || v.Kind == unstable.Bool {
				l.value = span{start: int(v.Raw.Offset), end: int(v.Raw.Offset) + int(v.Raw.Length), found: true}
			}
		default:
			l.heading = true
			array = n.Kind == unstable.ArrayTable || array && len(l.path) > len(table) && slices.Equal(l.path[:len(table)], table)
			l.array = array
			table = l.path
		}
		l.start = bytes.LastIndexByte(data[:at], '\n') + 1
		l.end = len(data)
		if nl := bytes.IndexByte(data[stop:], '\n'); nl >= 0 {
			l.end = stop + nl + 1
		}
		all = append(all, l)
	}
	return all
}

// editTOML carries out changes in TOML. A key is set where it is, else at the end
// of its table, which is made at the end of the document when it is missing.
func editTOML(data []byte, changes []Change) ([]byte, error) {
	nl := "\n"
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		nl = "\r\n"
	}
	text := TrimBOM(data)
	mark := data[:len(data)-len(text)]
	t := &tomlEditor{data: text, nl: nl, lines: tomlLines(text)}
	for _, c := range changes {
		var err error
		if c.Value == nil {
			t.remove(c)
		} else {
			err = t.set(c)
		}
		if err != nil {
			return nil, err
		}
	}
	out, err := apply(text, t.patches)
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(mark), t.append(out)...), nil
}

type tomlEditor struct {
	data    []byte
	nl      string
	lines   []tomlLine
	patches []patch
	tables  []freshTable // to be made, in order
}

type freshTable struct {
	path []string
	keys []string // "name = value"
}

func (t *tomlEditor) set(c Change) error {
	value, err := tomlValue(c.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", Pointer(anys(c.Path)...), err)
	}
	parent, name := c.Path[:len(c.Path)-1], c.Path[len(c.Path)-1]
	at := -1
	for i, l := range t.lines {
		switch {
		case l.gone:
		case !l.heading && !l.array && slices.Equal(l.path, c.Path):
			if !l.value.found {
				return fmt.Errorf("%s has a value of another type: %w", Pointer(anys(c.Path)...), ErrUneditable)
			}
			t.patches = append(t.patches, patch{l.value.start, l.value.end, []byte(value)})
			return nil
		case !l.heading && len(l.path) <= len(parent) && slices.Equal(l.path, c.Path[:len(l.path)]),
			l.array && len(l.path) <= len(parent) && slices.Equal(l.path, parent[:len(l.path)]):
			return fmt.Errorf("%s is not written as a table of its own: %w", Pointer(anys(l.path)...), ErrUneditable)
		case l.heading && slices.Equal(l.path, parent):
			at = i
		}
	}
	line := tomlKey(name) + " = " + value
	if len(parent) == 0 {
		end := len(t.data)
		for _, l := range t.lines {
			if l.heading {
				end = l.start
				break
			}
		}
		t.patches = append(t.patches, patch{end, end, []byte(t.onLine(end) + line + t.nl)})
		return nil
	}
	if at < 0 {
		i := slices.IndexFunc(t.tables, func(f freshTable) bool { return slices.Equal(f.path, parent) })
		if i < 0 {
			t.tables = append(t.tables, freshTable{path: parent})
			i = len(t.tables) - 1
		}
		t.tables[i].keys = append(t.tables[i].keys, line)
		return nil
	}
	for at+1 < len(t.lines) && !t.lines[at+1].heading {
		at++
	}
	end := t.lines[at].end
	t.patches = append(t.patches, patch{end, end, []byte(t.onLine(end) + line + t.nl)})
	return nil
}

// onLine returns what must come before a new line at offset.
func (t *tomlEditor) onLine(offset int) string {
	if offset > 0 && t.data[offset-1] != '\n' {
		return t.nl
	}
	return ""
}

func (t *tomlEditor) remove(c Change) {
	for i := range t.lines {
		l := &t.lines[i]
		if l.gone || l.array || !slices.Equal(l.path, c.Path) {
			continue
		}
		if l.heading {
			if !c.IfEmpty || !t.empty(i) {
				continue
			}
			// The blank line that set the table apart goes with it.
			if before := bytes.TrimSuffix(t.data[:l.start], []byte(t.nl)); len(before) < l.start && (len(before) == 0 || bytes.HasSuffix(before, []byte("\n"))) {
				l.start = len(before)
			}
		} else if c.IfEmpty {
			continue
		}
		l.gone = true
		t.patches = append(t.patches, patch{l.start, l.end, nil})
	}
}

// empty reports whether nothing is left of the table with the heading at i, not
// even a comment.
func (t *tomlEditor) empty(i int) bool {
	end := len(t.data)
	for _, l := range t.lines[i+1:] {
		if l.heading {
			end = l.start
			break
		}
		if !l.gone {
			return false
		}
	}
	for _, l := range t.lines {
		if l.heading && !l.gone && len(l.path) > len(t.lines[i].path) && slices.Equal(l.path[:len(t.lines[i].path)], t.lines[i].path) {
			return false
		}
	}
	rest := bytes.Clone(t.data[t.lines[i].end:end])
	for _, l := range t.lines[i+1:] {
		if l.gone && l.start >= t.lines[i].end && l.end <= end {
			for j := l.start; j < l.end; j++ {
				rest[j-t.lines[i].end] = ' '
			}
		}
	}
	return len(bytes.TrimSpace(rest)) == 0
}

// append puts the new tables at the end.
func (t *tomlEditor) append(out []byte) []byte {
	for _, f := range t.tables {
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, t.nl...)
		}
		if len(out) > 0 {
			out = append(out, t.nl...)
		}
		parts := make([]string, len(f.path))
		for i, p := range f.path {
			parts[i] = tomlKey(p)
		}
		out = append(out, "["+strings.Join(parts, ".")+"]"+t.nl...)
		for _, k := range f.keys {
			out = append(append(out, k...), t.nl...)
		}
	}
	return out
}

// tomlKey writes one part of a key.
func tomlKey(s string) string {
	bare := s != ""
	for i := range len(s) {
		c := s[i]
		bare = bare && ('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_')
	}
	if bare {
		return s
	}
	return tomlString(s)
}

// tomlString writes a basic string. What JSON escapes, TOML escapes in the same
// way, apart from DEL, which must not stand as it is.
func tomlString(s string) string {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		return `""` // cannot be: the text is valid UTF-8
	}
	return strings.ReplaceAll(string(quoted), "\x7f", `\u007F`)
}

func tomlValue(v any) (string, error) {
	switch v := v.(type) {
	case bool:
		return fmt.Sprint(v), nil
	case string:
		return tomlString(v), nil
	case Raw:
		if s, ok := Unquote(v); ok {
			return tomlString(s), nil
		}
		if s := string(v); s == "true" || s == "false" {
			return s, nil
		}
	}
	return "", fmt.Errorf("a value of type %T: %w", v, ErrUneditable)
}
