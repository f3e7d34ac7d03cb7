package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pinion/problem"
)

// readFront fills front.Fields from its YAML.
func readFront(data []byte, front *Front, f *findings) {
	text := plainYAML(data[front.Start:front.End], front.Start, f)
	y := &yamlText{text: text, base: front.Start, line: front.Line, f: f}
	y.index()
	root, err := parseYAML(text)
	switch {
	case err == nil && root == nil:
		return
	case err == nil && root.Kind == yaml.MappingNode:
		front.Fields, front.Hidden = y.members(root, 0, 1)
		return
	case err == nil:
		err = errors.New("want lines of the form key: value")
	}
	front.Lenient = true
	front.Fields, front.Hidden = y.chunks(err)
}

// plainYAML returns the text with everything overwritten that would make the
// YAML library stop early or read something else, at the same length.
func plainYAML(text []byte, base int, f *findings) []byte {
	out := text
	own := func() {
		if len(text) > 0 && &out[0] == &text[0] {
			out = bytes.Clone(text)
		}
	}
	reported := false
	valid := utf8.Valid(text)
	for i := 0; !valid && i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			own()
			out[i] = '?'
			if !reported {
				f.add(ruleYAMLSyntax, base+i, "save the file as UTF-8", "the byte 0x%02X is not UTF-8", text[i])
				reported = true
			}
		}
		i += n
	}
	for pos := 0; pos < len(text); pos = nextLine(text, pos) {
		line := text[pos : pos+lineLength(text[pos:])]
		// A document end would hide the keys after it from this reader only.
		if bytes.HasPrefix(line, []byte("...")) && len(bytes.TrimSpace(line[3:])) == 0 {
			own()
			out[pos] = '#'
			f.add(ruleYAMLSyntax, base+pos, "remove the line", "a document end marker inside the frontmatter")
		}
	}
	return out
}

// parseYAML returns the root node of one document, nil when it is empty.
// Decoding into a node expands no alias.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	// The library reports faults by panics of its own and has let other panics
	// through in the past; hostile text must not end the program.
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Value == "" {
		return nil, nil
	}
	return doc.Content[0], nil
}

// yamlText maps positions of the YAML library to those of the file.
type yamlText struct {
	text []byte
	base int // offset of text in data
	line int // line of text in data
	f    *findings

	starts []yamlLine // the lines as YAML counts them
}

// yamlLine is where a line of the YAML starts.
type yamlLine struct {
	offset int
	line   int // in the file
	before int // code points before it in that line; not 0 only after an odd line end
}

// index finds the line starts. YAML also ends lines at a lone CR, NEL, LS and
// PS, which are no line ends for editors.
func (y *yamlText) index() {
	at := yamlLine{line: y.line}
	y.starts = append(y.starts, at)
	for i := 0; i < len(y.text); {
		r, n := utf8.DecodeRune(y.text[i:])
		i += n
		at.before++
		at.offset = i
		switch {
		case r == '\n':
			at.line++
			at.before = 0
			y.starts = append(y.starts, at)
		case r == '\r' && i < len(y.text) && y.text[i] == '\n':
		case r == '\r', r == 0x85, r == 0x2028, r == 0x2029:
			y.starts = append(y.starts, at)
		}
	}
}

// pos returns the position in the file of a node that was parsed from a part
// of the text which begins first lines below its start.
func (y *yamlText) pos(n *yaml.Node, first int) (line, col int) {
	at := first + n.Line
	if at < 1 || at > len(y.starts) {
		return y.line, 1
	}
	start := y.starts[at-1]
	return start.line, start.before + n.Column
}

