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
	if p.task != nil {
		t.Error("the last step did not end the task")
	}
	p.Update("three", 1, 0)
	p.Stop()
	p.Stop()
	if p.task != nil {
		t.Error("Stop left a task")
	}
}
