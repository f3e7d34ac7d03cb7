package main

import (
	"fmt"
	"strings"

	"pinion/internal/ui"
	"pinion/market"
)

// maxInline is how many changes stand in a marketplace's own row on a terminal;
// more are counted there and listed below it.
const maxInline = 3

// maxChanges is how many changes a terminal lists for one marketplace.
const maxChanges = 40

// sayRefreshed prints a row for each marketplace: the commits, and what changed.
func (e *env) sayRefreshed(reports []*market.Report) error {
	t := ui.NewTable(ui.Column{Keep: true, Paint: func(string) ui.Color { return ui.Cyan }}, ui.Column{Keep: true}, ui.Column{})
	var below []string
	for _, r := range reports {
		changes := changesOf(r)
		text := strings.Join(changes, "   ")
		if e.Out.Terminal && len(changes) > maxInline {
			text = countsOf(r)
			below = append(below, indented(r.Name, changes)...)
		}
		if text == "" {
			text = fmt.Sprintf("%s, checked just now", ui.Count(r.Plugins, "plugin"))
		}
		if kept(r) {
			text = "REFUSED, nothing changed: " + r.Refused[0].Rule
		}
		t.Row(r.Name, e.commitsOf(r), text)
	}
	if err := t.Write(e.Out); err != nil {
		return err
	}
	for _, l := range below {
		if err := e.line("%s", l); err != nil {
			return err
		}
	}
	return nil
}

// kept reports whether a marketplace was refused as a whole.
func kept(r *market.Report) bool { return len(r.Refused) > 0 && r.Commit == r.Previous }

// commitsOf says where a marketplace was and is; whole ids where a script reads.
func (e *env) commitsOf(r *market.Report) string {
	short := func(id string) string { return id }
	if e.Out.Terminal {
		short = shortCommit
	}
	switch {
	case kept(r):
		return short(r.Previous) + " kept"
	case r.Unchanged, r.Commit == r.Previous && r.Commit != "":
		return "unchanged"
	case r.Commit == "":
		return "read again"
	case r.Previous == "":
		return short(r.Commit)
	}
	return short(r.Previous) + " → " + short(r.Commit)
}

// changesOf lists what a refresh found, one text for each plugin.
func changesOf(r *market.Report) []string {
	if kept(r) || r.Unchanged {
		return nil
	}
	var out []string
	for _, c := range r.Added {
		out = append(out, join(" ", "+", c.ID, c.To))
	}
	for _, c := range r.Updated {
		from := ""
		if c.From != "" {
			from = c.From + " →"
		}
		if c.Why != "" {
			from, c.To = "", c.Why
		}
		out = append(out, join(" ", "~", c.ID, from, c.To))
	}
	for _, c := range r.Removed {
		out = append(out, join(" ", "-", c.ID, c.From))
	}
	for _, c := range r.Rewritten {
		out = append(out, join(" ", "!", c.ID, c.To, "rewritten"))
	}
	for _, c := range r.Unavailable {
		out = append(out, fmt.Sprintf("x %s unavailable: %s", join(" ", c.ID, c.To), c.Rule))
	}
	for _, c := range r.Refused {
		out = append(out, fmt.Sprintf("x %s %s refused, kept as it was: %s", c.ID, c.Version, c.Rule))
	}
	return out
}

// countsOf sums up what does not fit into a row.
func countsOf(r *market.Report) string {
	out := ""
	for _, c := range []struct {
		n    int
		word string
	}{
		{len(r.Added), "added"}, {len(r.Updated), "updated"}, {len(r.Removed), "removed"},
		{len(r.Rewritten), "rewritten"}, {len(r.Unavailable), "unavailable"}, {len(r.Refused), "refused"},
	} {
		if c.n > 0 {
			out = join(", ", out, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return out
}

// indented lists changes below their marketplace.
func indented(name string, changes []string) []string {
	var out []string
	for i, c := range changes {
		if i == maxChanges {
			out = append(out, fmt.Sprintf("    and %d more: pinion marketplace info %s", len(changes)-i, name))
			break
		}
		out = append(out, "    "+c)
	}
	return out
}
