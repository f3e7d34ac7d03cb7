package main

import (
	"cmp"
	"strings"

	"pinion"
	"pinion/compat"
	"pinion/internal/ui"
)

// hostRows are the cells of the table "package × host": what it is, the host,
// whether it loads, from which version on, and why not or not all of it.
func hostRows(r *pinion.ValidateReport) (rows [][]string) {
	add := func(path string, hosts []pinion.HostVerdict) {
		for _, h := range hosts {
			rows = append(rows, []string{path, string(h.Host) + " " + h.Versions, string(h.Loads), h.Since, whyNot(h)})
		}
	}
	for _, c := range r.Catalogs {
		add(c.Path, c.Hosts)
	}
	for _, p := range r.Packages {
		add(cmp.Or(p.Path, p.ID), p.Hosts)
	}
	return rows
}

// whyNot names the rules behind a host that does not load something, or the
// version from which on it loads all of it.
func whyNot(h pinion.HostVerdict) string {
	switch {
	case len(h.Why) > 0:
		const most = 3
		if len(h.Why) > most {
			return strings.Join(h.Why[:most], ", ") + ", …"
		}
		return strings.Join(h.Why, ", ")
	case h.Complete != h.Since && h.Complete != "":
		return "all of it since " + h.Complete
	}
	return ""
}

// hostTable is the table for people and pipes; it is empty when no host was
// asked.
func hostTable(r *pinion.ValidateReport) *ui.Table {
	t := ui.NewTable(
		ui.Column{Title: "WHAT", Keep: true}, ui.Column{Title: "HOST", Keep: true},
		ui.Column{Title: "LOADS", Keep: true, Paint: outcomeColor}, ui.Column{Title: "FROM", Keep: true}, ui.Column{Title: "WHY"},
	)
	for _, row := range hostRows(r) {
		t.Row(row...)
	}
	return t
}

func outcomeColor(cell string) ui.Color {
	switch compat.Outcome(cell) {
	case compat.Loads:
		return ui.Green
	case compat.Partly:
		return ui.Yellow
	case compat.Refused:
		return ui.Red
	}
	return ui.Faint
}

// hostTables is the same for a Markdown report.
func hostTables(r *pinion.ValidateReport) []ui.MarkdownTable {
	rows := hostRows(r)
	if len(rows) == 0 {
		return nil
	}
	return []ui.MarkdownTable{{Title: "Hosts", Head: []string{"what", "host", "loads", "from", "why"}, Rows: rows}}
}
