package syntax

import (
	"bytes"
	"unicode/utf8"
)

const bom = "\ufeff"

// TrimBOM returns data without a leading UTF-8 byte order mark.
func TrimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte(bom)) }

// PositionAt returns the 1-based line and column, in code points, of a byte
// offset. Lines end with LF or CRLF. A leading byte order mark has no width, as
// in editors; a byte that is not UTF-8 counts as one code point. An offset
// outside data is moved to its nearest end.
func PositionAt(data []byte, offset int) (line, col int) {
	c := cursorAt(data)
	return c.advance(offset)
}

// cursor turns rising offsets into positions without starting over, so that a
// document with many faults is still read once.
type cursor struct {
	data           []byte
	at, line, col  int // offset at has this position
	firstAfterMark int
}

func cursorAt(data []byte) cursor {
	c := cursor{data: data, line: 1, col: 1}
	if bytes.HasPrefix(data, []byte(bom)) {
		c.at, c.firstAfterMark = len(bom), len(bom)
	}
	return c
}

// advance moves to offset, which must not be below the one before.
func (c *cursor) advance(offset int) (line, col int) {
	offset = min(max(offset, c.firstAfterMark, c.at), len(c.data))
	part := c.data[c.at:offset]
	if n := bytes.Count(part, []byte{'\n'}); n > 0 {
		c.line += n
		c.col = 1
		part = part[bytes.LastIndexByte(part, '\n')+1:]
	}
	c.col += utf8.RuneCount(part)
	c.at = offset
	return c.line, c.col
}
