// Package ui is how results look: escaping of untrusted text, tables, colour,
// progress, prompts, and the reporters that turn findings into text, JSON,
// SARIF, GitHub annotations, JUnit or Markdown.
//
// It enforces the rules of the command line's contract: stdout is the result,
// stderr is progress and notes; colour and progress only where a person looks;
// no text from a package, a catalog or a server reaches a terminal or a CI log
// unescaped (security 3.5 row 74); a prompt is never answered by default. It
// knows nothing of what commands do. Only cmd imports it.
package ui

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Options say how output may look.
type Options struct {
	NoColor    bool // --no-color, or NO_COLOR is set
	NoProgress bool // --no-progress
	Quiet      bool // --quiet: no progress, notes or next steps
	Plain      bool // the result is for a program: no next step beside it
	Document   bool // the result is one JSON document (--json), an error the other: no notes between them
}

// Stream is one output and what is known of it. It is safe for use by one
// goroutine at a time.
type Stream struct {
	io.Writer
	Terminal bool // a person looks at it
	Width    int  // columns; 0 when unknown or not a terminal
	Color    bool
}

// NewStream looks at w: only an *os.File that is a terminal counts as one.
func NewStream(w io.Writer, o Options, getenv func(string) string) Stream {
	s := Stream{Writer: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.Terminal = true
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		s.Width = width
	}
	// A dumb terminal shows escape sequences as text; the variable counts when
	// it is present and not empty (no-color.org).
	s.Color = !o.NoColor && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	return s
}

// Color is a way to emphasise; the zero value is plain.
type Color uint8

// The colours that are used, by meaning: Red is an error or refusal, Yellow
// needs attention, Green is good, Cyan is a name, Faint is secondary.
const (
	Plain Color = iota
	Red
	Yellow
	Green
	Cyan
	Faint
	Bold
)

// sgr is the "select graphic rendition" parameter of a colour.
func (c Color) sgr() string {
	switch c {
	case Red:
		return "31"
	case Yellow:
		return "33"
	case Green:
		return "32"
	case Cyan:
		return "36"
	case Faint:
		return "2"
	case Bold:
		return "1"
	}
	return ""
}

// Paint returns text in the colour, or unchanged when s shows no colour. Text
// must have been escaped.
func (s Stream) Paint(c Color, text string) string {
	if !s.Color || c == Plain || text == "" {
		return text
	}
	return "\x1b[" + c.sgr() + "m" + text + "\x1b[0m"
}

// Console is the two outputs of one run. It is safe for use by one goroutine
// at a time, except that progress may be reported from several, and whole lines
// may be written to Err.
type Console struct {
	Out, Err Stream
	opts     Options
	progress *Progress
}

// NewConsole returns the console over a command's two outputs.
func NewConsole(stdout, stderr io.Writer, o Options, getenv func(string) string) *Console {
	c := &Console{Out: NewStream(stdout, o, getenv), Err: NewStream(stderr, o, getenv), opts: o}
	c.progress = newProgress(c.Err, c.Err.Terminal && !o.NoProgress && !o.Quiet)
	for _, s := range []*Stream{&c.Out, &c.Err} {
		if s.Terminal && c.progress.on {
			s.Writer = c.progress.over(s.Writer)
		}
	}
	return c
}

// Progress returns the one progress display of the run.
func (c *Console) Progress() *Progress { return c.progress }

// Note writes one line to stderr, escaped, unless the run is quiet or stderr is
// for one error object. It is for summaries and remarks; the output is complete
// without it.
func (c *Console) Note(format string, args ...any) {
	if c.opts.Quiet || c.opts.Document {
		return
	}
	fmt.Fprintln(c.Err, Escape(fmt.Sprintf(format, args...)))
}

// Next writes the step that usually follows, as `next: …`, when a person looks
// at stderr and the result is not for a program.
func (c *Console) Next(format string, args ...any) {
	if c.opts.Quiet || c.opts.Plain || !c.Err.Terminal {
		return
	}
	fmt.Fprintln(c.Err, c.Err.Paint(Faint, "next:")+" "+Escape(fmt.Sprintf(format, args...)))
}
