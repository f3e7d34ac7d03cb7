package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pinion"
	"pinion/internal/ui"
)

// maxLines is how many capabilities a question lists.
const maxLines = 30

// ask shows what an activation or installation would allow, and asks. Nobody
// there to answer is the answer no, which the library turns into the error that
// names the flags.
func (e *env) ask(ctx context.Context, q pinion.Question) (pinion.Answer, error) {
	e.Progress().Stop()
	if !e.prompt.Visible {
		return pinion.No, nil
	}
	if err := e.showQuestion(q); err != nil {
		return pinion.No, err
	}
	key, err := e.prompt.Ask(ctx, questionText(q), "", e.choices(ctx, q)...)
	var nobody *ui.NoTerminalError
	switch {
	case errors.As(err, &nobody):
		return pinion.No, nil
	case err != nil:
		return pinion.No, err
	case key == "y":
		return pinion.Yes, nil
	case key == "s":
		return pinion.Skip, nil
	}
	return pinion.No, errDeclined
}

// choices are the answers that a question has beside no.
func (e *env) choices(ctx context.Context, q pinion.Question) []ui.Choice {
	out := []ui.Choice{{Key: "y", Word: "yes"}}
	if q.Show != nil {
		out = append(out, ui.Choice{Key: "d", Word: "show the lines", Then: func() error { return e.showLines(ctx, q) }})
	}
	if q.Skippable {
		out = append(out, ui.Choice{Key: "s", Word: "skip this version"})
	}
	return out
}

// showLines writes the lines behind a question. They are the package's own text.
func (e *env) showLines(ctx context.Context, q pinion.Question) error {
	lines, err := q.Show(ctx)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return e.tell("no line of it runs, and none has changed")
	}
	for _, line := range lines {
		color := ui.Plain
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "file "):
			color = ui.Bold
		case strings.HasPrefix(line, "+"):
			color = ui.Green
		case strings.HasPrefix(line, "-"):
			color = ui.Red
		case strings.HasPrefix(line, "@@"):
			color = ui.Cyan
		}
		if err := e.tell(e.Err.Paint(color, ui.Escape(strings.ReplaceAll(line, "\t", "    ")))); err != nil {
			return err
		}
	}
	return nil
}

// showQuestion writes what the user is to agree to.
func (e *env) showQuestion(q pinion.Question) error {
	head := q.Title
	if q.ID != "" && q.Source != "" {
		head = q.ID + " " + q.Version
		if q.From != "" && q.From != q.Version {
			head = q.ID + " " + q.From + " → " + q.Version
		}
		head += "    " + q.Source
	}
	t := ui.NewTable(
		ui.Column{Keep: true, Paint: func(string) ui.Color { return ui.Yellow }},
		ui.Column{Keep: true}, ui.Column{})
	for i, l := range q.Lines {
		if i == maxLines {
			t.Row("", "and more", "pinion info "+q.ID+" --capabilities")
			break
		}
		mark := ""
		if l.New {
			mark = "  NEW"
		}
		t.Row(mark, l.What, l.Text)
	}
	if q.License != "" {
		t.Row("", "licence", q.License)
	}
	if q.Scan != "" {
		t.Row("", "scan", q.Scan)
	}
	if !q.Digest.IsZero() {
		t.Row("", "digest", q.Digest.String())
	}
	if err := e.tell(e.Err.Paint(ui.Bold, ui.Escape(head))); err != nil {
		return err
	}
	if err := t.Write(e.Err); err != nil {
		return err
	}
	if !runs(q) {
		return nil
	}
	return errors.Join(e.tell("It runs with your files and network, without asking again."), e.trust(q.Lines))
}

// trust says what no consent changes: plugins are not kept apart, and what is
// part of the app's pages can do what the app can (SB-052, SB-088, SB-145,
// SB-146).
func (e *env) trust(lines []pinion.Line) error {
	if slices.ContainsFunc(lines, func(l pinion.Line) bool { return strings.Contains(l.What, "ui-") }) {
		if err := e.tell("Its pages, patches and styles are code of the app once loaded: they can read and change what you see there."); err != nil {
			return err
		}
	}
	return e.tell("It is not kept apart from your other plugins: no machine, container or network of its own.")
}

// tell writes one line to stderr, whatever --quiet says: it belongs to a
// question.
func (e *env) tell(line string) error {
	_, err := e.Err.Write([]byte(line + "\n"))
	return err
}

// runs reports whether a yes lets programs run.
func runs(q pinion.Question) bool {
	return q.Kind.Executable() && q.Kind != "" || slices.Contains(q.Needs, pinion.GrantComputer)
}

func questionText(q pinion.Question) string {
	switch {
	case slices.Contains(q.Needs, pinion.GrantRewritten):
		return "Install these bytes?"
	case q.ID == "":
		return "Activate all of it?"
	}
	return "Activate " + q.Version + "?"
}
