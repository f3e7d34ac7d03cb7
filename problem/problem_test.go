package problem_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pinion/problem"
)

var rule = problem.Rule{ID: "files/undeclared", Severity: problem.Error, Title: "t", Fix: "delete it"}

func TestString(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    problem.Problem
		want string
	}{
		{"whole", rule.Report("%q is extra", "a").At("p/m.json", 9, 3), `p/m.json:9:3: error: "a" is extra (files/undeclared)`},
		{"no column", rule.Report("x").At("m", 2, 0), "m:2: error: x (files/undeclared)"},
		{"no line", rule.Report("x").At("m", 0, 5), "m: error: x (files/undeclared)"},
		{"nothing", rule.Report("100%%").As(problem.Note), "note: 100% (files/undeclared)"},
	} {
		if got := tc.p.String(); got != tc.want {
			t.Errorf("%s: String() = %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestListSort(t *testing.T) {
	l := problem.List{
		rule.Report("b").At("b", 1, 1), rule.Report("a").At("a", 10, 1), rule.Report("a").At("a", 2, 9), rule.Report("a").At("a", 2, 1),
	}
	l.Sort()
	var got []string
	for _, p := range l {
		got = append(got, p.Position())
	}
	if diff := cmp.Diff([]string{"a:2:1", "a:2:9", "a:10:1", "b:1:1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestListForUse(t *testing.T) {
	l := problem.List{rule.Report("a part").Survived(), rule.Report("a note").As(problem.Note).Survived()}
	if !l.HasErrors() || l.ForUse().HasErrors() || l.ForUse().Count(problem.Warning) != 1 || l.ForUse().Count(problem.Note) != 1 {
		t.Errorf("ForUse() = %v of %v", l.ForUse(), l)
	}
	l.Add(rule.Report("the whole"))
	if p, ok := l.ForUse().First(); !ok || p.Message != "the whole" || !l[0].Tolerated {
		t.Errorf("First() of ForUse() = %v, %v", p, ok)
	}
}

func TestListErr(t *testing.T) {
	l := problem.List{rule.Report("only a note").As(problem.Note), rule.Report("a warning").As(problem.Warning)}
	if err := l.Err(); err != nil {
		t.Errorf("Err() = %v, want nil", err)
	}
	err := fmt.Errorf("validate: %w", l.Strict().Err())
	var content *problem.ContentError
	if !errors.As(err, &content) || content.Problems.Count(problem.Error) != 1 {
		t.Errorf("Strict().Err() = %v, want one error", err)
	}
	if l.Count(problem.Warning) != 1 {
		t.Error("Strict changed the list it was called on")
	}
}

func TestListUnder(t *testing.T) {
	l := problem.List{rule.Report("x").At("a.md", 1, 1), rule.Report("y")}
	got := []string{l.Under("plugins/x")[0].File, l.Under("plugins/x")[1].File, l.Under(".")[0].File, l.Under(".")[1].File}
	if diff := cmp.Diff([]string{"plugins/x/a.md", "plugins/x", "a.md", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSeverityText(t *testing.T) {
	for _, s := range []problem.Severity{problem.Note, problem.Warning, problem.Error} {
		b, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back problem.Severity
		if err := back.UnmarshalText(b); err != nil || back != s {
			t.Errorf("%s reads back as %v, %v", b, back, err)
		}
	}
	if err := new(problem.Severity).UnmarshalText([]byte("fatal")); err == nil {
		t.Error(`"fatal" was accepted`)
	}
}
