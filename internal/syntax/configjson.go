package syntax

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// blankComments returns data with every comment as blanks, so that offsets stay.
func blankComments(data []byte) []byte {
	out := bytes.Clone(data)
	for i := 0; i < len(out); {
		switch {
		case out[i] == '"':
			i = quoteEnd(out, i)
		case out[i] == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(data, i)
			for ; i < end; i++ {
				if out[i] != '\n' && out[i] != '\r' {
					out[i] = ' '
				}
			}
		default:
			i++
		}
	}
	return out
}

// plainJSON returns data without comments and trailing commas, with every offset
// as it was.
func plainJSON(data []byte) []byte {
	out := blankComments(data)
	for i := 0; i < len(out); {
		switch out[i] {
		case '"':
			i = quoteEnd(out, i)
			continue
		case ',':
			if next := pastBlanks(out, i+1); next < len(out) && (out[next] == '}' || out[next] == ']') {
				// Only one that follows a value ends a list.
				if before := bytes.TrimRight(out[:i], " \t\r\n"); len(before) > 0 && bytes.IndexByte([]byte("{[,:"), before[len(before)-1]) < 0 {
					out[i] = ' '
				}
			}
		}
		i++
	}
	return out
}

// commentEnd returns where the comment at start ends: before the line end, or
// behind its closing mark. One that is not closed is no comment and stays for
// the parser to refuse.
func commentEnd(data []byte, start int) int {
	if data[start+1] == '/' {
		if n := bytes.IndexAny(data[start:], "\r\n"); n >= 0 {
			return start + n
		}
		return len(data)
	}
	if n := bytes.Index(data[start+2:], []byte("*/")); n >= 0 {
		return start + 2 + n + 2
	}
	return start + 1
}

func quoteEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i // not a string; the parser says so
		}
	}
	return len(data)
}

func pastBlanks(data []byte, i int) int {
	for i < len(data) && isBlank(data[i]) {
		i++
	}
	return i
}

// jsonObject is an object in the text, or one that will be in it.
type jsonObject struct {
	start, end int // of its braces; 0, 0 for a new one
	members    []*jsonMember
}

// jsonMember is one member, with what is to become of it.
type jsonMember struct {
	name     string
	key, end int // where the name starts and the value ends
	comma    int // where the comma behind it is, -1 for none
	start    int // of the value
	object   *jsonObject
	fresh    bool // not in the text
	gone     bool
	value    any // replaces the one in the text when set is true
	set      bool
}

func (o *jsonObject) find(name string) *jsonMember {
	for _, m := range o.members {
		if m.name == name && !m.gone {
			return m
		}
	}
	return nil
}

func (o *jsonObject) live() int {
	n := 0
	for _, m := range o.members {
		if !m.gone {
			n++
		}
	}
	return n
}

// scanObject reads the object at start of a text whose comments are blanks. The
// text has been found valid, apart from trailing commas.
func scanObject(text []byte, start int) *jsonObject {
	o := &jsonObject{start: start}
	i := pastBlanks(text, start+1)
	for i < len(text) && text[i] != '}' {
		m := &jsonMember{key: i, comma: -1}
		end := quoteEnd(text, i)
		m.name, _ = Unquote(text[i:end])
		m.start = pastBlanks(text, pastBlanks(text, end)+1)
		m.end = scanValue(text, m)
		i = pastBlanks(text, m.end)
		if i < len(text) && text[i] == ',' {
			m.comma = i
			i = pastBlanks(text, i+1)
		}
		o.members = append(o.members, m)
	}
	o.end = min(i+1, len(text))
	return o
}

// scanValue returns the end of a member's value, and reads it when it is an
// object.
func scanValue(text []byte, m *jsonMember) int {
	switch text[m.start] {
	case '{':
		m.object = scanObject(text, m.start)
		return m.object.end
	case '"':
		return quoteEnd(text, m.start)
	}
	depth := 0
	for i := m.start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i = quoteEnd(text, i) - 1
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth == 0 {
				return len(bytes.TrimRight(text[:i], " \t\r\n"))
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case c == ',' && depth == 0:
			return len(bytes.TrimRight(text[:i], " \t\r\n"))
		}
	}
	return len(text)
}

