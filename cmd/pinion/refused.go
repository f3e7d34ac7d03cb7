package main

import (
	"fmt"
	"strings"

	"pinion/internal/ui"
	"pinion/market"
)

// maxRefused is how many refused entries are shown in full.
const maxRefused = 5

// printRefused writes what was refused, how it differs from what is known, and
// every way to go on.
func printRefused(c *ui.Console, r *market.RefusedError) {
	var b strings.Builder
	for i, one := range r.Refused {
		if i == maxRefused {
			fmt.Fprintf(&b, "and %d more\n", len(r.Refused)-i)
			break
		}
		writeRefusal(&b, c.Err, r.Market, one)
	}
	switch {
	case r.Previous == "":
		b.WriteString("  Nothing was added.\n")
	case r.Refused[0].ID != "":
		b.WriteString("  What you installed runs on. A changed plugin needs a new version from its publisher.\n")
	default:
		b.WriteString("  Nothing was changed; what you installed runs on.\n")
	}
	for _, way := range r.WaysOut() {
		fmt.Fprintf(&b, "  %-12s %s\n", way[0], ui.Escape(way[1]))
	}
	// stderr is the last place to report to: an error here has no other.
	_, _ = c.Err.Write([]byte(b.String()))
}

// writeRefusal writes one refused entry, or the refused marketplace.
func writeRefusal(b *strings.Builder, s ui.Stream, name string, r market.Refusal) {
	what := join(" ", name+":", r.ID, r.Version)
	text := r.Message
	switch {
	case r.Rule == "release/rewritten":
		what, text = what+" is not what it was", ""
	case r.ID != "":
		what += ":"
	}
	head := ui.Escape(join(" ", what, text)) + " (" + ui.Escape(r.Rule) + ")"
	b.WriteString(s.Paint(ui.Red, head) + "\n")
	seen := ""
	if !r.FirstSeen.IsZero() {
		seen = ", first seen " + r.FirstSeen.UTC().Format("2006-01-02")
	}
	side := func(word, digest, commit, more string) {
		if digest == "" && commit == "" {
			return
		}
		if commit != "" {
			commit = "commit " + shortCommit(commit)
		}
		fmt.Fprintf(b, "    %-9s %s%s\n", word, ui.Escape(join("  ", shortDigest(digest), commit)), more)
	}
	side("recorded", r.Recorded.String(), r.RecordedCommit, seen)
	side("offered", r.Offered.String(), r.OfferedCommit, "")
}
