package ui

import (
	"bytes"
	"fmt"
	"strings"
)

// maxMarkdownRows keeps a report below what hosts show of one comment or step
// summary (64 KiB and 1 MiB).
const maxMarkdownRows = 200

type markdownReporter struct{}

var _ Reporter = markdownReporter{}

// Report writes a heading and a table, for a pull request comment or a step
// summary.
func (markdownReporter) Report(s Stream, r *Report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### pinion %s: %s", r.Command, r.counts())
	if r.Checked != "" {
		b.WriteString(" in " + markdownText(r.Checked))
	}
	b.WriteString("\n")
	for i, p := range r.Problems {
		if i == maxMarkdownRows {
			fmt.Fprintf(&b, "\nand %d more\n", len(r.Problems)-i)
			break
		}
		if i == 0 {
			b.WriteString("\n| | where | problem | rule |\n|---|---|---|---|\n")
		}
		text := markdownText(p.Message)
		if p.Fix != "" {
			text += "<br>fix: " + markdownText(p.Fix)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.Severity, markdownText(p.Position()), text, markdownText(p.Rule))
	}
	for _, t := range r.Tables {
		t.write(&b)
	}
	return writeAll(s, b.Bytes())
}

// MarkdownTable is a table of a Markdown report. Cells are untrusted text.
type MarkdownTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

func (t MarkdownTable) write(b *bytes.Buffer) {
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n#### %s\n\n| %s |\n|%s\n", t.Title, strings.Join(t.Head, " | "), strings.Repeat("---|", len(t.Head)))
	for i, row := range t.Rows {
		if i == maxMarkdownRows {
			fmt.Fprintf(b, "\nand %d more\n", len(t.Rows)-i)
			break
		}
		for _, cell := range row {
			b.WriteString("| " + markdownText(cell) + " ")
		}
		b.WriteString("|\n")
	}
}

// markdownText returns untrusted text that renders as itself: no markup, HTML,
// links, images, mentions or references to issues. Entities are used since a
// backslash does not stop a mention or a bare link.
func markdownText(s string) string {
	s = Escape(s)
	var b strings.Builder
	for i, r := range s {
		active := strings.ContainsRune("\\`*_{}[]<>#+!|~@&:$^=", r)
		// "www." is made a link without a scheme.
		if r == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www") {
			active = true
		}
		if active {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
