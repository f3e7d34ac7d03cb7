package market

import (
	"bytes"
	"encoding/hex"
	"slices"
	"unicode/utf8"

	"pinion/hashes"
	"pinion/internal/syntax"
)

// Frame is what a catalog has around its entries: the bytes before the first and
// after the last, with their SHA-256. Where they are the same again, the list is
// at the same place, and the rest of the catalog says what it said.
type Frame struct {
	Head    int        `json:"head"`
	HeadSum hashes.Sum `json:"headSum"`
	Tail    int        `json:"tail"`
	TailSum hashes.Sum `json:"tailSum"`
}

// entryText is the text of one entry: its length and SHA-256.
type entryText struct {
	sum  hashes.Sum
	size int
}

func textOf(raw []byte) entryText { return entryText{hashes.Of(raw), len(raw)} }

// hex is the sum as a [record] has it, "" for no text.
func (t entryText) hex() string {
	if t.size == 0 {
		return ""
	}
	return t.sum.String()
}

// whole takes a catalog as news from the first entry to the last.
func whole(data []byte) news {
	var n news
	first, end := 0, 0
	faults, err := syntax.DecodeArray(data, "/plugins", func(i int, raw syntax.Raw, offset int) error {
		if i == 0 {
			first = offset
		}
		end = offset + len(raw)
		n.texts = append(n.texts, textOf(raw))
		return nil
	})
	if err != nil || len(faults) > 0 || len(n.texts) == 0 {
		return news{} // it has faults that its host tolerates, and is read anew each time
	}
	n.frame = Frame{Head: first, HeadSum: hashes.Of(data[:first]), Tail: len(data) - end, TailSum: hashes.Of(data[end:])}
	return n
}

// split leaves the entries out of a catalog that a row of the listing was made
// from, if same agrees, and marks those rows as kept. What is left has its lines
// and columns as before. ok is false when the catalog is to be read as a whole.
//
// An entry is never cut at a guessed place: one that is left out has the bytes
// of a complete JSON object that was read before, wherever it stands, and one
// that is not is read by the parser.
func (l *listing) split(data []byte, f Frame, same func(*row) bool) (n news, ok bool) {
	if f.Head == 0 || len(data) < f.Head+f.Tail ||
		hashes.Of(data[:f.Head]) != f.HeadSum || hashes.Of(data[len(data)-f.Tail:]) != f.TailSum {
		return n, false
	}
	for i := range l.rows {
		l.rows[i].kept = false
	}
	n = news{data: bytes.Clone(data[:f.Head]), frame: f}
	end := len(data) - f.Tail
	written := f.Head // up to where data is in n.data, but for what was left out
	find := l.finder()
	for at := f.Head; ; {
		r, size := find(data[at:end])
		if size == 0 {
			return n, false
		}
		if r != nil && r.kept {
			return n, false // listed twice
		}
		if r != nil && same(r) {
			r.kept = true
		} else {
			if len(n.texts) > 0 {
				n.data = append(n.data, ',')
			}
			n.data = append(blank(n.data, data[written:at], len(n.texts) > 0), data[at:at+size]...)
			n.texts = append(n.texts, textOf(data[at:at+size]))
			written = at + size
		}
		if at += size; at == end {
			break
		}
		comma := at + spaces(data[at:end])
		if comma == end || data[comma] != ',' {
			return n, false
		}
		at = comma + 1 + spaces(data[comma+1:end])
	}
	n.data = append(blank(n.data, data[written:end], false), data[end:]...)
	return n, true
}

// finder returns a function that finds the entry at the beginning of a text: its
// size, 0 when there is none, and the row that was made from it. Rows are mostly
// in the order of the catalog, so the text is cut only where something changed.
func (l *listing) finder() func(text []byte) (*row, int) {
	next, other := 0, 0 // the rows to try
	var byEntry map[[16]byte]int
	asked := 0
	return func(text []byte) (*row, int) {
		for _, i := range [2]int{next, other} {
			if i < len(l.rows) && l.begins(&l.rows[i], text) {
				next = i + 1
				return &l.rows[i], l.rows[i].size
			}
		}
		size := objectIn(text)
		if size == 0 {
			return nil, 0
		}
		t := textOf(text[:size])
		i, ok := l.find(t, &byEntry, &asked)
		if !ok {
			other = next + 1 // it is new, or in the place of this row
			return nil, size
		}
		next, other = i+1, next
		return &l.rows[i], size
	}
}

// find returns the row that was made from a text. A few are searched for; for
// many, the rows are indexed.
func (l *listing) find(t entryText, byEntry *map[[16]byte]int, asked *int) (int, bool) {
	const few = 16
	if *asked++; *asked <= few {
		i := slices.IndexFunc(l.rows, func(r row) bool { return l.made(&r, t) })
		return i, i >= 0
	}
	if *byEntry == nil {
		*byEntry = make(map[[16]byte]int, len(l.rows))
		for i := range l.rows {
			if r := &l.rows[i]; r.size > 0 {
				(*byEntry)[[16]byte(l.part(r.entry))] = i
			}
		}
	}
	i, ok := (*byEntry)[[16]byte([]byte(t.hex()))]
	return i, ok && l.made(&l.rows[i], t)
}

// begins reports whether a text begins with the entry that a row was made from.
func (l *listing) begins(r *row, text []byte) bool {
	return r.size > 0 && r.size <= len(text) && l.made(r, textOf(text[:r.size]))
}

// made reports whether a row was made from a text.
func (l *listing) made(r *row, t entryText) bool {
	if r.size != t.size {
		return false
	}
	var digits [2 * len(t.sum)]byte
	hex.Encode(digits[:], t.sum[:])
	return string(l.part(r.entry)) == string(digits[:])
}

// objectIn returns the length of the JSON object that text begins with, 0 when it
// begins with something else.
func objectIn(text []byte) int {
	if len(text) == 0 || text[0] != '{' {
		return 0
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := quoteIn(text[i+1:])
			if n < 0 {
				return 0
			}
			i += n + 1
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// spaces returns how many of JSON's blanks text begins with.
func spaces(text []byte) int {
	for i, c := range text {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return i
		}
	}
	return len(text)
}

// blank appends as many lines and columns as a text has. A comma was written
// already when comma is set.
func blank(to, text []byte, comma bool) []byte {
	last := bytes.LastIndexByte(text, '\n')
	to = append(to, bytes.Repeat([]byte{'\n'}, bytes.Count(text, []byte{'\n'}))...)
	columns := utf8.RuneCount(text[last+1:])
	if comma && last < 0 {
		columns--
	}
	return append(to, bytes.Repeat([]byte{' '}, max(columns, 0))...)
}
