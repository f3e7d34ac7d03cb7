package ui

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pinion/problem"
)

// Report is the result of a command that looks for problems, ready to be
// written in any format. The same report gives the same bytes, except for
// Elapsed, which only the text summary shows.
type Report struct {
	Command  string // "validate"; with "pinion " before it, the name of the run
	Version  string // of Pinion
	Problems problem.List
	// Rules are the definitions of the rules that occur; others may be there.
	Rules []problem.Rule
	// Checked says what was looked at, for the summary: "1 package".
	Checked string
	Elapsed time.Duration
	// Tables are shown by Markdown reports, after the problems.
	Tables []MarkdownTable
	// Document is the command's own JSON shape, whose first field is its
	// schema.
	Document any
}

// Reporter writes a report in one format. Implementations are stateless and
// safe for concurrent use.
type Reporter interface {
	// Report writes the whole result to s, which is stdout or a file.
	Report(s Stream, r *Report) error
}

// The formats of `--format`.
const (
	FormatText   = "text"
	FormatJSON   = "json"
	FormatSARIF  = "sarif"
	FormatGitHub = "github"
	FormatJUnit  = "junit"
)

// Formats returns the words that `--format` takes, in the order of the help.
func Formats() []string {
	return []string{FormatText, FormatJSON, FormatSARIF, FormatGitHub, FormatJUnit}
}

// NewReporter returns the reporter of a `--format` word; ok is false for an
// unknown one.
func NewReporter(format string) (r Reporter, ok bool) {
	switch format {
	case FormatText:
		return textReporter{}, true
	case FormatJSON:
		return jsonReporter{}, true
	case FormatSARIF:
		return sarifReporter{}, true
	case FormatGitHub:
		return githubReporter{}, true
	case FormatJUnit:
		return junitReporter{}, true
	}
	return nil, false
}

// FileEndings returns the endings that `--report` understands.
func FileEndings() []string { return []string{".sarif", ".xml", ".json", ".md"} }

// FileReporter returns the reporter for a `--report` file by its ending; ok is
// false for an unknown one.
func FileReporter(name string) (r Reporter, ok bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".sarif":
		return sarifReporter{}, true
	case ".xml":
		return junitReporter{}, true
	case ".json":
		return jsonReporter{}, true
	case ".md":
		return markdownReporter{}, true
	}
	return nil, false
}

// WriteReport writes r to the file name, in the format of its ending, so that
// a reader never sees half of it.
func WriteReport(name string, r *Report) error {
	reporter, ok := FileReporter(name)
	if !ok {
		return fmt.Errorf("report %q: the ending must be one of %s", name, strings.Join(FileEndings(), ", "))
	}
	var b bytes.Buffer
	if err := reporter.Report(Stream{Writer: &b}, r); err != nil {
		return fmt.Errorf("report %s: %w", name, err)
	}
	if err := replaceFile(name, b.Bytes()); err != nil {
		return fmt.Errorf("report %s: %w", name, err)
	}
	return nil
}

// Summary returns the one-line conclusion of r, such as "2 errors, 1 warning in
// 1 package (3 ms). `pinion explain files/undeclared` tells more." It goes to
// stderr in every format.
func (r *Report) Summary() string {
	var b strings.Builder
	b.WriteString(r.counts())
	if r.Checked != "" {
		b.WriteString(" in " + r.Checked)
	}
	if r.Elapsed > 0 {
		fmt.Fprintf(&b, " (%s)", brief(r.Elapsed))
	}
	if p, ok := r.toExplain(); ok {
		fmt.Fprintf(&b, ". `pinion explain %s` tells more.", p.Rule)
	}
	return b.String()
}

func (r *Report) counts() string {
	var parts []string
	for _, c := range []struct {
		severity problem.Severity
		word     string
	}{{problem.Error, "error"}, {problem.Warning, "warning"}, {problem.Note, "note"}} {
		if n := r.Problems.Count(c.severity); n > 0 {
			parts = append(parts, Count(n, c.word))
		}
	}
	if len(parts) == 0 {
		return "no problems"
	}
	return strings.Join(parts, ", ")
}

// toExplain picks the problem whose rule is worth reading about: of the worst
// severity, and one that needs work rather than the correction of a word.
func (r *Report) toExplain() (problem.Problem, bool) {
	if len(r.Problems) == 0 {
		return problem.Problem{}, false
	}
	rank := func(p problem.Problem) int {
		n := 2 * int(p.Severity)
		if p.Fix != "" {
			n++
		}
		return n
	}
	// MaxFunc returns the first of equals, so the choice is stable.
	return slices.MaxFunc(r.Problems, func(a, b problem.Problem) int { return cmp.Compare(rank(a), rank(b)) }), true
}

// rule returns the definition of a rule id, or one that only has the id.
func (r *Report) rule(id string) problem.Rule {
	for _, rule := range r.Rules {
		if rule.ID == id {
			return rule
		}
	}
	return problem.Rule{ID: id, Title: id}
}

// usedRules returns the definitions of the rules that occur, sorted by id.
func (r *Report) usedRules() []problem.Rule {
	var ids []string
	for _, p := range r.Problems {
		ids = append(ids, p.Rule)
	}
	slices.Sort(ids)
	var rules []problem.Rule
	for _, id := range slices.Compact(ids) {
		rules = append(rules, r.rule(id))
	}
	return rules
}

// Count returns "1 error", "2 errors".
func Count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// brief returns a duration with at most two digits that mean something.
func brief(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// WriteText writes problems the way people read them, without a summary.
func WriteText(s Stream, problems problem.List) error {
	return textReporter{}.Report(s, &Report{Problems: problems})
}

type textReporter struct{}

var _ Reporter = textReporter{}

// Report writes `file:line:col: severity: message (rule)` and the cure.
func (textReporter) Report(s Stream, r *Report) error {
	var b bytes.Buffer
	for _, p := range r.Problems {
		if pos := p.Position(); pos != "" {
			b.WriteString(s.Paint(Bold, Escape(pos)+":") + " ")
		}
		b.WriteString(s.Paint(severityColor(p.Severity), p.Severity.String()+":") + " ")
		b.WriteString(Escape(p.Message) + " " + s.Paint(Faint, "("+Escape(p.Rule)+")") + "\n")
		if p.Fix != "" {
			b.WriteString("    " + s.Paint(Cyan, "fix:") + " " + Escape(p.Fix) + "\n")
		}
	}
	return writeAll(s, b.Bytes())
}

func severityColor(s problem.Severity) Color {
	switch s {
	case problem.Error:
		return Red
	case problem.Warning:
		return Yellow
	}
	return Cyan
}

type jsonReporter struct{}

var _ Reporter = jsonReporter{}

// Report writes the command's own document.
func (jsonReporter) Report(s Stream, r *Report) error { return WriteJSON(s, r.Document) }

func writeAll(w io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := w.Write(b)
	return err
}
