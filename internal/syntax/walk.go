package syntax

import (
	"bytes"
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// edit replaces text[start:end] in the copy that is decoded in the end.
type edit struct {
	start, end int
	with       string
}

// walker goes through a document token by token next to the Go type it should
// fit, and reports duplicate keys, unknown keys and wrong types.
type walker struct {
	doc    document
	dec    *jsontext.Decoder
	f      *findings
	path   []any // names and indexes from the root
	edits  []edit
	shapes map[reflect.Type]*shape
	lines  cursor
}

func newWalker(doc document, f *findings) *walker {
	return &walker{doc: doc, dec: lenientDecoder(doc.text), f: f, shapes: map[reflect.Type]*shape{}, lines: cursorAt(doc.text)}
}

// next returns the offset of the token that is read next.
func (w *walker) next() int { return skipFrom(w.doc.text, int(w.dec.InputOffset())) }

// value reads one value that should fit t; a nil t accepts everything.
func (w *walker) value(t reflect.Type) {
	start := w.next()
	kind := w.dec.PeekKind()
	plain, nullable := base(t)
	fits := w.doc.placeholder[start] || kind == 'n' && nullable || kindFits(kind, plain)
	inner := plain
	if !fits || leaf(plain) {
		inner = nil
	}
	switch kind {
	case '{':
		w.object(inner)
	case '[':
		w.list(inner)
	default:
		// The document has been parsed before, so reading cannot fail here.
		_, _ = w.dec.ReadToken()
	}
	end := int(w.dec.InputOffset())
	raw := w.doc.text[start:end]
	switch {
	case w.doc.placeholder[start]:
		w.edits = append(w.edits, edit{start, end, "null"})
	case kind == '0' && !numberFits(raw):
		w.f.add(ruleSyntax, start, "", "%s: the number %s does not fit", w.where(), excerpt(string(raw)))
		w.edits = append(w.edits, edit{start, end, "null"})
	case !fits:
		w.f.add(ruleType, start, "write "+wanted(plain), "%s is %s, want %s", w.where(), found(kind, raw), wanted(plain))
		w.edits = append(w.edits, edit{start, end, "null"})
	case leaf(plain) && kind != 'n':
		if err := json.Unmarshal(raw, reflect.New(plain).Interface(), salvageOptions, jsontext.AllowDuplicateNames(true)); err != nil {
			w.leafFault(start, kind, raw, plain, err)
			w.edits = append(w.edits, edit{start, end, "null"})
		}
	}
}

// leafFault reports a value of the right kind that its Go type refused.
func (w *walker) leafFault(start int, kind jsontext.Kind, raw []byte, t reflect.Type, err error) {
	if !decodesItself(t) {
		w.f.add(ruleType, start, "write "+wanted(t), "%s is %s, want %s", w.where(), found(kind, raw), wanted(t))
		return
	}
	msg := err.Error()
	if se, ok := err.(*json.SemanticError); ok {
		msg = semanticText(se)
	}
	w.f.add(ruleType, start, "", "%s is %s: %s", w.where(), found(kind, raw), msg)
}

// member is where an object's latest member of one name is.
type member struct{ key, next, line int }

// object reads an object whose members should fit t, a struct or a map.
func (w *walker) object(t reflect.Type) {
	var sh *shape
	var elem reflect.Type
	if t != nil {
		switch t.Kind() {
		case reflect.Struct:
			sh = w.shape(t)
		case reflect.Map:
			elem = t.Elem()
		}
	}
	_, _ = w.dec.ReadToken()
	seen := map[string]member{}
	for w.dec.PeekKind() == '"' {
		key := w.next()
		tok, err := w.dec.ReadToken()
		if err != nil {
			return
		}
		name := tok.String()
		line, _ := w.lines.advance(key)
		if first, twice := seen[name]; twice {
			w.f.add(ruleDuplicate, key, "", "key %s appears twice in %s, before on line %d", quote(name), w.where(), first.line)
			// Dropping the earlier member as a whole, instead of letting the
			// library merge both, is what "the last one wins" means to a host.
			w.edits = append(w.edits, edit{first.key, first.next, ""})
		}
		child := elem
		if sh != nil {
			field, known := sh.types[name]
			child = field
			if !known && !sh.open && w.f.opts.RejectUnknown {
				w.unknown(key, name, sh)
			}
		}
		w.path = append(w.path, name)
		w.value(child)
		w.path = w.path[:len(w.path)-1]
		seen[name] = member{key, w.next(), line}
	}
	_, _ = w.dec.ReadToken()
}

func (w *walker) unknown(key int, name string, sh *shape) {
	if w.f.full() {
		return
	}
	where := ""
	if len(w.path) > 0 {
		where = " in " + w.where()
	}
	if near, ok := Nearest(name, sh.names); ok {
		w.f.add(ruleUnknown, key, "rename it to "+strconv.Quote(near)+", or remove it",
			"unknown key %s%s; did you mean %q?", quote(name), where, near)
		return
	}
	w.f.add(ruleUnknown, key, "", "unknown key %s%s", quote(name), where)
}

// list reads a list whose elements should fit those of t.
func (w *walker) list(t reflect.Type) {
	var elem reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		elem = t.Elem()
	}
	_, _ = w.dec.ReadToken()
	for i := 0; ; i++ {
		if k := w.dec.PeekKind(); k == ']' || k == 0 {
			break
		}
		w.path = append(w.path, i)
		w.value(elem)
		w.path = w.path[:len(w.path)-1]
	}
	_, _ = w.dec.ReadToken()
}

// cleaned returns the text with every refused part taken out.
func (w *walker) cleaned() []byte {
	if len(w.edits) == 0 {
		return w.doc.text
	}
	// The wider of two edits at one place comes first and swallows the other.
	slices.SortStableFunc(w.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out bytes.Buffer
	at := 0
	for _, e := range w.edits {
		if e.start < at {
			continue
		}
		out.Write(w.doc.text[at:e.start])
		out.WriteString(e.with)
		at = e.end
	}
	out.Write(w.doc.text[at:])
	return out.Bytes()
}

// where names the value being read: tools[1].name.
func (w *walker) where() string {
	if len(w.path) == 0 {
		return "the document"
	}
	var b strings.Builder
	for _, p := range w.path {
		switch p := p.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(p) + "]")
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(p))
		}
	}
	return strconv.Quote(b.String())
}

// numberFits reports whether a float64 can hold the number: neither infinite
// nor rounded to zero, and of bearable length.
func numberFits(raw []byte) bool {
	if len(raw) > maxNumber {
		return false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) {
		return false
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(string(raw)), "e")
	return f != 0 || !strings.ContainsAny(mantissa, "123456789")
}

// maxExcerpt is how many code points of the document a message repeats.
const maxExcerpt = 60

func clip(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxExcerpt {
			return s[:i] + "…"
		}
	}
	return s
}

func excerpt(s string) string { return clip(strings.ToValidUTF8(s, "\ufffd")) }

// quote makes text of the document safe to print.
func quote(s string) string { return strconv.Quote(clip(s)) }
