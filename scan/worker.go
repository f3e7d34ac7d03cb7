package scan

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"pinion/hashes"
	"pinion/internal/sandbox"
	"pinion/internal/syntax"
	"pinion/pkgfmt"
	"pinion/tree"
)

// A worker is a process of its own that scans what it is sent over its standard
// input and answers with reports. It has given up files and network before it
// reads the first byte, so content that gets the better of a parser gets
// nothing else, and a crash is a scan that was not completed.
//
// A message is four bytes of length, big endian, and that many bytes of JSON. A
// request is followed by the bytes of its files.

const (
	maxMessage = 32 << 20
	// workerTime is when a scan is given up. Steps bound the work long before;
	// the clock only ends what hangs.
	workerTime = 60 * time.Second
	// maxWords is the longest message that is taken from a worker, in characters.
	maxWords = 2_000
)

type request struct {
	Place pkgfmt.Place  `json:"place"`
	Top   []string      `json:"top"`
	Files []requestFile `json:"files"`
}

type requestFile struct {
	Path string `json:"path"`
	Exec bool   `json:"exec"`
	Size int64  `json:"size"`
}

type answer struct {
	Report *Report `json:"report"`
	Error  string  `json:"error"`
}

// Serve answers requests until in ends. Packages are read by loader, exactly as
// the process that sent them does.
func (e *Engine) Serve(ctx context.Context, in io.Reader, out io.Writer, loader *pkgfmt.Loader) error {
	r := bufio.NewReader(in)
	var s tree.Scratch
	for {
		var q request
		if err := receive(r, &q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		s.Reset()
		pkg, err := rebuild(r, q, loader, &s)
		if err != nil {
			return err
		}
		var a answer
		if a.Report, err = e.ScanPlace(ctx, pkg, q.Place.Entry); err != nil {
			a.Error = err.Error()
		}
		if err := send(out, a); err != nil {
			return err
		}
	}
}

// rebuild reads the files behind a request into a package.
func rebuild(r io.Reader, q request, loader *pkgfmt.Loader, s *tree.Scratch) (*pkgfmt.Package, error) {
	q.Place.Select = pkgfmt.Selection{} // what was sent is what was selected
	b := tree.NewBuilder(loader.Options(q.Place), q.Top, s)
	for _, f := range q.Files {
		i, want := b.Add(tree.Entry{Path: f.Path, Exec: f.Exec, Size: f.Size})
		if !want {
			return nil, fmt.Errorf("%q is no file of a package", f.Path)
		}
		buf, ok := b.Reserve(i, f.Size)
		if !ok {
			return nil, fmt.Errorf("%q is larger than a package may be", f.Path)
		}
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, fmt.Errorf("read %q: %w", f.Path, err)
		}
		b.Fill(i, buf, hashes.Of(buf))
	}
	return loader.Load(b.Tree(), q.Place), nil
}

func receive(r io.Reader, v any) error {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(n[:])
	if size > maxMessage {
		return fmt.Errorf("a message of %d bytes", size)
	}
	buf := make([]byte, size)
	if _, err := io.ReadFull(r, buf); err != nil {
		return err
	}
	return syntax.Decode(buf, v, syntax.Options{}).Err()
}

func send(w io.Writer, v any) error {
	b, err := syntax.Compact(v)
	if err != nil {
		return err
	}
	if len(b) > maxMessage {
		return fmt.Errorf("a message of %d bytes", len(b))
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
	return err
}

// Worker scans in a process of its own. The zero value is not usable; it is
// safe for concurrent use, one scan at a time, and must be closed.
type Worker struct {
	engine *Engine
	argv   []string
	limit  time.Duration

	mu   sync.Mutex
	proc *sandbox.Process
}

// NewWorker returns a worker that starts argv, a program that calls
// [Engine.Serve] with an engine of the same version and rules. The process is
// started by the first scan and kept.
func NewWorker(engine *Engine, argv []string) *Worker {
	return &Worker{engine: engine, argv: argv, limit: workerTime}
}

// Close ends the process.
func (w *Worker) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
}

// end kills the process and returns its last words.
func (w *Worker) end() string {
	if w.proc == nil {
		return ""
	}
	w.proc.Kill()
	words, _ := w.proc.Wait() // how it ended is known: we ended it, or it was gone
	w.proc = nil
	return words
}

