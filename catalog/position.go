package catalog

import (
	"bytes"
	"unicode/utf8"

	"pinion/internal/syntax"
)

// cursor turns rising offsets into positions, so that the lines of ten thousand
// entries are counted once.
type cursor struct {
	data          []byte
	at, line, col int
}

func newCursor(data []byte) cursor {
	return cursor{data: data, at: len(data) - len(syntax.TrimBOM(data)), line: 1, col: 1}
}

// to returns the 1-based line and column of offset, which must not be below
// the one before.
func (c *cursor) to(offset int) (line, col int) {
	part := c.data[c.at:max(offset, c.at)]
	if n := bytes.Count(part, []byte{'\n'}); n > 0 {
		c.line, c.col = c.line+n, 1
		part = part[bytes.LastIndexByte(part, '\n')+1:]
	}
	c.col += utf8.RuneCount(part)
	c.at = max(offset, c.at)
	return c.line, c.col
}

// inside moves a position in a part of the file to the file, given where the
// part begins.
func inside(line, col, partLine, partCol int) (int, int) {
	if line <= 1 {
		return partLine, partCol + max(col, 1) - 1
	}
	return partLine + line - 1, col
}
