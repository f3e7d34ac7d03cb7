package ui

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pinion/problem"
)

var undeclared = problem.Rule{
	ID: "files/undeclared", Severity: problem.Error,
	Title: "a file is not declared", Help: "Every file must be in the list.", Fix: "declare it or delete it", Example: `"files": ["SKILL.md"]`,
}

func hostileReport() *Report {
	return &Report{
		Command: "validate", Version: "1.2.3", Checked: "1 package", Elapsed: 3 * time.Millisecond,
		Rules: []problem.Rule{undeclared},
		Problems: problem.List{
			{Rule: "json/unknown-key", Severity: problem.Error, File: "plugins/a/pinion-plugin.json", Line: 8, Column: 3, Message: `unknown key "licence"; did you mean "license"?`},
			{Rule: "files/undeclared", Severity: problem.Error, File: "plugins/a/pinion-plugin.json", Line: 9, Message: "\"a\r\n::error::x\" is not in \"files\"", Fix: "delete | it, 100%"},
			{Rule: "files/undeclared", Severity: problem.Warning, File: "a b:c,d.md", Message: "<img src=x> @someone #1 www.evil.test"},
			{Rule: "text/eol", Severity: problem.Note, Message: "\x1b[31mred"},
		},
		Document: struct {
			Schema   string       `json:"schema"`
			Problems problem.List `json:"problems"`
		}{"pinion.validate/v1", problem.List{{Rule: "a/b", Message: "x\u202ey <b> \U000e0041"}}},
	}
}

