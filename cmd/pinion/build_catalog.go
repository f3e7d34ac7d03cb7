package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// buildCatalogOptions are the flags and arguments of `pinion build-catalog`.
type buildCatalogOptions struct {
	check  bool
	stdout bool
	from   string
	base   string
	bump   bool
	hosts  []string
	owner  string
}

func newBuildCatalogCmd(e *env) *command {
	o := &buildCatalogOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "build-catalog",
			Usage: "write the catalog of a repository of plugins",
			Description: "Reads plugins/*, and writes marketplace.json with the version and digest of each. The bytes " +
				"of a version that is released stay the same: a change is refused (catalog/version-changed) " +
				"until the version is raised. Released is what the catalog of --base says, without it the one " +
				"of HEAD, and outside git the file that is replaced. A failed build leaves the old file.",
			Flags: []cli.Flag{
				boolFlag(&o.check, "check", "write nothing; exit 3 when the file on disk differs"),
				boolFlag(&o.stdout, "stdout", "print the catalog instead of writing it"),
				stringFlag(&o.from, "from", "build from the blobs of the commit `REV`"),
				stringFlag(&o.base, "base", "released is what this `CATALOG` says: a file, a git ref, or none"),
				boolFlag(&o.bump, "bump", "give each changed package the next patch version"),
				listFlag(&o.hosts, "for", "also write the catalog of `HOST`"),
				stringFlag(&o.owner, "owner", "the `NAME` of the owner, when the file has none"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runBuildCatalog(ctx, e, lib, *o, args)
			}),
		},
		section: authors,
		args:    []arg{{name: "REPO", kind: onDisk, optional: true}},
		examples: []example{
			{"pinion build-catalog", "write marketplace.json"},
			{"pinion build-catalog --check --format github", "in a CI job"},
			{"pinion build-catalog --from HEAD --stdout", "what the last commit would publish"},
		},
		exits:   []int{exitProblems},
		changes: true,
		reports: true,
	}
}

func runBuildCatalog(ctx context.Context, e *env, lib *pinion.Client, o buildCatalogOptions, args []string) error {
	if err := o.conflicts(e); err != nil {
		return err
	}
	begun := e.now()
	repo := "."
	if len(args) > 0 {
		repo = args[0]
	}
	e.manyFiles, e.memory = true, buildMemory(e.path(repo))
	r, err := lib.BuildCatalog(ctx, repo, pinion.BuildOptions{
		Check: o.check, Stdout: o.stdout, From: o.from, Base: o.base, Owner: o.owner, Bump: o.bump, DryRun: e.opts.dryRun,
	})
	if err != nil {
		return err
	}
	for _, b := range r.Bumped {
		e.Note("%s: %s %s → %s", b.Dir, e.did("raised", "would raise"), b.From, b.To)
	}
	if o.stdout && r.OK {
		if err := ui.WriteText(e.Err, r.Problems); err != nil {
			return err
		}
		_, err := r.Catalog.WriteTo(e.Out)
		return err
	}
	report := &ui.Report{
		Command: "build-catalog", Problems: r.Problems, Checked: ui.Count(r.Packages, "package"), Elapsed: e.now().Sub(begun), Document: r,
	}
	if o.stdout {
		return e.reportTo(e.Err, report, r.OK)
	}
	if err := e.report(report, r.OK); err != nil {
		return err
	}
	return e.sayBuilt(r, o)
}

// sayBuilt says what became of the file.
func (e *env) sayBuilt(r *pinion.BuildReport, o buildCatalogOptions) error {
	if e.format != ui.FormatText {
		return nil
	}
	switch {
	case o.check || !r.Changed:
		return e.line("%s is up to date", r.Path)
	case !r.Written:
		return e.line("would write %s", r.Path)
	}
	if err := e.line("wrote %s", r.Path); err != nil {
		return err
	}
	e.Next("commit and push it; others then add the repository with pinion marketplace add")
	return nil
}

// conflicts refuses flags that contradict each other.
func (o buildCatalogOptions) conflicts(e *env) error {
	switch {
	case o.stdout && e.format != ui.FormatText:
		return usagef("leave one of the two out", "--stdout prints the catalog, --format %s a report on it", e.format)
	case o.stdout && o.check:
		return usagef("leave one of the two out", "--check prints no catalog")
	case o.bump && o.check:
		return usagef("leave one of the two out", "--check changes nothing, --bump raises versions")
	case o.bump && o.from != "":
		return usagef("leave one of the two out", "--bump changes files, --from reads a commit")
	case len(o.hosts) > 0:
		return usagef("hosts that read marketplace.json (Copilot, VS Code) load the file that is written",
			"--for %s is not supported by this version", o.hosts[0])
	}
	return nil
}
