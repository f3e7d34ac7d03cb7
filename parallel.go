package pinion

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"pinion/tree"
)

// each calls fn for every index below n on several goroutines, each with a
// Scratch of its own that is reset before every call. Indexes are handed out in
// runs, so that neighbours share a directory's cache lines. The first error
// ends it. Results belong into a slice at the index, so that their order is
// that of the input. Progress is told how many there are before the first
// goroutine starts, and after each run how many are done; when it raises
// GOMAXPROCS, goroutines are added.
func (c *Client) each(ctx context.Context, n int, fn func(ctx context.Context, s *tree.Scratch, i int) error) error {
	if n == 0 {
		return nil
	}
	const (
		run  = 16
		what = "reading packages"
	)
	c.o.Progress(what, 0, n)
	var (
		next    atomic.Int64
		mu      sync.Mutex // so that reports arrive in order
		done    int
		started int
		work    func() error
	)
	g, ctx := errgroup.WithContext(ctx)
	start := func() { // with mu held
		for most := min(runtime.GOMAXPROCS(0), (n+run-1)/run); started < most; started++ {
			g.Go(work)
		}
	}
	work = func() error {
		var s tree.Scratch
		for {
			lo := int(next.Add(run)) - run
			if lo >= n {
				return nil
			}
			hi := min(lo+run, n)
			for i := lo; i < hi; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				s.Reset()
				if err := fn(ctx, &s, i); err != nil {
					return err
				}
			}
			mu.Lock()
			done += hi - lo
			c.o.Progress(what, done, n)
			start()
			mu.Unlock()
		}
	}
	mu.Lock()
	start()
	mu.Unlock()
	return g.Wait()
}