// report adds a finding at a node.
func (y *yamlText) report(r problem.Rule, n *yaml.Node, first int, format string, args ...any) {
	if y.f.full() {
		return // finding the offset takes time on long lines
	}
	at, left := y.base, n.Column-1
	if line := first + n.Line; line >= 1 && line <= len(y.starts) {
		at += y.starts[line-1].offset
	}
	for ; left > 0 && at < y.base+len(y.text); left-- {
		_, size := utf8.DecodeRune(y.text[at-y.base:])
		at += size
	}
	y.f.add(r, at, "", format, args...)
}

// members returns the fields of a mapping whose text starts first lines below
// the start of the frontmatter. hidden is true when it has others: see [Front].
func (y *yamlText) members(m *yaml.Node, first, depth int) (out []Field, hidden bool) {
	out = make([]Field, 0, len(m.Content)/2)
	seen := make(map[string]int, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		k, v := m.Content[i], m.Content[i+1]
		field := y.value(v, first, depth)
		field.Line, field.Column = y.pos(k, first)
		y.unsafe(k, first)
		if k.Kind != yaml.ScalarNode {
			y.report(ruleYAMLSyntax, k, first, "a key has to be a word")
			hidden = true
			continue
		}
		hidden = hidden || k.Style&yaml.TaggedStyle != 0 || k.Style == 0 && k.Value == "<<"
		field.Key = k.Value
		if line, twice := seen[k.Value]; twice {
			y.report(ruleYAMLDuplicate, k, first, "key %s appears twice, before on line %d", quote(k.Value), line)
		} else {
			seen[k.Value] = field.Line
		}
		out = append(out, field)
	}
	return out, hidden
}

// value returns a field without its key.
func (y *yamlText) value(n *yaml.Node, first, depth int) Field {
	var out Field
	out.ValueLine, out.ValueColumn = y.pos(n, first)
	out.Line, out.Column = out.ValueLine, out.ValueColumn
	y.unsafe(n, first)
	if depth > MaxDepth {
		y.report(ruleYAMLLimit, n, first, "nesting is deeper than %d", MaxDepth)
		out.Hidden = true
		return out
	}
	switch n.Kind {
	case yaml.MappingNode:
		out.Kind = Map
		out.Items, out.Hidden = y.members(n, first, depth+1)
	case yaml.SequenceNode:
		out.Kind = List
		for _, c := range n.Content {
			item := y.value(c, first, depth+1)
			out.Items = append(out.Items, item)
			if c.Kind == yaml.ScalarNode {
				out.List = append(out.List, item.Value)
			}
		}
	case yaml.AliasNode:
		out.Kind, out.Value, out.Hidden = String, "*"+n.Value, true
	default:
		out.Kind, out.Value = scalarKind(n), n.Value
	}
	return out
}

func scalarKind(n *yaml.Node) Kind {
	switch n.ShortTag() {
	case "!!null":
		return Null
	case "!!bool":
		return Bool
	case "!!int", "!!float":
		return Number
	case "!!timestamp":
		return Date
	}
	return String
}

// unsafe reports what would make a value more than its text (security 3.4 row 68).
func (y *yamlText) unsafe(n *yaml.Node, first int) {
	what := ""
	switch {
	case n.Kind == yaml.AliasNode:
		what = "an alias (*)"
	case n.Anchor != "":
		what = "an anchor (&)"
	case n.Style&yaml.TaggedStyle != 0:
		what = "a tag (!)"
	case n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "<<":
		what = "a merge key (<<)"
	default:
		return
	}
	y.report(ruleYAMLUnsafe, n, first, "%s is not allowed in frontmatter", what)
}

// yamlReason returns the library's words without its prefix and line, and the
// line, which is 0 when it names none.
func yamlReason(err error) (line int, reason string) {
	reason = strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(reason, "line %d:", &line); n == 1 {
		_, reason, _ = strings.Cut(reason, ": ")
	}
	return line, reason
}

// lineAt returns the index of the YAML line of a text offset.
func (y *yamlText) lineAt(offset int) int {
	return sort.Search(len(y.starts), func(i int) bool { return y.starts[i].offset > offset }) - 1
}
