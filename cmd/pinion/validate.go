package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// validateOptions are the flags and arguments of `pinion validate`.
type validateOptions struct {
	strict bool
	hosts  []string
	fix    bool
	scan   bool
}

func newValidateCmd(e *env) *command {
	o := &validateOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "validate",
			Usage: "find every problem in packages and catalogs",
			Description: "Checks a package, an archive of one, or a repository with every package under it and its " +
				"catalogs; without PATH the working directory. Every problem is printed with its place, its " +
				"rule and its cure; `pinion explain RULE` tells more.",
			Flags: []cli.Flag{
				boolFlag(&o.strict, "strict", "warnings are errors"),
				listFlag(&o.hosts, "host", "ask host `NAME` whether it loads them: NAME, NAME@VERSION, NAME@>=VERSION, or all"),
				boolFlag(&o.scan, "scan", "scan the packages too, as `pinion scan` does"),
				boolFlag(&o.fix, "fix", "do what cannot change meaning: complete the files list, naming each file, and remove a byte order mark"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runValidate(ctx, e, lib, *o, args)
			}),
		},
		section: authors,
		args:    []arg{{name: "PATH", kind: onDisk, optional: true, many: true}},
		examples: []example{
			{"pinion validate", "everything under the working directory"},
			{"pinion validate plugins/text-tools --strict", "one package, warnings count"},
			{"pinion validate --host claude,codex,copilot", "does it load there, and from which version on"},
			{"pinion validate --format github --report out.sarif", "annotations in a workflow, and a file for code scanning"},
		},
		exits:   []int{exitProblems},
		changes: true,
		reports: true,
	}
}

// validateDocument is the result of `pinion validate --json`.
type validateDocument struct {
	*pinion.ValidateReport
	Fixed []pinion.FixFile `json:"fixed,omitempty"` // with --fix
}

func runValidate(ctx context.Context, e *env, lib *pinion.Client, o validateOptions, args []string) error {
	hosts, err := pinion.ParseHosts(o.hosts)
	if err != nil {
		return err
	}
	e.manyFiles = true
	begun := e.now()
	doc := validateDocument{}
	if o.fix {
		fixed, err := lib.Fix(ctx, args, e.opts.dryRun)
		if err != nil {
			return err
		}
		doc.Fixed = fixed.Fixed
		e.noteFixed(fixed.Fixed)
	}
	r, err := lib.Validate(ctx, args, pinion.ValidateOptions{Strict: o.strict, Scan: o.scan, Hosts: hosts})
	if err != nil {
		return err
	}
	doc.ValidateReport = r
	if e.format == ui.FormatText {
		if err := hostTable(r).Write(e.Out); err != nil {
			return err
		}
	}
	return e.report(&ui.Report{
		Command: "validate", Problems: r.All(), Checked: ui.Count(len(r.Packages), "package"),
		Elapsed: e.now().Sub(begun), Document: doc, Tables: hostTables(r),
	}, r.OK)
}

// noteFixed names everything that --fix changed.
func (e *env) noteFixed(fixed []pinion.FixFile) {
	for _, f := range fixed {
		for _, name := range f.Added {
			e.Note("%s: %s %q to files", f.Path, e.did("added", "would add"), name)
		}
		for _, name := range f.Removed {
			e.Note("%s: %s %q, which files has twice", f.Path, e.did("removed", "would remove"), name)
		}
		if f.BOM {
			e.Note("%s: %s the byte order mark", f.Path, e.did("removed", "would remove"))
		}
	}
	if len(fixed) == 0 {
		e.Note("nothing that --fix corrects")
	}
}
