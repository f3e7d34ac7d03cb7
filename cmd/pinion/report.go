package main

import (
	"path/filepath"
	"strings"

	"pinion"
	"pinion/internal/ui"
)

// report writes the result of a command that looks for problems: to stdout in
// the chosen format, to the files of --report, and its summary to stderr. A
// result that is not ok ends the command with exit code 3.
func (e *env) report(r *ui.Report, ok bool) error { return e.reportAs(e.Out, r, ok, exitProblems) }

// reportTo is report with another place for the text.
func (e *env) reportTo(s ui.Stream, r *ui.Report, ok bool) error {
	return e.reportAs(s, r, ok, exitProblems)
}

// reportAs is report with the exit code of a result that is not ok.
func (e *env) reportAs(s ui.Stream, r *ui.Report, ok bool, code int) error {
	r.Version = pinion.Version
	if e.format != ui.FormatText && e.format != ui.FormatJSON || len(e.opts.reports) > 0 {
		r.Rules = pinion.Rules()
	}
	reporter, known := ui.NewReporter(e.format)
	if !known {
		return usagef("", "unknown format %q", e.format)
	}
	if err := reporter.Report(s, r); err != nil {
		return err
	}
	for _, name := range e.opts.reports {
		if err := ui.WriteReport(e.path(name), r); err != nil {
			return err
		}
	}
	e.Note("%s", r.Summary())
	if !ok {
		return codeError(code)
	}
	return nil
}

// brief returns a path as seen from the working directory when it lies below
// it, for people.
func (e *env) brief(path string) string {
	rel, err := filepath.Rel(e.cwd, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