// patch is one replacement of bytes.
type patch struct {
	start, end int
	text       []byte
}

// editJSON carries out changes in JSON, or in JSON with comments.
func editJSON(data []byte, changes []Change) ([]byte, error) {
	if len(bytes.TrimSpace(TrimBOM(data))) == 0 {
		data = append(bytes.Clone(data[:len(data)-len(TrimBOM(data))]), "{}\n"...)
	}
	text := blankComments(data)
	first := 0
	if bytes.HasPrefix(text, []byte(bom)) {
		first = len(bom)
	}
	root := scanObject(text, pastBlanks(text, first))
	for _, c := range changes {
		if err := root.change(c); err != nil {
			return nil, err
		}
	}
	w := &jsonWriter{data: data, text: text}
	if err := w.object(root); err != nil {
		return nil, err
	}
	return apply(data, w.edits)
}

// apply replaces the places of patches, which may come in any order but not
// overlap. What is put in at one place keeps the order it was given in.
func apply(data []byte, patches []patch) ([]byte, error) {
	slices.SortStableFunc(patches, func(a, b patch) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var out []byte
	at := 0
	for _, p := range patches {
		if p.start < at {
			return nil, fmt.Errorf("%w: two changes at one place", ErrUneditable)
		}
		out = append(append(out, data[at:p.start]...), p.text...)
		at = p.end
	}
	return append(out, data[at:]...), nil
}

// change notes one change in the tree.
func (o *jsonObject) change(c Change) error {
	for i, name := range c.Path[:len(c.Path)-1] {
		m := o.find(name)
		switch {
		case m == nil && c.Value == nil:
			return nil
		case m == nil:
			m = &jsonMember{name: name, object: &jsonObject{}, fresh: true}
			o.members = append(o.members, m)
		case m.object == nil || m.set:
			return fmt.Errorf("%s is not an object: %w", Pointer(anys(c.Path[:i+1])...), ErrUneditable)
		}
		o = m.object
	}
	name := c.Path[len(c.Path)-1]
	m := o.find(name)
	switch {
	case c.Value == nil && m == nil:
	case c.Value == nil && c.IfEmpty && (m.object == nil || m.object.live() > 0):
	case c.Value == nil:
		m.gone = true
	case m == nil:
		o.members = append(o.members, &jsonMember{name: name, fresh: true, set: true, value: c.Value})
	default:
		m.set, m.value, m.object = true, c.Value, nil
	}
	return nil
}

// jsonWriter turns the noted changes into edits of the text.
type jsonWriter struct {
	data, text []byte // as it is, and with its comments as blanks
	edits      []patch
}

func (w *jsonWriter) add(start, end int, text []byte) {
	w.edits = append(w.edits, patch{start, end, text})
}

func (w *jsonWriter) object(o *jsonObject) error {
	var fresh []*jsonMember
	last, trailing := -1, false // the last member of the text that stays
	for i, m := range o.members {
		switch {
		case m.fresh && !m.gone:
			fresh = append(fresh, m)
		case m.fresh:
		default:
			trailing = m.comma >= 0
			if !m.gone {
				last = i
			}
		}
	}
	for i, m := range o.members {
		if m.fresh {
			continue
		}
		if m.gone {
			w.remove(m)
			continue
		}
		if i == last && m.comma >= 0 && len(fresh) == 0 && !trailing {
			w.add(m.comma, m.comma+1, nil)
		}
		if err := w.member(m); err != nil {
			return err
		}
	}
	if len(fresh) > 0 {
		return w.insert(o, fresh, last, trailing)
	}
	if last < 0 && slices.ContainsFunc(o.members, func(m *jsonMember) bool { return !m.fresh }) {
		w.empty(o)
	}
	return nil
}

// member writes what changed inside a member that stays.
func (w *jsonWriter) member(m *jsonMember) error {
	if !m.set {
		if m.object != nil {
			return w.object(m.object)
		}
		return nil
	}
	raw, err := Compact(m.value)
	if err != nil {
		return err
	}
	lines := bytes.IndexByte(w.data[m.start:m.end], '\n') >= 0
	text, err := layout(w.data, raw, indentOf(w.data, m.start), lines)
	if err != nil {
		return err
	}
	w.add(m.start, m.end, text)
	return nil
}

// remove takes a member out, with the blanks before it and the comma behind.
func (w *jsonWriter) remove(m *jsonMember) {
	gap := len(gapBefore(w.data, m.key))
	w.add(m.key-gap, m.end, nil)
	if m.comma >= 0 {
		w.add(m.comma, m.comma+1, nil)
	}
}

// empty closes up an object that lost all of its members, unless a comment is
// left in it.
func (w *jsonWriter) empty(o *jsonObject) {
	tail := gapBefore(w.data, o.end-1)
	inner := w.data[o.start+1 : o.end-1]
	if bytes.Contains(inner, []byte("//")) || bytes.Contains(inner, []byte("/*")) {
		return
	}
	if at := o.end - 1 - len(tail); at > o.start && len(tail) > 0 {
		w.add(at, o.end-1, nil)
	}
}

// insert adds new members behind the last one that stays.
func (w *jsonWriter) insert(o *jsonObject, fresh []*jsonMember, last int, trailing bool) error {
	nl := []byte("\n")
	if i := bytes.IndexByte(w.data, '\n'); i > 0 && w.data[i-1] == '\r' {
		nl = []byte("\r\n")
	}
	outer := indentOf(w.data, o.start)
	at, lines := o.start+1, true
	var gap, tail []byte
	if last >= 0 {
		m := o.members[last]
		before := o.start
		if last > 0 {
			before = o.members[last-1].end
		}
		lines = bytes.IndexByte(w.data[before:m.key], '\n') >= 0
		gap = []byte(" ")
		if lines {
			gap = slices.Concat(nl, indentOf(w.data, m.key))
		} else if last > 0 && len(gapBefore(w.data, m.key)) == 0 {
			gap = nil
		}
		at = m.end
		if m.comma >= 0 {
			at = m.comma + 1
		} else {
			w.add(m.end, m.end, []byte(","))
		}
		if lines {
			at = w.lineComment(at)
		}
	} else {
		// Nothing to be like: an own line each, unless the document has one line.
		body := bytes.TrimSpace(w.data)
		lines = bytes.IndexByte(body, '\n') >= 0 || len(body) <= len("{}")+len(bom)
		if lines {
			gap = slices.Concat(nl, outer, []byte(indentUnit(w.data)))
			if bytes.IndexByte(gapBefore(w.data, o.end-1), '\n') < 0 {
				tail = slices.Concat(nl, outer)
			}
		}
	}
	indent := gap[bytes.LastIndexByte(gap, '\n')+1:]
	if !lines {
		indent = nil
	}
	var out []byte
	for i, m := range fresh {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := jsontext.AppendQuote(nil, m.name)
		if err != nil {
			return fmt.Errorf("member name %q: %w", m.name, err)
		}
		raw, err := Compact(m.plain())
		if err != nil {
			return err
		}
		text, err := layout(w.data, raw, indent, lines)
		if err != nil {
			return err
		}
		out = append(append(append(append(out, gap...), name...), ": "...), text...)
	}
	if trailing {
		out = append(out, ',')
	}
	w.add(at, at, append(out, tail...))
	return nil
}

// lineComment returns the end of a comment that follows on the same line, so
// that it stays with the member that it is about.
func (w *jsonWriter) lineComment(at int) int {
	i := at
	for i < len(w.data) && (w.data[i] == ' ' || w.data[i] == '\t') {
		i++
	}
	if i+1 < len(w.data) && w.data[i] == '/' && w.text[i] == ' ' {
		if end := commentEnd(w.data, i); bytes.IndexByte(w.data[i:end], '\n') < 0 {
			return end
		}
	}
	return at
}

// plain returns what a new member will hold.
func (m *jsonMember) plain() any {
	if m.set {
		return m.value
	}
	var o Object
	for _, c := range m.object.members {
		if !c.gone {
			// The value was made of values that encode.
			_ = o.SetValue(c.name, c.plain())
		}
	}
	return o
}