// Scan scans one package that was loaded from place. When the process crashes,
// hangs or answers nonsense, the report is one that is not complete.
func (w *Worker) Scan(ctx context.Context, pkg *pkgfmt.Package, place pkgfmt.Place) (*Report, error) {
	if pkg.Tree.Partial {
		return w.engine.Scan(ctx, pkg) // nothing to be sent, and the report says so
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc == nil {
		p, err := sandbox.Start(w.argv, []string{"GOMEMLIMIT=1GiB"})
		if err != nil {
			return nil, fmt.Errorf("start the scanner: %w", err)
		}
		w.proc = p
	}
	type result struct {
		report *Report
		err    error
	}
	done := make(chan result, 1)
	proc := w.proc
	go func() {
		r, err := w.ask(proc, pkg, place)
		done <- result{r, err}
	}()
	clock := time.NewTimer(w.limit)
	defer clock.Stop()
	var res result
	select {
	case res = <-done:
	case <-clock.C:
		words := w.end()
		<-done
		return w.incomplete(pkg, errors.New("it did not end in time"), words), nil
	case <-ctx.Done():
		w.end()
		<-done
		return nil, ctx.Err()
	}
	if res.err == nil {
		return res.report, nil
	}
	return w.incomplete(pkg, res.err, w.end()), nil
}

// incomplete is the report of a scan that came to nothing, with the last words
// of the process.
func (w *Worker) incomplete(pkg *pkgfmt.Package, err error, words string) *Report {
	if words != "" {
		words = ": " + Escape(words, maxEvidence)
	}
	return w.engine.incomplete(pkg, fmt.Sprintf("the scanner did not end well: %s%s", Escape(err.Error(), maxEvidence), words))
}

// ask sends one request and reads the answer.
func (w *Worker) ask(proc *sandbox.Process, pkg *pkgfmt.Package, place pkgfmt.Place) (*Report, error) {
	place.Root = ""
	q := request{Place: place, Top: pkg.Tree.Top}
	for _, f := range pkg.Tree.Files {
		q.Files = append(q.Files, requestFile{Path: f.Path, Exec: f.Exec, Size: f.Size})
	}
	out := bufio.NewWriterSize(proc.Stdin, 256<<10)
	if err := send(out, q); err != nil {
		return nil, err
	}
	for _, f := range pkg.Tree.Files {
		if _, err := out.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	var a answer
	if err := receive(proc.Stdout, &a); err != nil {
		return nil, err
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	if err := w.engine.check(a.Report, pkg); err != nil {
		return nil, err
	}
	return a.Report, nil
}

// check holds a report that another process made to what a scan of pkg by this
// engine can say. Content that got the better of the process may still hide
// what it found; it gets no words of its own to a terminal, and takes nobody
// else down.
func (e *Engine) check(r *Report, pkg *pkgfmt.Package) error {
	if r == nil || r.Schema != Schema || r.Digest != pkg.Digest || r.ID != pkg.ID() || r.Version != pkg.Version() ||
		r.Scanner != e.version || r.Ruleset != e.ruleset || r.Policy != (hashes.Sum{}) || len(r.External) > 0 {
		return errors.New("it answered for something else")
	}
	if r.Complete != (len(r.Limits) == 0) {
		return errors.New("it does not say whether the scan was completed")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		rule, ok := e.rules[f.Rule]
		if !ok || f.Level < Info || f.Accepted != nil || f.Scanner != "" || f.Line < 0 || f.Column < 0 || f.More < 0 ||
			f.File != "" && pkg.Tree.Lookup(f.File) == nil {
			return errors.New("it answered with a finding that no rule makes")
		}
		f.Evidence, f.Message = Escape(f.Evidence, maxEvidence), Escape(f.Message, maxWords)
		f.fix = rule.Fix
	}
	for i := range r.Limits {
		r.Limits[i] = Escape(r.Limits[i], maxWords)
	}
	r.normalise()
	return nil
}

// Refill gives the findings of a report that was kept the advice of their
// rules, which is not part of it.
func (e *Engine) Refill(r *Report) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Scanner != "" {
			f.fix = adviceOf(f.Scanner)
			continue
		}
		f.fix = e.rules[f.Rule].Fix
	}
}

// incomplete is the report of a scan that came to nothing.
func (e *Engine) incomplete(pkg *pkgfmt.Package, why string) *Report {
	p := &Pass{Package: pkg, engine: e, same: map[[2]string]int{}, steps: stepsFree, total: stepsFree}
	p.limit(why)
	r := &Report{Schema: Schema, ID: pkg.ID(), Version: pkg.Version(), Digest: pkg.Digest, Scanner: e.version, Ruleset: e.ruleset}
	for _, f := range pkg.Tree.Files {
		r.Coverage.Files++
		r.Coverage.Bytes += f.Size
	}
	e.close(p, r)
	return r
}
