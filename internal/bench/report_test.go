package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	at := row{limit: 1.5, unit: times}
	for _, c := range []struct {
		r    result
		want string
	}{
		{result{row: at, value: 1.5}, "ok"},
		{result{row: at, value: 1.51}, "over"},
		{result{row: at, value: 9, missed: "no node"}, "not run: no node"},
	} {
		if got := c.r.verdict(); got != c.want {
			t.Errorf("verdict of %v = %q, want %q", c.r, got, c.want)
		}
	}
}

func TestGroupFailureCostsItsRowsOnly(t *testing.T) {
	t.Parallel()
	rows := func(names ...string) func(scale) []row {
		return func(scale) []row {
			var out []row
			for _, n := range names {
				out = append(out, row{id: n, limit: 1})
			}
			return out
		}
	}
	got := (&bench{}).measure(t.Context(), []group{
		{"one", rows("a", "b"), func(_ context.Context, _ *bench, r *record) error {
			r.set("a", 1, "%d %%", 5)
			return errors.New("the rest | broke")
		}},
		{"two", rows("c", "d"), func(_ context.Context, _ *bench, r *record) error {
			r.miss("c", errors.New("no tool"))
			r.set("d", 2, "x")
			return nil
		}},
	})
	want := []string{"ok", "not run: the rest | broke", "not run: no tool", "over"}
	for i, r := range got {
		if r.verdict() != want[i] {
			t.Errorf("%s: %q, want %q", r.id, r.verdict(), want[i])
		}
	}
	page := string(report{machine: []fact{{"Go", "go1.26"}}, results: got}.markdown())
	for _, line := range []string{
		`| a |  |  | 1 | 1 | ok | 5 % |`,
		`| b |  |  | 1 | – | not run: the rest \| broke |  |`,
		`| Go | go1.26 |`,
	} {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("no line %q in\n%s", line, page)
		}
	}
}

func TestRowsAreDistinct(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"full", "small"} {
		s, ok := scaleNamed(name)
		if !ok {
			t.Fatalf("no scale %q", name)
		}
		seen := map[string]bool{}
		for _, g := range groups() {
			for _, r := range g.rows(s) {
				if seen[r.id] || r.work == "" || r.over == "" || r.limit <= 0 {
					t.Errorf("%s: row %+v is a duplicate or incomplete", name, r)
				}
				seen[r.id] = true
			}
		}
	}
}

func TestParseSyncs(t *testing.T) {
	t.Parallel()
	got := parseSyncs(`7 syncfs(5)                          = 0
8 fsync(6 <unfinished ...>
7 fdatasync(3)                       = 0
8 <... fsync resumed>)               = 0
9 --- SIGURG {si_signo=SIGURG} ---
`)
	if want := (syncs{fsync: 2, syncfs: 1}); got != want {
		t.Errorf("parseSyncs = %+v, want %+v", got, want)
	}
}
