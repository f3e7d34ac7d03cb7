package ui

import (
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

// Progress shows what takes long, one task at a time, on a terminal's stderr.
// Where nothing may be shown it does nothing, so callers need not ask. It is
// safe for concurrent use.
type Progress struct {
	w     io.Writer
	on    bool
	delay time.Duration

	mu   sync.Mutex
	task *Task
}

func newProgress(s Stream, on bool) *Progress {
	return &Progress{w: s.Writer, on: on, delay: progressDelay}
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
	if p.on {
		t.timer = time.AfterFunc(p.delay, t.show)
	}
	return t
}

// Update reports done of total steps of the work called label. The first report
// of another label begins a new task; the last step ends it.
func (p *Progress) Update(label string, done, total int64) {
	p.mu.Lock()
	t := p.task
	p.mu.Unlock()
	if t == nil || t.label != Escape(label) || t.total != total {
		t = p.Start(label, total, false)
	}
	t.Set(done)
	if total > 0 && done >= total {
		t.Done()
	}
}

// Stop ends the running task, if there is one.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.task != nil {
		p.task.end()
		p.task = nil
	}
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
		// A bar that cannot be drawn must not stop the work.
		_ = t.bar.Set64(n)
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
		t.bar = newBar(t.p.w, t.label, t.total, t.bytes)
		_ = t.bar.Set64(t.done)
	}
	_ = t.bar.RenderBlank()
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
	if t.bar != nil {
		_ = t.bar.Clear()
	}
}

// Pause removes the bar before a caller writes to the terminal by itself; it is
// drawn again with the next step.
func (p *Progress) Pause() { p.clear() }

// clear removes the bar before other text is written; it is drawn again with
// the next step.
func (p *Progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.task != nil && p.task.bar != nil {
		_ = p.task.bar.Clear()
	}
}

func newBar(w io.Writer, label string, total int64, bytes bool) *progressbar.ProgressBar {
	if total <= 0 {
		total = -1
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(label),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(refresh/2),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(false),
		// Without a change interval the library starts no goroutine of its own,
		// which would outlive the bar.
		progressbar.OptionSetSpinnerChangeInterval(0),
		// The label was escaped; "[red]" in it is text, not a colour.
		progressbar.OptionEnableColorCodes(false),
	)
}
