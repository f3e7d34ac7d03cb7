package main

import (
	"fmt"
	"strings"
	"time"

	"pinion"
	"pinion/internal/ui"
	"pinion/source"
)

// line writes one line of result text to stdout. What comes from a package, a
// catalog or a server is escaped with the rest of it.
func (e *env) line(format string, args ...any) error {
	_, err := fmt.Fprintln(e.Out, ui.Escape(fmt.Sprintf(format, args...)))
	return err
}

// warn writes something that went wrong beside the result, which the command
// still has. It is shown in quiet runs too.
func (e *env) warn(format string, args ...any) {
	if e.asJSON() {
		return // the document has it, and stderr is for one error object
	}
	fmt.Fprintf(e.Err, "%s %s\n", e.Err.Paint(ui.Yellow, "pinion:"), ui.Escape(fmt.Sprintf(format, args...)))
}

// sayWaiting tells that a lock of the process pid keeps this run waiting, in
// quiet runs too: a program that stands still for no reason seems broken. It may
// be called from several goroutines.
func (e *env) sayWaiting(pid int) {
	if e.asJSON() {
		return // stderr is for one error object
	}
	who := "another process"
	if pid > 0 {
		who = fmt.Sprintf("pinion (pid %d)", pid)
	}
	fmt.Fprintf(e.Err, "waiting for %s …\n", who)
}

// damaged warns of files of the home that could not be read.
func (e *env) damaged(list []string) {
	for _, d := range list {
		e.warn("%s", d)
	}
	if len(list) > 0 {
		e.Note("pinion doctor says what to do")
	}
}

// did chooses between what was done and what a dry run would do.
func (e *env) did(done, would string) string {
	if e.opts.dryRun {
		return would
	}
	return done
}

// show prints a result: the document with --json, else the text.
func (e *env) show(doc any, text func() error) error {
	if e.asJSON() {
		return e.printJSON(doc)
	}
	return text()
}

// facts is a list of names and values, aligned on a terminal and separated by a
// tab elsewhere. Empty values are left out.
func (e *env) facts(pairs [][2]string) error {
	t := ui.NewTable(ui.Column{Keep: true, Paint: func(string) ui.Color { return ui.Faint }}, ui.Column{Keep: true})
	for _, p := range pairs {
		if p[1] != "" {
			t.Row(p[0], p[1])
		}
	}
	return t.Write(e.Out)
}

// shortCommit shortens a commit id for people.
func shortCommit(id string) string { return source.Short(id) }

// shortDigest shortens the text form of a digest for people.
func shortDigest(d string) string {
	const shown = len("h1:") + 8
	if len(d) <= shown {
		return d
	}
	return d[:shown] + "…"
}

// The columns that several tables have.

func idColumn() ui.Column { return ui.Column{Title: "ID", Keep: true} }

func versionColumn() ui.Column { return ui.Column{Title: "VERSION", Keep: true} }

func marketColumn() ui.Column { return ui.Column{Title: "MARKET", Keep: true} }

func digestColumn() ui.Column {
	return ui.Column{Title: "DIGEST", Short: shortDigest, Keep: true, Paint: func(string) ui.Color { return ui.Faint }}
}

func commitColumn(title string) ui.Column {
	return ui.Column{Title: title, Short: shortCommit, Keep: true}
}

func stateColumn() ui.Column {
	return ui.Column{Title: "STATE", Keep: true, Paint: func(cell string) ui.Color {
		switch pinion.State(cell) {
		case pinion.StateActive:
			return ui.Green
		case pinion.StateDisabled:
			return ui.Yellow
		}
		return ui.Plain
	}}
}

// age says how long ago t was: "just now", "5 min ago", "3 h ago", "2 days ago".
func age(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	if old := howOld(now, t); old != "" {
		return old + " ago"
	}
	return "just now"
}

// howOld is the time since t in its largest unit, "" below a minute.
func howOld(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return ""
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// stamp is a time as people and scripts read it.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// size is a number of bytes with a decimal unit.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// join lists words, without the empty ones.
func join(sep string, words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, sep)
}

// inScope is how a scope is added to a sentence: nothing for the user.
func inScope(scope string) string {
	if scope == "" || scope == "user" {
		return ""
	}
	return " for " + scope
}
