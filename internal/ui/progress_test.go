package ui

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a writer that tells when something was drawn.
type screen struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	drawn chan struct{}
	once  sync.Once
}

func newScreen() *screen { return &screen{drawn: make(chan struct{})} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.once.Do(func() { close(s.drawn) })
	return s.buf.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func TestProgressShows(t *testing.T) {
	t.Parallel()
	for _, total := range []int64{0, 100} {
		s := newScreen()
		p := newProgress(Stream{Writer: s, Terminal: true}, true)
		p.delay = 0
		task := p.Start("fetch \x1b[2Jacme", total, false)
		task.Add(3)
		<-s.drawn
		task.Add(4)
		task.Done()
		task.Done()
		got := s.String()
		if !strings.Contains(got, `fetch \x1b[2Jacme`) {
			t.Errorf("total %d: the label is missing or raw: %q", total, got)
		}
	}
}

func TestProgressStaysAway(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		on    bool
		delay time.Duration
	}{
		{"not a terminal, quiet or switched off", false, 0},
		{"done before the delay", true, time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen()
			p := newProgress(Stream{Writer: s}, tt.on)
			p.delay = tt.delay
			task := p.Start("work", 10, false)
			task.Add(10)
			p.Start("more work", 0, true).Done()
			task.Done()
			if got := s.String(); got != "" {
				t.Errorf("progress wrote %q", got)
			}
		})
	}
}

func TestConsoleChoosesProgress(t *testing.T) {
	t.Parallel()
	var out, err bytes.Buffer
	c := NewConsole(&out, &err, Options{}, func(string) string { return "" })
	if c.Progress().on {
		t.Error("progress is on although stderr is no terminal")
	}
	c.Next("pinion list")
	c.Note("2 \x1bactive")
	if got, want := err.String(), "2 \\x1bactive\n"; got != want {
		t.Errorf("stderr is %q, want %q", got, want)
	}
	if out.Len() != 0 {
		t.Errorf("stdout has %q", out.String())
	}
}

func TestProgressUpdate(t *testing.T) {
	t.Parallel()
	s := newScreen()
	p := newProgress(Stream{Writer: s, Terminal: true}, true)
	p.delay = time.Hour
	p.Update("one", 3, 10)
	first := p.task
	p.Update("one", 2, 10)
	if p.task != first || first.done != 3 {
		t.Errorf("a late report moved the task to %d", first.done)
	}
	p.Update("two", 1, 10)
	if p.task == first || !first.ended {
		t.Error("another label did not begin another task")
	}
	p.Update("two", 10, 10)
	if p.task == nil || p.task.total != 0 || p.task.label != "two" {
		t.Error("the last step did not leave a task without an end")
	}
	p.Update("three", 1, 0)
	p.Stop()
	p.Stop()
	if p.task != nil {
		t.Error("Stop left a task")
	}
}

// A result that is written while a bar is shown takes the bar's place; nothing
// of the bar stays in its line, and where no bar is shown nothing is added.
func TestProgressGivesWay(t *testing.T) {
	t.Parallel()
	s := newScreen()
	p := newProgress(Stream{Writer: s, Terminal: true, Width: 60}, true)
	p.delay = 0
	out := p.over(s)
	if _, err := out.Write([]byte("before\n")); err != nil || s.String() != "before\n" {
		t.Errorf("without a bar the screen is %q", s.String())
	}
	s = newScreen()
	p.w, out = s, p.over(s)
	p.Start(strings.Repeat("very long label ", 9), 10, false)
	<-s.drawn
	if _, err := out.Write([]byte("result\n")); err != nil {
		t.Fatal(err)
	}
	p.Stop()
	for _, line := range strings.FieldsFunc(s.String(), func(r rune) bool { return r == '\r' || r == '\n' }) {
		if n := len([]rune(line)); n >= 60 {
			t.Errorf("a line of %d columns wraps: %q", n, line)
		}
	}
	_, text, ok := strings.Cut(s.String(), "very long l…")
	if !ok {
		t.Fatalf("the label is not cut: %q", s.String())
	}
	before, _, _ := strings.Cut(text, "result\n")
	if !strings.HasSuffix(before, " \r") {
		t.Errorf("the bar was not taken away before the result: %q", s.String())
	}
	if end := s.String(); !strings.HasSuffix(end, "result\n") && !strings.HasSuffix(end, " \r") {
		t.Errorf("something of the bar is left: %q", end)
	}
}

// Many short pieces of work that together take long are shown.
func TestProgressAddsUp(t *testing.T) {
	t.Parallel()
	s := newScreen()
	p := newProgress(Stream{Writer: s, Terminal: true}, true)
	p.delay = time.Hour
	p.Start("first", 0, false)
	p.since = p.since.Add(-2 * time.Hour)
	p.Start("second", 0, false)
	<-s.drawn
	p.Stop()
	if !p.since.IsZero() {
		t.Error("after Stop the next work counts as long")
	}
}
