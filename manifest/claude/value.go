package claude

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/problem"
)

// document is where values come from: a file of the package or the catalog entry.
type document struct {
	file  string
	data  []byte
	entry bool
}

// value is one JSON value that knows where it stands.
type value struct {
	doc *document
	ptr string // RFC 6901, from the root of the document
	raw syntax.Raw
}

// member is one member of an object.
type member struct {
	key string
	value
}

// json reads a file of the package. It is false when there is no value to look
// at; what is wrong has then been reported.
func (l *loader) json(file string, opts syntax.Options) (value, bool) {
	f := l.t.Lookup(file)
	if f == nil || f.Data == nil && f.Size > 0 {
		return value{}, false // the tree has reported why it was not read
	}
	if len(f.Data) > maxFile {
		l.add(ruleTooLarge.Report("%q has %d bytes, more than %d", file, len(f.Data), maxFile).At(file, 1, 1))
		return value{}, false
	}
	var raw syntax.Raw
	for _, p := range syntax.Decode(f.Data, &raw, opts) {
		p.File = file
		p.Tolerated = file != ManifestPath // the host loads the plugin without what the file adds
		l.add(p)
	}
	return value{doc: &document{file: file, data: f.Data}, raw: raw}, len(raw) > 0
}

// report adds p at v.
func (l *loader) report(v value, p problem.Problem) { l.place(v, p, syntax.Locate) }

// reportKey adds p at the name of member v.
func (l *loader) reportKey(v value, p problem.Problem) { l.place(v, p, syntax.LocateKey) }

func (l *loader) place(v value, p problem.Problem, locate func([]byte, string) (int, int)) {
	if len(l.found) >= maxFindings {
		return // before the position is looked for, which takes time
	}
	if v.doc.entry {
		p.Message = "catalog entry: " + p.Message
		l.add(p)
		return
	}
	line, col := locate(v.doc.data, v.ptr)
	l.add(p.At(v.doc.file, line, col))
}

// file is the path of the component that v defines: "" in a catalog entry.
func (v value) file() string {
	if v.doc == nil {
		return ""
	}
	return v.doc.file
}

// kind is the first byte of the JSON value: one of { [ " 0 t f n, or 0.
func (v value) kind() byte {
	if len(v.raw) == 0 {
		return 0
	}
	return byte(v.raw.Kind())
}

// text returns the string that v is, or "".
func (v value) text() string {
	var s string
	if v.kind() == '"' {
		// Only its text is wanted here; faults were reported with the document.
		_ = syntax.Decode(v.raw, &s, syntax.Options{})
	}
	return s
}

// members returns the members of an object in their order, none for anything else.
func (v value) members() []member {
	if v.kind() != '{' {
		return nil
	}
	var o syntax.Object
	_ = syntax.Decode(v.raw, &o, syntax.Options{AllowDuplicates: true})
	out := make([]member, 0, o.Len())
	for _, k := range o.Keys() {
		raw, _ := o.Get(k)
		out = append(out, member{k, value{v.doc, v.ptr + syntax.Pointer(k), raw}})
	}
	return out
}

// get returns a member of an object.
func (v value) get(key string) (value, bool) {
	for _, m := range v.members() {
		if m.key == key {
			return m.value, true
		}
	}
	return value{}, false
}

// elements returns the elements of a list, none for anything else.
func (v value) elements() []value {
	if v.kind() != '[' {
		return nil
	}
	var list []syntax.Raw
	_ = syntax.Decode(v.raw, &list, syntax.Options{})
	out := make([]value, 0, len(list))
	for i, raw := range list {
		out = append(out, value{v.doc, v.ptr + syntax.Pointer(i), raw})
	}
	return out
}

// texts returns the strings of a list, or false when v is not a list of strings.
func (v value) texts() ([]string, bool) {
	if v.kind() != '[' {
		return nil, false
	}
	var out []string
	for _, e := range v.elements() {
		if e.kind() != '"' {
			return out, false
		}
		out = append(out, e.text())
	}
	return out, true
}

// textMap reports whether v is an object whose values are all strings.
func (v value) textMap() bool {
	if v.kind() != '{' {
		return false
	}
	for _, m := range v.members() {
		if m.kind() != '"' {
			return false
		}
	}
	return true
}

// positive reports whether v is a number above zero.
func (v value) positive() bool {
	if v.kind() != '0' {
		return false
	}
	f, err := strconv.ParseFloat(string(v.raw), 64)
	return err == nil && f > 0
}

func (v value) isBool() bool { return v.kind() == 't' || v.kind() == 'f' }

// found names what kind of value is there, for messages.
func (v value) found() string {
	switch v.kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	}
	return "nothing"
}

// textOf returns a string field, or "".
func textOf(f fields, key string) string {
	v, _ := f.get(key)
	return v.text()
}

// isURL reports whether s is an absolute URL.
func isURL(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "")
}

// clip bounds what a message repeats of a file.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	for i := most; ; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i] + "…"
		}
	}
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
