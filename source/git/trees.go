package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"pinion/source"
	"pinion/tree"
)

const (
	// manyTrees is from where a second reader helps.
	manyTrees = 256
	// manyBytes is from how many bytes of contents the start of a git that
	// reads them pays: it unpacks several times as fast as this process.
	manyBytes = 512 << 10
	// ahead is how many packages are prepared while one is read.
	ahead = 6
)

// job is one requested tree on its way from the listing to the contents.
type job struct {
	i       int
	err     error // why there is no such directory
	b       *tree.Builder
	reads   []pending
	scratch *tree.Scratch
	read    chan struct{} // closed when the contents were read, or failed says why not
	failed  error
}

// pending is a file whose content was asked for.
type pending struct {
	index int
	buf   []byte
}

// Trees reads the requested directories; see [source.Snapshot]. One or two
// readers serve them all: while fn has one tree, the contents of the next ones
// are read and hashed, and those after them are listed and asked for.
func (s *snapshot) Trees(ctx context.Context, reqs []source.Request, fn func(i int, t *tree.Tree, err error) error) error {
	if len(reqs) == 0 {
		return nil
	}
	done := s.guard(ctx)
	return done(s.trees(ctx, reqs, fn))
}

func (s *snapshot) trees(ctx context.Context, reqs []source.Request, fn func(i int, t *tree.Tree, err error) error) error {
	lists, bytes, err := s.plan(ctx, reqs)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bulk, giveBack, err := s.bulk(ctx, len(reqs), bytes)
	if err != nil {
		return err
	}
	p := &production{s: s, reqs: reqs, lists: lists, bulk: bulk, jobs: make(chan *job, ahead), pool: make(chan *tree.Scratch, ahead+2)}
	for range cap(p.pool) {
		p.pool <- new(tree.Scratch)
	}
	made := make(chan error, 1)
	go func() { made <- p.run(ctx) }()
	err = consume(p.jobs, p.pool, fn)
	if err != nil {
		cancel()
		for range p.jobs { // let the producer end
		}
	}
	if perr := <-made; perr != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = perr
	}
	giveBack(err == nil)
	return err
}

// bulk returns the readers of n trees with so many bytes. The first is taken
// from the snapshot, since another one is started should the lister need one to
// follow links. They end with ctx. giveBack must be called with whether all
// answers were read.
func (s *snapshot) bulk(ctx context.Context, n int, bytes int64) (bulk []objectReader, giveBack func(clean bool), err error) {
	place := &s.rd
	if bytes >= manyBytes {
		_, err = s.bulkReading()
		place = &s.bulkRd
	} else {
		_, err = s.reading()
	}
	if err != nil {
		return nil, nil, err
	}
	first := *place
	bulk = []objectReader{first}
	if n >= manyTrees {
		second, err := s.objs.bulkReader()
		if err != nil {
			return nil, nil, err
		}
		bulk = append(bulk, second)
	}
	*place = nil
	var stops []func() bool
	for _, r := range bulk {
		stops = append(stops, context.AfterFunc(ctx, r.kill))
	}
	return bulk, func(clean bool) {
		for _, stop := range stops {
			clean = stop() && clean
		}
		if clean && *place == nil && first.usable() {
			*place, bulk = first, bulk[1:]
		}
		for _, r := range bulk {
			r.close()
		}
	}, nil
}

// production makes jobs out of requests. Each reader of contents has a
// goroutine of its own.
type production struct {
	s     *snapshot
	reqs  []source.Request
	lists []listed
	bulk  []objectReader
	jobs  chan *job
	pool  chan *tree.Scratch
}

// run ends when all requests were sent and all answers were read, or with ctx.
// It closes jobs.
func (p *production) run(ctx context.Context) error {
	var readers sync.WaitGroup
	lines := make([]chan *job, len(p.bulk))
	for k, r := range p.bulk {
		lines[k] = make(chan *job, cap(p.pool))
		readers.Go(func() { fill(lines[k], r) })
	}
	err := p.produce(ctx, lines)
	for _, l := range lines {
		close(l)
	}
	close(p.jobs)
	readers.Wait()
	return err
}

func (p *production) produce(ctx context.Context, lines []chan *job) error {
	for i, req := range p.reqs {
		j := &job{i: i, err: p.lists[i].err}
		k := i % len(lines)
		var ids []string
		if j.err == nil {
			select {
			case j.scratch = <-p.pool:
			case <-ctx.Done():
				return ctx.Err()
			}
			var err error
			if ids, err = p.s.prepare(ctx, j, req, p.lists[i].items); err != nil {
				return err
			}
			j.read = make(chan struct{})
			lines[k] <- j
		}
		select {
		case p.jobs <- j:
		case <-ctx.Done():
			return ctx.Err()
		}
		for _, id := range ids {
			if err := p.bulk[k].request(id); err != nil {
				p.bulk[k].kill() // nobody shall wait for the rest
				return err
			}
		}
		if len(ids) > 0 {
			if err := p.bulk[k].flush(); err != nil {
				p.bulk[k].kill()
				return err
			}
		}
	}
	return nil
}

// fill reads the contents of jobs in the order they were asked for.
func fill(line <-chan *job, r objectReader) {
	var failed error
	for j := range line {
		for _, p := range j.reads {
			if failed == nil {
				failed = readInto(r, p.buf)
			}
			if failed == nil {
				j.b.Fill(p.index, p.buf, sha256.Sum256(p.buf))
			}
		}
		j.failed = failed
		close(j.read)
	}
}

func readInto(r objectReader, buf []byte) error {
	kind, size, content, err := r.next()
	if err != nil {
		return err
	}
	if kind != "blob" || size != int64(len(buf)) {
		return fmt.Errorf("%w: %s of %d bytes, want a blob of %d", errCorrupt, kind, size, len(buf))
	}
	if _, err := io.ReadFull(content, buf); err != nil {
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return nil
}

// consume gives the trees to fn in the order of the requests.
func consume(jobs <-chan *job, pool chan<- *tree.Scratch, fn func(i int, t *tree.Tree, err error) error) error {
	for j := range jobs {
		if j.err != nil {
			if err := fn(j.i, nil, j.err); err != nil {
				return err
			}
			continue
		}
		if <-j.read; j.failed != nil {
			return j.failed
		}
		err := fn(j.i, j.b.Tree(), nil)
		j.scratch.Reset()
		pool <- j.scratch
		if err != nil {
			return err
		}
	}
	return nil
}
