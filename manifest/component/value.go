package component

import (
	"bytes"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/problem"
)

// Document is where values come from: a file of the package or the catalog entry.
type Document struct {
	file  string
	data  []byte
	entry bool
}

// Value is one JSON value that knows where it stands.
type Value struct {
	doc *Document
	ptr string // RFC 6901, from the root of the document
	raw syntax.Raw
}

// Member is one member of an object.
type Member struct {
	Key string
	Value
}

// JSON reads a file of the package. It is false when there is no value to look
// at; what is wrong has then been reported, and the file is listed as an unread
// component of type holds, the strongest that it can define: hosts take larger
// and deeper files than are read here.
func (r *Reader) JSON(file string, holds manifest.ComponentType, opts syntax.Options) (Value, bool) {
	f := r.Tree.Lookup(file)
	if f == nil || f.Data == nil && f.Size > 0 {
		return Value{}, false // the tree has reported why it was not read
	}
	if len(f.Data) > maxFile {
		r.Add(r.rules.TooLarge.Report("%q has %d bytes, more than %d", file, len(f.Data), maxFile).At(file, 1, 1))
		r.Unread(holds, file)
		return Value{}, false
	}
	var raw syntax.Raw
	for _, p := range syntax.Decode(f.Data, &raw, opts) {
		p.File = file
		p.Tolerated = file != r.host.Manifest // the host loads the plugin without what the file adds
		r.Add(p)
	}
	if len(raw) == 0 && len(bytes.TrimSpace(f.Data)) > 0 {
		r.Unread(holds, file)
	}
	return Value{doc: &Document{file: file, data: f.Data}, raw: raw}, len(raw) > 0
}

// Report adds p at v.
func (r *Reader) Report(v Value, p problem.Problem) { r.place(v, p, syntax.Locate) }

// ReportKey adds p at the name of member v.
func (r *Reader) ReportKey(v Value, p problem.Problem) { r.place(v, p, syntax.LocateKey) }

func (r *Reader) place(v Value, p problem.Problem, locate func([]byte, string) (int, int)) {
	if len(r.Found) >= maxFindings {
		return // before the position is looked for, which takes time
	}
	if v.doc.entry {
		p.Message = "catalog entry: " + p.Message
		r.Add(p)
		return
	}
	line, col := locate(v.doc.data, v.ptr)
	r.Add(p.At(v.doc.file, line, col))
}

// EntryFields returns the fields of a catalog entry with these names, in this
// order. Findings in them have no file.
func EntryFields(entry map[string]syntax.Raw, names []string) Fields {
	f := Fields{Entry: true}
	d := &Document{entry: true}
	for _, name := range names {
		if raw, ok := entry[name]; ok {
			f.List = append(f.List, Member{name, Value{doc: d, ptr: syntax.Pointer(name), raw: raw}})
		}
	}
	return f
}

// InEntry reports whether v stands in a catalog entry.
func (v Value) InEntry() bool { return v.doc != nil && v.doc.entry }

// OneOrMore returns the elements of a list, or v itself when it is none.
func (v Value) OneOrMore() []Value {
	if v.Kind() == '[' {
		return v.Elements()
	}
	return []Value{v}
}

// File is the path of the component that v defines: "" in a catalog entry.
func (v Value) File() string {
	if v.doc == nil {
		return ""
	}
	return v.doc.file
}

// Kind is the first byte of the JSON value: one of { [ " 0 t f n, or 0.
func (v Value) Kind() byte {
	if len(v.raw) == 0 {
		return 0
	}
	return byte(v.raw.Kind())
}

// Text returns the string that v is, or "".
func (v Value) Text() string {
	var s string
	if v.Kind() == '"' {
		// Only its text is wanted here; faults were reported with the document.
		_ = syntax.Decode(v.raw, &s, syntax.Options{})
	}
	return s
}

// Members returns the members of an object in their order, none for anything else.
func (v Value) Members() []Member {
	if v.Kind() != '{' {
		return nil
	}
	var o syntax.Object
	_ = syntax.Decode(v.raw, &o, syntax.Options{AllowDuplicates: true})
	out := make([]Member, 0, o.Len())
	for _, k := range o.Keys() {
		raw, _ := o.Get(k)
		out = append(out, Member{k, Value{v.doc, v.ptr + syntax.Pointer(k), raw}})
	}
	return out
}

// Get returns a member of an object.
func (v Value) Get(key string) (Value, bool) {
	for _, m := range v.Members() {
		if m.Key == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Elements returns the elements of a list, none for anything else.
func (v Value) Elements() []Value {
	if v.Kind() != '[' {
		return nil
	}
	var list []syntax.Raw
	_ = syntax.Decode(v.raw, &list, syntax.Options{})
	out := make([]Value, 0, len(list))
	for i, raw := range list {
		out = append(out, Value{v.doc, v.ptr + syntax.Pointer(i), raw})
	}
	return out
}

// Texts returns the strings of a list, or false when v is not a list of strings.
func (v Value) Texts() ([]string, bool) {
	if v.Kind() != '[' {
		return nil, false
	}
	var out []string
	for _, e := range v.Elements() {
		if e.Kind() != '"' {
			return out, false
		}
		out = append(out, e.Text())
	}
	return out, true
}

// TextMap reports whether v is an object whose values are all strings.
func (v Value) TextMap() bool {
	if v.Kind() != '{' {
		return false
	}
	for _, m := range v.Members() {
		if m.Kind() != '"' {
			return false
		}
	}
	return true
}

// Positive reports whether v is a number above zero.
func (v Value) Positive() bool {
	if v.Kind() != '0' {
		return false
	}
	f, err := strconv.ParseFloat(string(v.raw), 64)
	return err == nil && f > 0
}

// IsWhole reports whether v is a whole number of zero or more.
func (v Value) IsWhole() bool {
	return v.Kind() == '0' && strings.Trim(string(v.raw), "0123456789") == ""
}

// IsBool reports whether v is true or false.
func (v Value) IsBool() bool { return v.Kind() == 't' || v.Kind() == 'f' }

// Found names what kind of value is there, for messages.
func (v Value) Found() string {
	switch v.Kind() {
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

// Fields are the members of a manifest, or the component fields of an entry.
type Fields struct {
	Entry bool
	List  []Member
}

// Get returns a field.
func (f Fields) Get(key string) (Value, bool) {
	for _, m := range f.List {
		if m.Key == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Has reports whether there is a field.
func (f Fields) Has(key string) bool {
	_, ok := f.Get(key)
	return ok
}

// Text returns a string field, or "".
func (f Fields) Text(key string) string {
	v, _ := f.Get(key)
	return v.Text()
}

// IsURL reports whether s is an absolute URL.
func IsURL(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "")
}

// Clip bounds what a message repeats of a file.
func Clip(s string) string {
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

// Base is the last element of a path.
func Base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// Stem is a file's name without its last ending.
func Stem(p string) string {
	b := Base(p)
	return strings.TrimSuffix(b, path.Ext(b))
}
