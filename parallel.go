package pinion

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"pinion/tree"
)

// each calls fn for every index below n on several goroutines, each with a
// Scratch of its own that is reset before every call. Indexes are handed out in
// runs, so that neighbours share a directory's cache lines. The first error
// ends it. Results belong into a slice at the index, so that their order is
// that of the input.
func each(ctx context.Context, n int, fn func(ctx context.Context, s *tree.Scratch, i int) error) error {
	const run = 16
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), (n+run-1)/run) {
		g.Go(func() error {
			var s tree.Scratch
			for {
				lo := int(next.Add(run)) - run
				if lo >= n {
					return nil
				}
				for i := lo; i < min(lo+run, n); i++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					s.Reset()
					if err := fn(ctx, &s, i); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
}
