package scan

import (
	"sort"
	"unicode/utf8"

	"pinion/internal/syntax"
)

// File is one file of the package under scan.
type File struct {
	Path string
	Exec bool
	Data []byte
	Lang Lang
	Text bool // false for binary content
	// Member is the name inside the file, for content that was packed in it.
	Member string

	lines []int // offsets at which lines begin, made when first needed
}

// position returns the 1-based line and column of an offset.
func (f *File) position(offset int) (line, col int) {
	if f.lines == nil {
		f.lines = []int{0}
		for i, c := range f.Data {
			if c == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	}
	offset = min(max(offset, 0), len(f.Data))
	line = sort.SearchInts(f.lines, offset+1)
	return line, utf8.RuneCount(f.Data[f.lines[line-1]:offset]) + 1
}

// Whole returns the file as one text, for checks that look at its bytes as they
// are and not at its parts.
func (f *File) Whole() *Text {
	return &Text{File: f, Lang: f.Lang, Role: Body, Data: f.Data, verbatim: true}
}

// Role is what a text is in its file.
type Role uint8

// The roles.
const (
	Body        Role = iota // the file itself, or the prose of a Markdown file
	Block                   // a code block of a Markdown file
	Value                   // a string of a JSON, YAML or TOML document
	Command                 // a command that a host runs: a hook, a server
	Description             // a description that the model reads: of a skill, a tool, an agent
	Decoded                 // what encoded content turned out to be
)

// Text is a stretch of one file that rules look at: a script, the prose between
// two code blocks, one string of a document.
type Text struct {
	File *File
	Lang Lang
	Role Role
	Data []byte
	// Pointer is the JSON pointer of a Value.
	Pointer string
	// Depth is how many layers of encoding were taken off.
	Depth int

	base     int  // offset in the file of the first byte
	verbatim bool // Data is File.Data[base:]; otherwise it was unescaped or decoded
	lower    []byte
	within   *Text // the code that this stands in as a string
	nest     int   // how many strings it is in
	shell    *syntax.Script
}

// Lower returns Data with ASCII letters in lower case, for literal searches.
func (t *Text) Lower() []byte {
	if t.lower == nil {
		t.lower = make([]byte, len(t.Data))
		for i, c := range t.Data {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			t.lower[i] = c
		}
	}
	return t.lower
}

// Verbatim reports whether the text stands in the file byte for byte. Otherwise it
// was unescaped or decoded, and its positions are those of its beginning.
func (t *Text) Verbatim() bool { return t.verbatim }

// Offset returns where in the file the byte i of the text is; for a text that
// was unescaped or decoded it is where that begins.
func (t *Text) Offset(i int) int {
	if t.verbatim {
		return t.base + i
	}
	return t.base
}

// Line returns the line of the text that holds byte i, without its end, and the
// offset at which it begins.
func (t *Text) Line(i int) (line []byte, start int) {
	start, end := lineAround(t.Data, i)
	return t.Data[start:end], start
}

func lineAround(data []byte, i int) (start, end int) {
	i = min(max(i, 0), len(data))
	start, end = i, i
	for start > 0 && data[start-1] != '\n' {
		start--
	}
	for end < len(data) && data[end] != '\n' {
		end++
	}
	return start, end
}

// Script returns the text parsed as a shell script, once however many checks
// ask. It costs steps of the file's budget; without any left it is empty.
func (p *Pass) Script(t *Text) *syntax.Script {
	if t.shell == nil {
		t.shell = &syntax.Script{}
		t.shell = p.ParseShell(t.Data)
	}
	return t.shell
}

// ParseShell parses a script for a check and takes what that costs. Without
// steps left the script is empty.
func (p *Pass) ParseShell(data []byte) *syntax.Script {
	if !p.Spend(2*len(data) + scriptSteps) {
		return &syntax.Script{}
	}
	s := syntax.ParseShell(data)
	// What was read again after faults, and what looking at the commands takes.
	if !p.Spend(2*max(s.Work-len(data), 0) + commandSteps*len(s.Commands)) {
		return &syntax.Script{}
	}
	if s.Left {
		p.limit("it has more shell than is parsed")
	}
	return s
}
