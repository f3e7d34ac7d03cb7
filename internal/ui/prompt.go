package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// maxAnswer bounds what is read of one answer.
const maxAnswer = 4096

// maxAttempts is how often an answer that is none of the choices is asked for
// again before it counts as no.
const maxAttempts = 3

// NoTerminalError is a question that nobody can answer. It exits with 5 and
// names the flag that answers it.
type NoTerminalError struct {
	Question string
	Flag     string // "--allow extension"
}

// Error says what was asked.
func (e *NoTerminalError) Error() string {
	return fmt.Sprintf("%s: no terminal to ask on", strings.TrimRight(e.Question, "? "))
}

// Hint names the flag.
func (e *NoTerminalError) Hint() string { return "to say it without being asked: " + e.Flag }

// ExitCode is that of missing consent.
func (e *NoTerminalError) ExitCode() int { return 5 }

// Prompter asks on the controlling terminal, whatever stdin and stdout are
// connected to. It is safe for use by one goroutine at a time.
type Prompter struct {
	// Visible says that a person sees this run: without it a prompt could wait
	// for ever on a terminal that nobody looks at, as when a program runs
	// Pinion.
	Visible bool
	// Open opens the terminal.
	Open func() (io.ReadWriteCloser, error)
}

// NewPrompter returns a prompter for a run with these streams.
func NewPrompter(c *Console) *Prompter {
	return &Prompter{Visible: c.Err.Terminal, Open: openTerminal}
}

// openTerminal opens the terminal of the process group.
func openTerminal() (io.ReadWriteCloser, error) {
	if runtime.GOOS == "windows" {
		return openConsole()
	}
	return os.OpenFile("/dev/tty", os.O_RDWR, 0)
}

// console joins the two halves of a Windows console.
type console struct {
	io.Reader
	io.Writer
	closers []io.Closer
}

// Close closes both.
func (c console) Close() error {
	var errs []error
	for _, closer := range c.closers {
		errs = append(errs, closer.Close())
	}
	return errors.Join(errs...)
}

func openConsole() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return console{in, out, []io.Closer{in, out}}, nil
}

// Choice is one answer: a letter and the word it stands for. Both are
// accepted, in any case.
type Choice struct {
	Key, Word string
	// Then, when it is not nil, is done before the question is asked again: the
	// choice is no answer yet. It may write to the terminal.
	Then func() error
}

// No is the choice that an empty answer, an end of input and three answers that
// are no choice stand for. It is always the last one offered.
var no = Choice{Key: "n", Word: "no"}

// Ask prints question with its choices and returns the key of the one chosen,
// "n" for no. flag is what answers the question without asking. Without a
// terminal it returns a [*NoTerminalError]; when ctx ends, ctx.Err().
//
//	Activate 1.1.0?  y yes / d show the lines / N no:
func (p *Prompter) Ask(ctx context.Context, question, flag string, choices ...Choice) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if !p.Visible {
		return "", &NoTerminalError{question, flag}
	}
	tty, err := p.Open()
	if err != nil {
		return "", &NoTerminalError{question, flag}
	}
	defer tty.Close()
	return ask(ctx, tty, question, choices)
}

// Confirm asks a question whose answers are yes and no.
func (p *Prompter) Confirm(ctx context.Context, question, flag string) (bool, error) {
	key, err := p.Ask(ctx, question, flag, Choice{Key: "y", Word: "yes"})
	return key == "y", err
}

func ask(ctx context.Context, tty io.ReadWriter, question string, choices []Choice) (string, error) {
	var line strings.Builder
	line.WriteString(Escape(question) + " ")
	for _, c := range choices {
		line.WriteString(" " + c.Key + " " + Escape(c.Word) + " /")
	}
	line.WriteString(" N no: ")

	in := bufio.NewReader(io.LimitReader(tty, maxAnswer))
	for attempt := 0; attempt < maxAttempts; attempt++ {
		if _, err := io.WriteString(tty, line.String()); err != nil {
			return "", fmt.Errorf("write the question: %w", err)
		}
		answer, err := readLine(ctx, in)
		if cerr := ctx.Err(); cerr != nil {
			// The line with the question is not the place for what comes next.
			_, _ = io.WriteString(tty, "\n")
			return "", cerr
		}
		c, ok := choose(answer, choices)
		switch {
		case ok && c.Then == nil:
			return c.Key, nil
		case ok:
			if err := c.Then(); err != nil {
				return "", err
			}
			attempt = -1 // who looks may look again, and may still mistype
		}
		if err != nil {
			break
		}
	}
	return no.Key, nil
}

// choose returns the choice that answer names, by its letter, by all its words
// or by the first of them.
func choose(answer string, choices []Choice) (Choice, bool) {
	answer = strings.ToLower(strings.TrimSpace(answer))
	if answer == "" || answer == no.Key || answer == no.Word {
		return no, true
	}
	for _, c := range choices {
		words := strings.ToLower(c.Word)
		first, _, _ := strings.Cut(words, " ")
		if answer == strings.ToLower(c.Key) || answer == words || answer == first {
			return c, true
		}
	}
	return Choice{}, false
}

// readLine reads one line or returns when ctx ends. The read itself cannot be
// interrupted; it ends when the caller closes the terminal.
func readLine(ctx context.Context, in *bufio.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	answered := make(chan result, 1)
	go func() {
		line, err := in.ReadString('\n')
		answered <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-answered:
		return r.line, r.err
	}
}