func render(t *testing.T, format string, s Stream, r *Report) string {
	t.Helper()
	reporter, ok := NewReporter(format)
	if !ok {
		t.Fatalf("NewReporter(%q) is unknown", format)
	}
	var b strings.Builder
	s.Writer = &b
	if err := reporter.Report(s, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	want := strings.Join([]string{
		`plugins/a/pinion-plugin.json:8:3: error: unknown key "licence"; did you mean "license"? (json/unknown-key)`,
		`plugins/a/pinion-plugin.json:9: error: "a\r\n::error::x" is not in "files" (files/undeclared)`,
		`    fix: delete | it, 100%`,
		`a b:c,d.md: warning: <img src=x> @someone #1 www.evil.test (files/undeclared)`,
		`note: \x1b[31mred (text/eol)`,
		``,
	}, "\n")
	if diff := cmp.Diff(want, render(t, FormatText, Stream{}, hostileReport())); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	colored := render(t, FormatText, Stream{Terminal: true, Color: true}, hostileReport())
	if !strings.Contains(colored, "\x1b[31merror:\x1b[0m unknown key") {
		t.Errorf("no colour on a terminal: %q", colored)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	r := hostileReport()
	want := "2 errors, 1 warning, 1 note in 1 package (3 ms). `pinion explain files/undeclared` tells more."
	if got := r.Summary(); got != want {
		t.Errorf("Summary() = %q, want %q", got, want)
	}
	clean := &Report{Checked: "2 packages", Elapsed: 1500 * time.Millisecond}
	if got, want := clean.Summary(), "no problems in 2 packages (1.5 s)"; got != want {
		t.Errorf("Summary() = %q, want %q", got, want)
	}
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	want := strings.Join([]string{
		`::error file=plugins/a/pinion-plugin.json,line=8,col=3,title=json/unknown-key::unknown key "licence"; did you mean "license"?`,
		`::error file=plugins/a/pinion-plugin.json,line=9,title=files/undeclared::"a\r\n::error::x" is not in "files"%0Afix: delete | it, 100%25`,
		`::warning file=a b%3Ac%2Cd.md,title=files/undeclared::<img src=x> @someone #1 www.evil.test`,
		`::notice title=text/eol::\x1b[31mred`,
		``,
	}, "\n")
	if diff := cmp.Diff(want, render(t, FormatGitHub, Stream{}, hostileReport())); diff != "" {
		t.Errorf("github (-want +got):\n%s", diff)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	got := render(t, FormatJSON, Stream{}, hostileReport())
	if !strings.HasPrefix(got, "{\n  \"schema\": \"pinion.validate/v1\"") {
		t.Errorf("the schema is not first: %s", got)
	}
	if want := `"x\u202ey <b> \udb40\udc41"`; !strings.Contains(got, want) {
		t.Errorf("the document lacks %s:\n%s", want, got)
	}
	var back struct{ Problems problem.List }
	if err := json.Unmarshal([]byte(got), &back); err != nil {
		t.Fatal(err)
	}
	if got, want := back.Problems[0].Message, "x\u202ey <b> \U000e0041"; got != want {
		t.Errorf("message is %q after the round trip, want %q", got, want)
	}
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	r := hostileReport()
	var log sarifLog
	if err := json.Unmarshal([]byte(render(t, FormatSARIF, Stream{}, r)), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.Tool.Driver.Name != "pinion" || run.Automation.ID != "pinion/validate/" {
		t.Errorf("head is %+v", log)
	}
	var ids []string
	for _, rule := range run.Tool.Driver.Rules {
		ids = append(ids, rule.ID)
	}
	if diff := cmp.Diff([]string{"files/undeclared", "json/unknown-key", "text/eol"}, ids); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if help := run.Tool.Driver.Rules[0].Help; help == nil || !strings.Contains(help.Text, "SKILL.md") {
		t.Errorf("the rule has no help: %+v", help)
	}
	for i, res := range run.Results {
		if ids[res.RuleIndex] != res.RuleID || res.RuleID != r.Problems[i].Rule {
			t.Errorf("result %d: rule %s at index %d", i, res.RuleID, res.RuleIndex)
		}
	}
	if got := run.Results[2].Locations[0].Physical.Artifact.URI; got != "a%20b:c,d.md" && got != "./a%20b:c,d.md" {
		t.Errorf("URI is %q", got)
	}
	if run.Results[3].Locations != nil {
		t.Error("a problem without a file has a location")
	}

	// A problem that only moved keeps its fingerprint; an equal second one has
	// its own.
	moved := hostileReport()
	moved.Problems[0].Line = 80
	moved.Problems = append(moved.Problems, moved.Problems[0])
	var after sarifLog
	if err := json.Unmarshal([]byte(render(t, FormatSARIF, Stream{}, moved)), &after); err != nil {
		t.Fatal(err)
	}
	first, second := after.Runs[0].Results[0], after.Runs[0].Results[4]
	if diff := cmp.Diff(run.Results[0].Fingerprints, first.Fingerprints); diff != "" {
		t.Errorf("fingerprint of a moved problem (-want +got):\n%s", diff)
	}
	if cmp.Equal(first.Fingerprints, second.Fingerprints) {
		t.Error("two equal problems share a fingerprint")
	}

	linked := &Report{Problems: problem.List{{Rule: "a/b", Message: "see [this](https://x.invalid) and [that](1)", Fix: "[go](2)"}}}
	if text := render(t, FormatSARIF, Stream{}, linked); strings.Contains(text, "](") {
		t.Errorf("text of a package is a link: %s", text)
	}

	var raw struct{ Runs []struct{ Results []any } }
	if err := json.Unmarshal([]byte(render(t, FormatSARIF, Stream{}, &Report{})), &raw); err != nil {
		t.Fatal(err)
	}
	if raw.Runs[0].Results == nil {
		t.Error("results of a clean run are null, which means that the run did not happen")
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var got junitSuites
	if err := xml.Unmarshal([]byte(render(t, FormatJUnit, Stream{}, hostileReport())), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 4 || got.Failures != 2 || len(got.Suite.Cases) != 4 {
		t.Errorf("%d tests, %d failures, %d cases", got.Tests, got.Failures, len(got.Suite.Cases))
	}
	if c := got.Suite.Cases[1]; c.Failure == nil || !strings.Contains(c.Failure.Text, "fix: delete") {
		t.Errorf("case 1 is %+v", c)
	}
	if c := got.Suite.Cases[2]; c.Failure != nil || c.Output == "" {
		t.Errorf("a warning is %+v", c)
	}
	if err := xml.Unmarshal([]byte(render(t, FormatJUnit, Stream{}, &Report{Command: "validate"})), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 1 || got.Failures != 0 {
		t.Errorf("a clean run has %d tests, %d failures", got.Tests, got.Failures)
	}
}

// A report is what its schema says, and the schema refuses what is none. Issue
// "Scan, gate and review", Review in CI.
func TestJUnitIsValid(t *testing.T) {
	t.Parallel()
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint (libxml2-utils) is not installed")
	}
	check := func(text string) (string, error) {
		cmd := exec.CommandContext(t.Context(), xmllint, "--nonet", "--noout", "--schema", filepath.Join("testdata", "junit.xsd"), "-")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	twice := hostileReport()
	twice.Problems = append(twice.Problems, twice.Problems...)
	for name, r := range map[string]*Report{"hostile": hostileReport(), "clean": {Command: "check-pr"}, "equal problems": twice} {
		if out, err := check(render(t, FormatJUnit, Stream{}, r)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	text := render(t, FormatJUnit, Stream{}, hostileReport())
	for _, wrong := range []string{strings.Replace(text, "classname", "class", 1), strings.Replace(text, ` at 8:3"`, `" file="x"`, 1)} {
		if _, err := check(wrong); wrong == text || err == nil {
			t.Errorf("the schema accepts %.300s", wrong)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := (markdownReporter{}).Report(Stream{Writer: &b}, hostileReport()); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if !strings.HasPrefix(got, "### pinion validate: 2 errors, 1 warning, 1 note in 1 package\n\n| | where |") {
		t.Errorf("head is %q", got[:min(len(got), 80)])
	}
	for _, bad := range []string{"<img", "@someone", "#1 ", "www.evil", "delete | it"} {
		if strings.Contains(got, bad) {
			t.Errorf("markup survives: %q in\n%s", bad, got)
		}
	}
	many := &Report{Problems: make(problem.List, maxMarkdownRows+5)}
	b.Reset()
	if err := (markdownReporter{}).Report(Stream{Writer: &b}, many); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "\nand 5 more\n") {
		t.Error("a long list is not cut")
	}
}

func TestWriteReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for ending, want := range map[string]string{".sarif": `"2.1.0"`, ".xml": "<testsuites", ".json": "pinion.validate/v1", ".md": "### pinion"} {
		name := filepath.Join(dir, "report"+ending)
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := WriteReport(name, hostileReport()); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s lacks %q (%v)", name, want, err)
		}
	}
	if err := WriteReport(filepath.Join(dir, "report.txt"), hostileReport()); err == nil {
		t.Error("an unknown ending was accepted")
	}
	if err := WriteReport(filepath.Join(dir, "missing", "r.md"), hostileReport()); err == nil {
		t.Error("a missing directory was accepted")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 4 {
		t.Errorf("%d files are left, want the 4 reports (%v)", len(left), err)
	}
}
