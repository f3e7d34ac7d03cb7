package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMeasureTakesTurns(t *testing.T) {
	t.Parallel()
	var order []string
	step := func(name string) func(context.Context, int) error {
		return func(context.Context, int) error { order = append(order, name); return nil }
	}
	work := func(name string) contender {
		return contender{name: name, before: step("before " + name), after: step("after " + name),
			run: func(_ context.Context, round int) (sample, error) {
				order = append(order, name)
				return sample{wall: time.Duration(round)}, nil
			}}
	}
	got, err := pair{rounds: 1, each: step("each"), contenders: []contender{work("a"), work("b")}}.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	round := []string{"each", "before a", "a", "after a", "before b", "b", "after b"}
	if d := cmp.Diff(append(round, round...), order); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
	for _, s := range got {
		if len(s.samples) != 1 || s.wall() != 1 {
			t.Errorf("%s: samples %v; round 0 must not count", s.name, s.samples)
		}
	}
}

func TestMeasureNamesWhatFailed(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := pair{rounds: 3, contenders: []contender{{name: "a", run: func(context.Context, int) (sample, error) { return sample{}, broken }}}}.measure(t.Context())
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "a: ") {
		t.Errorf("measure = %v", err)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []int64
		want   int64
	}{
		{nil, 0},
		{[]int64{5}, 5},
		{[]int64{9, 1, 5}, 5},
		{[]int64{8, 1, 100, 4}, 6},
	} {
		samples := make([]sample, len(c.values))
		for i, v := range c.values {
			samples[i].bytes = v
		}
		if got := (series{samples: samples}).bytes(); got != c.want {
			t.Errorf("median(%v) = %d, want %d", c.values, got, c.want)
		}
	}
}

func TestMost(t *testing.T) {
	t.Parallel()
	s := series{samples: []sample{{requests: 1, bytes: 90}, {requests: 3, bytes: 10}}}
	if requests, bytes := s.most(); requests != 3 || bytes != 90 {
		t.Errorf("most() = %d, %d", requests, bytes)
	}
}
