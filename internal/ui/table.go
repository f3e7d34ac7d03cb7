package ui

import (
	"bufio"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// minColumn is the width below which a column is not cut further.
const minColumn = 8

// Column is one column of a [Table].
type Column struct {
	Title string
	// Short returns what a person sees of a cell, such as the start of a
	// digest; nil shows the whole. Piped output always has the whole.
	Short func(cell string) string
	// Paint returns the colour of a cell; nil is plain.
	Paint func(cell string) Color
	// Keep says that the column is never cut: an id that is cut cannot be
	// typed.
	Keep bool
}

// Table is rows under columns. On a terminal it is aligned, with a header, and
// as wide as the terminal at most; anywhere else it is tab-separated, whole and
// without header, so that scripts can cut it. Not safe for concurrent use.
type Table struct {
	columns []Column
	rows    [][]string
}

// NewTable returns an empty table.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Row adds a row. Cells are escaped when they are written; missing cells are
// empty, and more cells than columns is a programmer's error.
func (t *Table) Row(cells ...string) {
	if len(cells) > len(t.columns) {
		panic("ui: a table row has more cells than the table has columns")
	}
	row := make([]string, len(t.columns))
	copy(row, cells)
	t.rows = append(t.rows, row)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Write writes the table to s. A table without rows writes nothing.
func (t *Table) Write(s Stream) error {
	if len(t.rows) == 0 {
		return nil
	}
	w := bufio.NewWriter(s)
	if s.Terminal {
		t.writeAligned(w, s)
	} else {
		t.writePiped(w)
	}
	return w.Flush()
}

func (t *Table) writePiped(w *bufio.Writer) {
	for _, row := range t.rows {
		for i, cell := range row {
			if i > 0 {
				w.WriteByte('\t')
			}
			w.WriteString(Escape(cell))
		}
		w.WriteByte('\n')
	}
}

func (t *Table) writeAligned(w *bufio.Writer, s Stream) {
	shown := make([][]string, len(t.rows))
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = uniseg.StringWidth(c.Title)
	}
	for r, row := range t.rows {
		shown[r] = make([]string, len(row))
		for i, cell := range row {
			if short := t.columns[i].Short; short != nil {
				cell = short(cell)
			}
			shown[r][i] = Escape(cell)
			widths[i] = max(widths[i], uniseg.StringWidth(shown[r][i]))
		}
	}
	if s.Width > 0 {
		fit(widths, t.columns, s.Width)
	}
	header := make([]string, len(t.columns))
	for i, c := range t.columns {
		header[i] = c.Title
	}
	if t.titled() {
		writeRow(w, header, widths, func(_ int, text string) string { return s.Paint(Bold, text) })
	}
	for r, row := range shown {
		writeRow(w, row, widths, func(i int, text string) string {
			if paint := t.columns[i].Paint; paint != nil {
				return s.Paint(paint(t.rows[r][i]), text)
			}
			return text
		})
	}
}

// titled reports whether a column has a title; a table without is a list of
// facts and has no header.
func (t *Table) titled() bool {
	return slices.ContainsFunc(t.columns, func(c Column) bool { return c.Title != "" })
}

// gap separates two columns.
const gap = "  "

// writeRow writes one line without trailing spaces, which terminals wrap.
func writeRow(w *bufio.Writer, cells []string, widths []int, paint func(i int, text string) string) {
	last := len(cells) - 1
	for last > 0 && cells[last] == "" {
		last--
	}
	for i, cell := range cells[:last+1] {
		text := Truncate(cell, widths[i])
		w.WriteString(paint(i, text))
		if i < last {
			w.WriteString(strings.Repeat(" ", widths[i]-uniseg.StringWidth(text)))
			w.WriteString(gap)
		}
	}
	w.WriteByte('\n')
}

// fit lowers widths until the line fits, the widest column that may be cut
// first, none below minColumn. When nothing more can be cut the line stays too
// long, which is better than a table of ellipses.
func fit(widths []int, columns []Column, width int) {
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for total > width {
		widest := -1
		for i, w := range widths {
			if !columns[i].Keep && w > minColumn && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
		total--
	}
}

// Truncate cuts s, which must have been escaped, to width terminal columns and
// ends it with "…" when something was cut. It never splits what is seen as one
// character.
func Truncate(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	if width <= 1 {
		return "…"
	}
	var b strings.Builder
	used, state, rest := 0, -1, s
	for rest != "" {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		b.WriteString(cluster)
		used += w
	}
	return strings.TrimRight(b.String(), " ") + "…"
}
