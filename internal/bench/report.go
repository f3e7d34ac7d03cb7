package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// report is the outcome of a run.
type report struct {
	machine []fact
	options options
	results []result
}

// fact is one circumstance of the run.
type fact struct{ name, value string }

// figure writes a value in its unit.
func (u unit) figure(v float64) string {
	switch u {
	case times:
		return fmt.Sprintf("%.3g×", v)
	case mib:
		return fmt.Sprintf("%.1f MiB", v)
	}
	return fmt.Sprintf("%.0f%s", v, string(u))
}

func (r result) measured() string {
	if r.missed != "" {
		return "–"
	}
	return r.unit.figure(r.value)
}

// text writes the table for a terminal.
func (r report) text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ROW\tWORK\tAGAINST\tLIMIT\tMEASURED\tVERDICT\tMEDIANS")
	for _, x := range r.results {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.id, x.work, x.over, x.unit.figure(x.limit), x.measured(), x.verdict(), x.detail)
	}
	t.Flush()
}

// markdown is the file that is kept.
func (r report) markdown() []byte {
	var w bytes.Buffer
	w.WriteString(`# Benchmarks

Written by ` + "`make bench`" + `; do not edit. Each figure is a ratio of medians: the things compared take turns in
one run, so that a busy machine slows all of them. Nothing here is asserted; the counters that must not grow
are tests of the packages they belong to. The limits are meant for the full scale.

## Figures

| row | work | against | at most | measured | verdict | medians |
|---|---|---|---|---|---|---|
`)
	for _, x := range r.results {
		cells := []string{x.id, x.work, x.over, x.unit.figure(x.limit), x.measured(), x.verdict(), x.detail}
		for i, c := range cells {
			cells[i] = cell(c)
		}
		fmt.Fprintf(&w, "| %s |\n", strings.Join(cells, " | "))
	}
	w.WriteString("\n## Circumstances\n\n| | |\n|---|---|\n")
	for _, f := range r.machine {
		fmt.Fprintf(&w, "| %s | %s |\n", cell(f.name), cell(f.value))
	}
	fmt.Fprintf(&w, `
## What was measured

- **Processes** are measured whole, from their start to the end of the wait for them, in a clean environment. The
  first round warms caches and is not counted.
- **Packages**: %d files each; a native one has seven directories, of %d bytes a file; words that compress as prose
  does. For the growth row a file has %d bytes.
- **Limit**: cread (internal/bench/testdata/cread.c) opens, reads and closes every file with two threads and does
  nothing with the bytes.
- **Servers**: git http-backend on loopback, packed, with bitmaps and a commit graph; requests and the bytes of all
  bodies are counted there. The server's work shares the cores with the client's, on both sides of a ratio.
- **Memory** is the peak resident size of the process under a small parent, because a child starts with the peak of
  the process that started it.
- **Durable** rows run on a disk with all flushes; sync calls are counted with strace.
- Every tree gets a new name, and none is removed and made again: on ext4 that would measure the file system's memory
  of deleted files.

## Again

`, filesPerPackage, fileSize, growthFileSize)
	w.WriteString("```\nmake bench\ngo run ./internal/bench -pinion bin/pinion -only start\ngo run ./internal/bench -pinion bin/pinion -scale small\n```\n\n" +
		"`-claude BINARY` and `-codex BINARY` add the rows against these hosts, `-disk DIR` chooses the disk, `-dir DIR` the memory file system.\n")
	return w.Bytes()
}

// cell escapes text for a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
