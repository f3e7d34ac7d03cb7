package catalog

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"pinion/internal/syntax"
)

// WriteTo writes the catalog entry by entry: two-space indent, no HTML
// escaping, a final newline. It must not be called when Problems has errors.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	out := &counter{w: w}
	buffered := bufio.NewWriterSize(out, 64<<10)
	// A failed write is kept by the buffer and returned by Flush.
	_, _ = buffered.WriteString("{\n")
	for i, f := range r.head {
		b := append([]byte("  "), quoted(f.name)...)
		_, _ = buffered.Write(append(b, ": "...))
		if f.name == "plugins" {
			r.writeEntries(buffered)
		} else {
			_, _ = buffered.Write(indented(f.value, "  "))
		}
		if i < len(r.head)-1 {
			_ = buffered.WriteByte(',')
		}
		_ = buffered.WriteByte('\n')
	}
	_, _ = buffered.WriteString("}\n")
	err := buffered.Flush()
	return out.n, err
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Bytes returns the whole catalog.
func (r *Result) Bytes() []byte {
	var b bytes.Buffer
	_, _ = r.WriteTo(&b) // a buffer does not fail
	return b.Bytes()
}

func (r *Result) writeEntries(out *bufio.Writer) {
	n := r.items.Len()
	if n == 0 {
		_, _ = out.WriteString("[]")
		return
	}
	_, _ = out.WriteString("[\n")
	var buf []byte // one for all entries
	for i := range n {
		it := r.items.At(i)
		buf = appendEntry(buf[:0], &it, r.owned[i])
		if i < n-1 {
			buf = append(buf, ',')
		}
		_, _ = out.Write(append(buf, '\n'))
	}
	_, _ = out.WriteString("  ]")
}

// appendEntry appends an entry without a newline at its end. Text that is empty
// is left out; the owner's keys stand where they stood.
func appendEntry(b []byte, it *Item, own []field) []byte {
	const indent = "      "
	b = append(b, "    {"...)
	first := true
	key := func(name string) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, "\n"+indent...)
		b = appendString(b, name)
		b = append(b, ": "...)
	}
	owned := func(anchor string) {
		for _, f := range own {
			if f.anchor == anchor {
				key(f.name)
				b = append(b, indented(f.value, indent)...)
			}
		}
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			b = appendString(b, value)
		}
		owned(name)
	}
	owned("")
	text("name", it.ID)
	text("version", it.Version)
	key("source")
	b = append(b, `"./`...)
	b = appendContent(b, strings.TrimSuffix(strings.TrimPrefix(it.Dir, "./"), "/"))
	b = append(b, '"')
	owned("source")
	if !it.Digest.IsZero() {
		key("hash")
		b = append(b, '"')
		b, _ = it.Digest.AppendText(b) // it never fails
		b = append(b, '"')
	}
	owned("hash")
	text("displayName", it.DisplayName)
	text("description", it.Description)
	text("kind", string(it.Kind))
	text("license", it.License)
	return append(b, "\n    }"...)
}

// indented lays out a value in the way of the whole file, its lines after the
// first beginning with prefix.
func indented(value []byte, prefix string) []byte {
	text, err := syntax.Encode(syntax.Raw(value))
	if err != nil {
		return value // it was read as JSON, so this cannot happen
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	// A newline inside a JSON string is always escaped.
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\n"+prefix))
}

func quoted(s string) []byte { return appendString(nil, s) }

// appendString appends s as JSON, in the same spelling as [syntax.Encode]: ten
// thousand entries are written without a copy of each text.
func appendString(b []byte, s string) []byte {
	return append(appendContent(append(b, '"'), s), '"')
}

// appendContent is appendString without the quotes.
func appendContent(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
	}
	return append(b, s[start:]...)
}
