package syntax

import (
	"bytes"
	"slices"

	"pinion/problem"
)

// maxFront is the largest frontmatter that is read, in bytes (security 3.4 row 70).
const maxFront = 256 << 10

// Kind is how YAML types a frontmatter value.
type Kind string

// The kinds. A value that YAML reads as a number, a bool, a date or null keeps
// its source text in [Field.Value], since authors mostly mean the text
// (security 3.4 row 69).
const (
	String Kind = "string"
	List   Kind = "list"
	Map    Kind = "map"
	Number Kind = "number"
	Bool   Kind = "bool"
	Date   Kind = "date"
	Null   Kind = "null"
)

// Field is one key of the frontmatter, or one item of a list.
type Field struct {
	Key   string // empty for an item of a list
	Kind  Kind
	Value string   // a scalar's text
	List  []string // of a list, the texts of its scalar items
	Items []Field  // of a list or a map, all of it
	// Hidden is true when a laxer reader finds more in the value than is here: it is
	// an alias, broken, too deep, or has keys that are no plain words.
	Hidden bool

	Line, Column           int // of the key
	ValueLine, ValueColumn int // of the value
}

// Hides reports whether f, or anything in it, is Hidden.
func (f Field) Hides() bool { return f.Hidden || slices.ContainsFunc(f.Items, Field.Hides) }

// Front is the frontmatter of a Markdown file.
type Front struct {
	Found   bool
	Lenient bool // the YAML was broken; broken values were read line by line
	// Hidden is true when a laxer reader finds more fields than are here: by a merge
	// key, a key that is no plain word, or because there is more than is read.
	Hidden     bool
	Fields     []Field // in the order of the file
	Start, End int     // byte range of the YAML between the --- lines
	Line       int     // line of the first byte of the YAML
	EndLine    int     // line of the closing ---
	Body       int     // byte offset of the text after the closing line
}

// Get returns the last field with this key.
func (f Front) Get(key string) (Field, bool) {
	for i := len(f.Fields) - 1; i >= 0; i-- {
		if f.Fields[i].Key == key {
			return f.Fields[i], true
		}
	}
	return Field{}, false
}

// Frontmatter reads the YAML block at the start of a Markdown file: a line
// ---, keys, a line ---. Blanks may follow the dashes, lines end with LF or
// CRLF. A byte order mark or blank lines before it are accepted with a warning,
// since some hosts do not look past them. A file without frontmatter gives
// Found false and, unless it has something that was meant to be one, no problem.
//
// Anchors, aliases, merge keys and tags are reported and never followed. YAML
// that does not parse is a warning: each key whose value parses is read as
// YAML, and of the others the text after the colon counts, as in the hosts that
// load such files.
func Frontmatter(data []byte) (Front, problem.List) {
	f := &findings{}
	front, ok := fences(data, f)
	if ok {
		readFront(data, &front, f)
	}
	return front, f.list(data)
}

// fences finds the two --- lines.
func fences(data []byte, f *findings) (front Front, ok bool) {
	front.Body = len(data) - len(TrimBOM(data))
	at := front.Body
	if at > 0 {
		f.add(ruleFrontPlace, 0, "save the file as UTF-8 without BOM, or run pinion validate --fix", "a byte order mark comes before the frontmatter")
	}
	first := at
	for first < len(data) && isBlank(data[first]) {
		first++
	}
	line := data[first:]
	line = line[:lineLength(line)]
	if !isFence(line) || first > at && data[first-1] != '\n' {
		if at > 0 {
			f.all = nil // without frontmatter the mark is in front of nothing
		}
		misplaced(data, f)
		return front, false
	}
	if first > at {
		f.add(ruleFrontPlace, at, "delete the blank lines before ---", "blank lines come before the frontmatter")
	}
	start := nextLine(data, first)
	for pos := start; pos < len(data); pos = nextLine(data, pos) {
		if pos-start > maxFront {
			f.add(ruleYAMLLimit, first, "", "the frontmatter is larger than %d KiB, or not closed", maxFront>>10)
			front.Hidden = closes(data[pos:])
			return front, false
		}
		end := pos + lineLength(data[pos:])
		if !isFence(data[pos:end]) {
			continue
		}
		front.Found, front.Start, front.End, front.Body = true, start, pos, nextLine(data, pos)
		front.Line, _ = PositionAt(data, start)
		front.EndLine, _ = PositionAt(data, pos)
		return front, true
	}
	f.add(ruleFrontUnclosed, first, "", "the frontmatter that starts here has no closing --- line")
	return front, false
}

// closes reports whether a --- line comes.
func closes(data []byte) bool {
	for len(data) > 0 {
		if isFence(data[:lineLength(data)]) {
			return true
		}
		data = data[nextLine(data, 0):]
	}
	return false
}

// misplaced reports frontmatter that hosts will not find because other text
// comes first: a --- line followed by a line with a name or description.
func misplaced(data []byte, f *findings) {
	data = data[:min(len(data), maxFront)]
	for pos := 0; pos < len(data); {
		next := nextLine(data, pos)
		if isFence(data[pos : pos+lineLength(data[pos:])]) {
			after := data[next:]
			if bytes.HasPrefix(after, []byte("name:")) || bytes.HasPrefix(after, []byte("description:")) {
				f.add(ruleFrontPlace, pos, "move the frontmatter to the first line of the file", "the frontmatter does not start on the first line; hosts do not see it")
				return
			}
		}
		pos = next
	}
}

// isFence reports whether a line is --- and nothing but blanks.
func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t\r")) == 0
}

// nextLine returns the offset after the LF that ends the line of offset.
func nextLine(data []byte, offset int) int {
	if n := bytes.IndexByte(data[offset:], '\n'); n >= 0 {
		return offset + n + 1
	}
	return len(data)
}
