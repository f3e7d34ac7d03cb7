package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// sample is one measurement.
type sample struct {
	wall time.Duration
	// requests and bytes are what the git servers of the bench saw during it;
	// bytes are those of the bodies in both directions.
	requests, bytes int64
}

// contender is one of the things that are compared.
type contender struct {
	name string
	// before prepares one measurement and after cleans up; neither is timed,
	// and either may be nil.
	before, after func(ctx context.Context, round int) error
	// run is the measured work.
	run func(ctx context.Context, round int) (sample, error)
}

// pair measures contenders in turn, A B A B, so that a change of the machine's
// speed meets all of them. There may be more than two.
type pair struct {
	rounds int
	// each prepares a round for all contenders; it may be nil.
	each       func(ctx context.Context, round int) error
	contenders []contender
}

// series are the samples of one contender.
type series struct {
	name    string
	samples []sample
}

// measure runs the rounds. Round 0 warms caches and is not counted. The result
// has one series for each contender, in their order.
func (p pair) measure(ctx context.Context) ([]series, error) {
	out := make([]series, len(p.contenders))
	for i, c := range p.contenders {
		out[i].name = c.name
	}
	for round := 0; round <= p.rounds; round++ {
		if p.each != nil {
			if err := p.each(ctx, round); err != nil {
				return nil, fmt.Errorf("prepare round %d: %w", round, err)
			}
		}
		for i, c := range p.contenders {
			s, err := c.once(ctx, round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 {
				out[i].samples = append(out[i].samples, s)
			}
		}
	}
	return out, nil
}

func (c contender) once(ctx context.Context, round int) (sample, error) {
	if c.before != nil {
		if err := c.before(ctx, round); err != nil {
			return sample{}, fmt.Errorf("prepare: %w", err)
		}
	}
	s, err := c.run(ctx, round)
	if err != nil {
		return sample{}, err
	}
	if c.after != nil {
		if err := c.after(ctx, round); err != nil {
			return sample{}, fmt.Errorf("clean up: %w", err)
		}
	}
	return s, nil
}

// wall returns the median time.
func (s series) wall() time.Duration {
	return median(s.samples, func(x sample) time.Duration { return x.wall })
}

// bytes returns the median traffic.
func (s series) bytes() int64 {
	return median(s.samples, func(x sample) int64 { return x.bytes })
}

// most returns the largest number of requests and of bytes of any round.
func (s series) most() (requests, bytes int64) {
	for _, x := range s.samples {
		requests, bytes = max(requests, x.requests), max(bytes, x.bytes)
	}
	return requests, bytes
}

// median returns the middle value, the mean of the two middle ones when their
// number is even, and 0 when there are none.
func median[T ~int64](samples []sample, of func(sample) T) T {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	n := len(values)
	switch {
	case n == 0:
		return 0
	case n%2 == 0:
		return (values[n/2-1] + values[n/2]) / 2
	}
	return values[n/2]
}

// ratio returns a/b.
func ratio(a, b series) float64 { return float64(a.wall()) / float64(b.wall()) }

// reached returns an error when a round made no request: it measured nothing.
func (s series) reached() error {
	for _, x := range s.samples {
		if x.requests == 0 {
			return fmt.Errorf("%s: a round made no request", s.name)
		}
	}
	return nil
}
