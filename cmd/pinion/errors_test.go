package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pinion"
	"pinion/author"
	"pinion/hashes"
	"pinion/internal/fsx"
	"pinion/internal/ui"
	"pinion/market"
	"pinion/problem"
	"pinion/source"
	"pinion/store"
)

type refusal struct{ error }

func (refusal) Refused() bool { return true }

func (r refusal) Unwrap() error { return r.error }

func content(n int) error {
	var l problem.List
	for range n {
		l.Add(problem.Problem{Rule: "files/undeclared", Severity: problem.Error, File: "a", Message: "x\x1b[2J"})
	}
	return l.Err()
}

// Spec cli.md: exit codes, the same in every format.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want int
		rule string
	}{
		{"none", nil, 0, ""},
		{"any", errors.New("disk full"), 1, ""},
		{"usage", usagef("", "x"), 2, ""},
		{"content", content(1), 3, "files/undeclared"},
		{"mismatch", &hashes.MismatchError{What: "x"}, 4, "hash/mismatch"},
		{"moved", &source.MovedError{From: "a", To: "b"}, 4, "source/moved"},
		{"refusal", refusal{errors.New("no")}, 4, ""},
		{"refusal with content inside", fmt.Errorf("%w", refusal{content(1)}), 4, "files/undeclared"},
		{"no terminal", &ui.NoTerminalError{Question: "ok?", Flag: "--yes"}, 5, ""},
		{"declined", errDeclined, 5, ""},
		{"not durable", fmt.Errorf("write: %w", fsx.ErrNotDurable), 6, ""},
		{"damaged state", &store.DamageError{}, 4, ""},
		{"author's mistake", &author.Error{What: "x"}, 2, ""},
		{"no source", &source.SpecError{Text: "x"}, 2, ""},
		{"locked", &fsx.LockedError{Name: "lock", PID: 7, Err: context.DeadlineExceeded}, 1, ""},
		{"interrupted while waiting", &fsx.LockedError{Name: "lock", Err: context.Canceled}, 130, ""},
		{"refused release", &market.RefusedError{Refused: []market.Refusal{{Rule: "release/rewritten"}}}, 4, "release/rewritten"},
		{"no catalog's content", &market.CatalogError{Problems: problem.List{{Rule: "json/syntax", Severity: problem.Error}}}, 3, "json/syntax"},
		{"no consent", &pinion.ConsentError{Needs: []pinion.Grant{pinion.GrantComputer}}, 5, ""},
		{"unknown", &pinion.NotFoundError{}, 1, ""},
		{"uncertain", codeError(exitUncertain), 6, ""},
		{"interrupted", context.Canceled, 130, ""},
	}
	known := map[int]bool{}
	for _, c := range exitCodes() {
		known[c.Code] = true
	}
	for _, tt := range tests {
		err := tt.err
		if err != nil {
			err = fmt.Errorf("install x: %w", err)
		}
		if got := exitOf(err); got != tt.want || !known[got] {
			t.Errorf("%s: exit %d, want %d", tt.name, got, tt.want)
		}
		if got := ruleOf(err); got != tt.rule {
			t.Errorf("%s: rule %q, want %q", tt.name, got, tt.rule)
		}
	}
}

func TestPrintError(t *testing.T) {
	t.Parallel()
	show := func(err error, asJSON bool) string {
		var b bytes.Buffer
		printError(ui.NewConsole(&bytes.Buffer{}, &b, ui.Options{}, func(string) string { return "" }), asJSON, err)
		return b.String()
	}
	if got, want := show(&hashes.MismatchError{What: "x\r"}, false), "pinion: x\\r: digest is , want  (hash/mismatch)\n  pinion explain hash/mismatch\n"; got != want {
		t.Errorf("text is %q, want %q", got, want)
	}
	locked := fmt.Errorf("activate x: %w", &fsx.LockedError{Name: "lock", PID: 7, Err: context.DeadlineExceeded})
	if got := show(locked, false); !strings.Contains(got, "process 7") || !strings.Contains(got, "\n  wait until") {
		t.Errorf("a locked home is %q", got)
	}
	if got := show(usagef("one\ntwo", "bad"), false); got != "pinion: bad\n  one\n  two\n" {
		t.Errorf("text with two hints is %q", got)
	}
	if got := show(content(30), false); strings.Count(got, "\n") != 2+maxListed || strings.Contains(got, "\x1b") {
		t.Errorf("refused content is %q", got)
	}
	if got := show(codeError(exitProblems), false) + show(codeError(exitProblems), true); got != "" {
		t.Errorf("a result that was printed is followed by %q", got)
	}
	var d errorDocument
	if err := json.Unmarshal([]byte(show(content(2), true)), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != "pinion.error/v1" || d.Exit != 3 || d.Rule != "files/undeclared" || len(d.Problems) != 2 || d.Hint == "" {
		t.Errorf("the document is %+v", d)
	}
	if got := show(errors.New("x"), true); !strings.Contains(got, `"problems": []`) {
		t.Errorf("an empty list is null: %s", got)
	}
}

// An interrupt counts as one whatever error it became.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	// Writing the result fails after the interrupt.
	code := run(ctx, []string{"version", "--json"}, nil, failing{}, &errs, func(string) string { return "" })
	if code != exitInterrupted || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("run = %d, %q, want %d", code, errs.String(), exitInterrupted)
	}
	if code := run(t.Context(), []string{"version", "--json"}, nil, failing{}, &out, func(string) string { return "" }); code != exitFailed {
		t.Errorf("run = %d, want %d", code, exitFailed)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

// A catalog's id must not become a command when a shell completes it.
func TestCompletionIsInert(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"text-tools@acme@1.0.0+9c41": true, "--dry-run": true, "patch": true,
		"$(reboot)": false, "`x`": false, "a b": false, "a;b": false, "a\tb": false, "": false, "é": false,
	} {
		if got := isInert(value); got != want {
			t.Errorf("isInert(%q) = %v, want %v", value, got, want)
		}
	}
}

// The manual page is roff that its own checker accepts; here, that no text of
// ours begins a request by accident.
func TestMan(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"man"}, nil, &out, &errs, func(string) string { return "" }); code != 0 {
		t.Fatalf("man exits with %d: %s", code, errs.String())
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, ".") {
			continue
		}
		switch request, _, _ := strings.Cut(strings.TrimSpace(line), " "); request {
		case ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".nf", ".fi":
		default:
			t.Errorf("unexpected request in %q", line)
		}
	}
	for _, c := range commands(&env{}) {
		if !c.hidden && !strings.Contains(out.String(), ".SS "+roff(c.usage())) {
			t.Errorf("%s is not in the manual", c.Name)
		}
	}
	if got, want := roff(".x\n'y \\ a-b"), `\&.x`+"\n"+`\&'y \e a\-b`; got != want {
		t.Errorf("roff = %q, want %q", got, want)
	}
}
