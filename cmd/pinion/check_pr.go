package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/capability"
	"pinion/internal/ui"
)

// checkPROptions are the flags of `pinion check-pr`.
type checkPROptions struct {
	base    string
	onlyOwn []string
	strict  bool
	failOn  string
}

func newCheckPRCmd(e *env) *command {
	o := &checkPROptions{}
	return &command{
		Command: &cli.Command{
			Name:  "check-pr",
			Usage: "judge what a change does to the plugins of a repository",
			Description: "What a CI job runs on a pull request: validates and scans the packages that the change touches, checks that " +
				"the catalog is in step and that nothing released has other bytes, and says what each plugin may do now that it could not " +
				"before. The work tree is compared with the last commit it shares with the base. Without --base that is the branch the CI " +
				"system names, else origin/HEAD; a base that a shallow clone lacks is fetched. In a GitHub workflow the problems are shown on " +
				"their lines too, and a summary is written.",
			Flags: []cli.Flag{
				stringFlag(&o.base, "base", "compare with `REF`, a branch or commit"),
				listFlag(&o.onlyOwn, "only-own", "allow changes only of packages whose id begins with `PREFIX`"),
				boolFlag(&o.strict, "strict", "warnings are errors"),
				stringFlag(&o.failOn, "fail-on", "`WHAT` is an error as well: new-capability"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runCheckPR(ctx, e, lib, *o, args)
			}),
		},
		section: authors,
		args:    []arg{{name: "REPO", kind: onDisk, optional: true}},
		examples: []example{
			{"pinion check-pr", "this change against the branch it is for"},
			{"pinion check-pr --base origin/main --report check.sarif", "a file for code scanning as well"},
			{"pinion check-pr --only-own acme- --fail-on new-capability", "merge by hand what may do more, or touches others"},
		},
		exits:   []int{exitProblems},
		reports: true,
	}
}

func runCheckPR(ctx context.Context, e *env, lib *pinion.Client, o checkPROptions, args []string) error {
	if o.failOn != "" && o.failOn != "new-capability" {
		return usagef("the one word is new-capability", "--fail-on %s is not known", o.failOn)
	}
	repo := "."
	if len(args) > 0 {
		repo = args[0]
	}
	e.manyFiles = true
	begun := e.now()
	r, err := lib.CheckPR(ctx, repo, pinion.CheckOptions{
		Base: o.base, OnlyOwn: o.onlyOwn, Strict: o.strict, FailOnNew: o.failOn != "",
	})
	if err != nil {
		return err
	}
	for _, n := range r.Notes {
		e.Note("%s", n)
	}
	if e.format == ui.FormatText {
		if err := e.sayChanges(r); err != nil {
			return err
		}
	}
	report := &ui.Report{
		Command: "check-pr", Problems: r.All(), Checked: ui.Count(len(r.Packages), "changed package"),
		Elapsed: e.now().Sub(begun), Document: r, Tables: changeTables(r),
	}
	result := e.report(report, r.OK)
	if err := e.workflow(report); err != nil {
		return err
	}
	return result
}

// workflow shows a report where a GitHub workflow shows results: on the lines of
// the change, and in the summary of the run.
func (e *env) workflow(r *ui.Report) error {
	if e.getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	if e.format == ui.FormatText {
		annotate, _ := ui.NewReporter(ui.FormatGitHub)
		if err := annotate.Report(e.Out, r); err != nil {
			return err
		}
	}
	name := e.getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	markdown, _ := ui.FileReporter("summary.md")
	var b bytes.Buffer
	if err := markdown.Report(ui.Stream{Writer: &b}, r); err != nil {
		return err
	}
	// The file is one for all steps of a job, so it is added to.
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		_ = f.Close() // the error of the write is the one to report
		return err
	}
	return f.Close()
}

// sayChanges prints what the change does, package by package.
func (e *env) sayChanges(r *pinion.CheckReport) error {
	for _, p := range r.Packages {
		if err := e.line("%s %s", p.Path, versions(p)); err != nil {
			return err
		}
		if err := e.sayWhatChanged(p.Capabilities, p.Files); err != nil {
			return err
		}
		if p.Scan != "" {
			if err := e.line("  scan %s", p.Scan); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxFileLines is how many changed files of a package are named.
const maxFileLines = 20

// sayWhatChanged prints capabilities and files that differ.
func (e *env) sayWhatChanged(capabilities []capability.Change, files []pinion.FileChange) error {
	for _, c := range capabilities {
		if err := e.line("  %-5s%s", newMark(c), c); err != nil {
			return err
		}
	}
	for i, f := range files {
		if i == maxFileLines {
			return e.line("  and %s", ui.Count(len(files)-i, "more file"))
		}
		if err := e.line("  file %s", fileWords(f)); err != nil {
			return err
		}
	}
	return nil
}

// newMark stands before a capability that lets a plugin do more.
func newMark(c capability.Change) string {
	if c.Widens {
		return "NEW"
	}
	return ""
}

func versions(p pinion.CheckedPackage) string {
	switch p.Status {
	case pinion.PackageAdded:
		return "new, " + p.Version
	case pinion.PackageRemoved:
		return strings.TrimSuffix("removed, was "+p.Previous, ", was ")
	}
	s := p.Version
	if p.Version != p.Previous {
		s = p.Previous + " → " + p.Version
	}
	if p.PreviousPath != "" {
		s += ", was in " + p.PreviousPath
	}
	if p.PreviousID != "" {
		s += ", was called " + p.PreviousID
	}
	return s
}

func fileWords(f pinion.FileChange) string {
	switch {
	case f.What == "executable":
		return f.Path + " execute bit changed"
	case f.What != "changed":
		return f.Path + " " + f.What
	case f.Added+f.Removed == 0:
		return f.Path + " changed"
	}
	return fmt.Sprintf("%s +%d -%d", f.Path, f.Added, f.Removed)
}

// changeTables is what a summary shows besides problems.
func changeTables(r *pinion.CheckReport) []ui.MarkdownTable {
	packages := ui.MarkdownTable{Title: "Packages that the change touches", Head: []string{"package", "version", "files", "scan"}}
	powers := ui.MarkdownTable{Title: "What they may do now", Head: []string{"package", "", "capability"}}
	for _, p := range r.Packages {
		packages.Rows = append(packages.Rows, []string{p.Path, versions(p), strconv.Itoa(len(p.Files)), p.Scan})
		for _, c := range p.Capabilities {
			powers.Rows = append(powers.Rows, []string{p.ID, newMark(c), c.String()})
		}
	}
	return []ui.MarkdownTable{packages, powers}
}
