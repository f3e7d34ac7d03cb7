package ui

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long work runs before its progress is shown: what is
// done sooner needs none.
const progressDelay = 500 * time.Millisecond

// refresh is how often a shown bar moves.
const refresh = 100 * time.Millisecond

// Width of a bar, and of what stands beside the label, in columns.
const (
	barWidth    = 24
	besideLabel = barWidth + len("  100% || (100000/100000) ")
	minLabel    = 12
	usualWidth  = 80 // of a terminal that does not say its own
)

// Progress shows what takes long, one task at a time, on a terminal's stderr.
// Where nothing may be shown it does nothing, so callers need not ask. It is
// safe for concurrent use.
type Progress struct {
	w     io.Writer
	width int
	on    bool
	delay time.Duration

	mu    sync.Mutex
	task  *Task
	since time.Time // when the work began that is under way; zero for none
	// frame collects what the library writes piece by piece, so that the
	// terminal gets each picture at once and does not flicker.
	frame bytes.Buffer
	shown bool // a bar is on the screen
}

func newProgress(s Stream, on bool) *Progress {
	p := &Progress{w: s.Writer, width: s.Width, on: on, delay: progressDelay}
	if p.width == 0 {
		p.width = usualWidth
	}
	return p
}

// over returns a writer whose text goes over what is shown: the bar is taken
// away for it and drawn again by its next move.
func (p *Progress) over(w io.Writer) io.Writer { return &overWriter{p, w} }

type overWriter struct {
	p *Progress
	w io.Writer
}

// Write writes b where the bar was.
func (o *overWriter) Write(b []byte) (int, error) {
	o.p.mu.Lock()
	defer o.p.mu.Unlock()
	o.p.clear()
	return o.w.Write(b)
}

// clear takes the bar off the screen. It is called with p.mu held.
func (p *Progress) clear() {
	if !p.shown {
		return
	}
	_ = p.task.bar.Clear()
	p.flush()
	p.shown = false
}

// flush sends the picture to the terminal. It is called with p.mu held. A bar
// that cannot be drawn must not stop the work.
func (p *Progress) flush() {
	if p.frame.Len() == 0 {
		return // the library left a move out, because the last one was just now
	}
	_, _ = p.w.Write(p.frame.Bytes())
	p.frame.Reset()
	p.shown = true
}

// Task is one piece of work in progress. It is safe for concurrent use.
type Task struct {
	p     *Progress
	label string
	total int64
	bytes bool
	timer *time.Timer
	stop  chan struct{}

	// Guarded by p.mu.
	done  int64
	bar   *progressbar.ProgressBar
	ended bool
}

// Start begins a task; total is the number of steps or, with bytes, of bytes,
// and 0 means unknown. A task that is still running is ended by it. Label is
// escaped.
func (p *Progress) Start(label string, total int64, bytes bool) *Task {
	t := &Task{p: p, label: Escape(label), total: total, bytes: bytes, stop: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.task != nil {
		p.task.end()
	}
	p.task = t
	if !p.on {
		return t
	}
	// Many short tasks are long work too.
	now := time.Now()
	if p.since.IsZero() {
		p.since = now
	}
	t.timer = time.AfterFunc(max(0, p.delay-now.Sub(p.since)), t.show)
	return t
}

// Update reports done of total steps of the work called label. The first report
// of another label begins a new task. After the last step the task goes on
// without a known end, since what was done is often still to be written; what
// is written over it, or [Progress.Stop], ends it.
func (p *Progress) Update(label string, done, total int64) {
	p.mu.Lock()
	t := p.task
	p.mu.Unlock()
	if total > 0 && done >= total {
		total = 0
	}
	if t == nil || t.label != Escape(label) || t.total != total {
		t = p.Start(label, total, false)
	}
	if total > 0 {
		t.Set(done)
	}
}

// Stop ends the running task, if there is one. What begins after it is new work.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.task != nil {
		p.task.end()
		p.task = nil
	}
	p.since = time.Time{}
}

// Add reports n more steps or bytes.
func (t *Task) Add(n int64) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.set(t.done + n)
}

// Set reports that n steps or bytes are done. Reports may arrive out of order;
// a smaller number than before changes nothing.
func (t *Task) Set(n int64) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.set(max(n, t.done))
}

// set is called with p.mu held.
func (t *Task) set(n int64) {
	t.done = n
	if t.bar != nil && !t.ended {
		_ = t.bar.Set64(n)
		t.p.flush()
	}
}

// Done ends the task and removes what was shown. Calling it again is harmless.
func (t *Task) Done() {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.end()
	if t.p.task == t {
		t.p.task = nil
	}
}

// show draws the bar for the first time and keeps a bar of unknown length
// moving until the task ends.
func (t *Task) show() {
	if !t.draw() {
		return
	}
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-ticker.C:
			if !t.draw() {
				return
			}
		}
	}
}

// draw renders the bar once, and reports whether the task still runs.
func (t *Task) draw() bool {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	if t.ended {
		return false
	}
	if t.bar == nil {
		t.bar = t.newBar()
		_ = t.bar.Set64(t.done)
	}
	if t.p.frame.Len() == 0 {
		_ = t.bar.RenderBlank()
	}
	t.p.flush()
	return true
}

// end is called with p.mu held.
func (t *Task) end() {
	if t.ended {
		return
	}
	t.ended = true
	close(t.stop)
	if t.timer != nil {
		t.timer.Stop()
	}
	t.p.clear()
}

// newBar returns the bar of a task: with a known end how far it is, otherwise
// how long it takes so far. A line that is wider than the terminal would wrap,
// and could not be taken back.
func (t *Task) newBar() *progressbar.ProgressBar {
	known := t.total > 0
	total := t.total
	if !known {
		total = -1
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(&t.p.frame),
		progressbar.OptionSetDescription(Truncate(t.label, max(minLabel, t.p.width-besideLabel))),
		progressbar.OptionShowBytes(t.bytes),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionThrottle(refresh / 2),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(!known),
		// Without a change interval the library starts no goroutine of its own,
		// which would outlive the bar.
		progressbar.OptionSetSpinnerChangeInterval(0),
		// The label was escaped; "[red]" in it is text, not a colour.
		progressbar.OptionEnableColorCodes(false),
	}
	if known {
		options = append(options, progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false))
	}
	return progressbar.NewOptions64(total, options...)
}
