package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// tty is a terminal with typed input.
type tty struct {
	io.Reader
	strings.Builder
}

func (t *tty) Close() error { return nil }

func TestAsk(t *testing.T) {
	t.Parallel()
	looked := 0
	choices := []Choice{
		{Key: "y", Word: "yes"},
		{Key: "d", Word: "show the lines", Then: func() error { looked++; return nil }},
		{Key: "s", Word: "skip this version"},
	}
	tests := []struct{ name, typed, want string }{
		{"yes", "y\n", "y"},
		{"word, any case", " YES \n", "y"},
		{"other", "s\n", "s"},
		{"the first of its words", "Skip\n", "s"},
		{"look, then say", "d\nshow the lines\ny\n", "y"},
		{"only looked", "d\n", "n"},
		{"mistyped after each look", "a\nb\nd\na\nb\ny\n", "y"},
		{"no", "N\n", "n"},
		{"empty is no", "\n", "n"},
		{"end of input is no", "", "n"},
		{"asked again", "maybe\ny\n", "y"},
		{"never guessed", "yy\nyep\nsure\ny\n", "n"},
		{"endless line", strings.Repeat("y", 2*maxAnswer), "n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			term := &tty{Reader: strings.NewReader(tt.typed)}
			p := &Prompter{Visible: true, Open: func() (io.ReadWriteCloser, error) { return term, nil }}
			got, err := p.Ask(t.Context(), "Activate \x1b[2J1.1.0?", "--allow extension", choices...)
			if err != nil || got != tt.want {
				t.Errorf("Ask = %q, %v, want %q", got, err, tt.want)
			}
			if want := `Activate \x1b[2J1.1.0?  y yes / d show the lines / s skip this version / N no: `; !strings.HasPrefix(term.String(), want) {
				t.Errorf("the question is %q, want %q", term.String(), want)
			}
		})
	}
	if looked != 4 {
		t.Errorf("the lines were shown %d times, want 4", looked)
	}
}

// What is to be shown and cannot be is an error, never a question without it.
func TestAskShowsNothing(t *testing.T) {
	t.Parallel()
	term := &tty{Reader: strings.NewReader("d\ny\n")}
	p := &Prompter{Visible: true, Open: func() (io.ReadWriteCloser, error) { return term, nil }}
	broken := errors.New("the file was changed")
	key, err := p.Ask(t.Context(), "Activate?", "", Choice{Key: "y", Word: "yes"}, Choice{Key: "d", Word: "show", Then: func() error { return broken }})
	if key != "" || !errors.Is(err, broken) {
		t.Errorf("Ask = %q, %v, want %v", key, err, broken)
	}
}

// Without a terminal a prompt is an error with exit 5 that names the flag.
func TestAskWithoutTerminal(t *testing.T) {
	t.Parallel()
	for _, p := range []*Prompter{
		{Visible: false, Open: func() (io.ReadWriteCloser, error) { return nil, errors.New("must not be opened") }},
		{Visible: true, Open: func() (io.ReadWriteCloser, error) { return nil, io.ErrClosedPipe }},
	} {
		ok, err := p.Confirm(t.Context(), "Go on?", "--yes")
		var none *NoTerminalError
		if ok || !errors.As(err, &none) || none.ExitCode() != 5 || !strings.Contains(none.Hint(), "--yes") {
			t.Errorf("Confirm = %v, %v", ok, err)
		}
	}
}

func TestAskInterrupted(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	term := &tty{Reader: r}
	p := &Prompter{Visible: true, Open: func() (io.ReadWriteCloser, error) { cancel(); return term, nil }}
	if ok, err := p.Confirm(ctx, "Go on?", "--yes"); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("Confirm = %v, %v, want context.Canceled", ok, err)
	}
}
