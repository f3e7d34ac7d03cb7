package main

import (
	"context"
	"errors"
	"slices"

	"pinion"
	"pinion/internal/ui"
)

// maxLines is how many capabilities a question lists.
const maxLines = 30

// ask shows what an activation or installation would allow, and asks. Nobody
// there to answer is the answer no, which the library turns into the error that
// names the flags.
func (e *env) ask(ctx context.Context, q pinion.Question) (bool, error) {
	e.Progress().Stop()
	if !e.prompt.Visible {
		return false, nil
	}
	if err := e.showQuestion(q); err != nil {
		return false, err
	}
	ok, err := e.prompt.Confirm(ctx, questionText(q), "")
	var nobody *ui.NoTerminalError
	switch {
	case errors.As(err, &nobody):
		return false, nil
	case err != nil:
		return false, err
	case !ok:
		return false, errDeclined
	}
	return true, nil
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
	if runs(q) {
		return e.tell("It runs with your files and network, without asking again.")
	}
	return nil
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
