package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"pinion/source"
)

// ErrTooSlow is an answer that was cut because it took too long.
var ErrTooSlow = errors.New("the server is too slow")

// stallBytes must come each second, as with git's http.lowSpeedLimit.
const stallBytes = 1_000

// steady is the body of an answer that must keep coming: an answer that brings
// fewer than stallBytes a second over a stall period, once it has begun, is cut
// (security 3.3 row 54).
type steady struct {
	body   io.ReadCloser
	cancel context.CancelCauseFunc
	ctx    context.Context // it is the request's own, for its cause
	total  *time.Timer
	watch  *time.Timer
	bytes  atomic.Int64
}

// Steady returns the body of an answer as one that ends with [ErrTooSlow] when
// too little comes during stall. ctx is that of the request, which cancel ends and
// total limits; both end with the body.
func Steady(ctx context.Context, body io.ReadCloser, cancel context.CancelCauseFunc, total *time.Timer, stall time.Duration) io.ReadCloser {
	s := &steady{body: body, cancel: cancel, ctx: ctx, total: total}
	least := int64(stall.Seconds() * stallBytes)
	var last int64
	s.watch = time.AfterFunc(stall, func() {
		now := s.bytes.Load()
		if now-last < max(least, 1) {
			cancel(ErrTooSlow)
			return
		}
		last = now
		s.watch.Reset(stall)
	})
	return s
}

func (s *steady) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	s.bytes.Add(int64(n))
	if err != nil && !errors.Is(err, io.EOF) {
		if cause := context.Cause(s.ctx); cause != nil {
			err = cause
		}
		err = fmt.Errorf("%w: %w", source.ErrOffline, err)
	}
	return n, err
}

func (s *steady) Close() error {
	s.watch.Stop()
	s.total.Stop()
	err := s.body.Close()
	s.cancel(nil)
	return err
}
