package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newScanCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "scan",
			Usage: "look for what should worry a user of a package",
			Description: "Looks at every file of a package, an archive, the packages of a repository, or an installed plugin: " +
				"code that downloads and runs other code, hidden characters, secrets, words that turn a model against its user, " +
				"code that is fetched at launch. No code of the package runs and nothing is sent anywhere. High and critical findings " +
				"keep a plugin from being activated; `pinion explain RULE` tells what one means. A scan is a tripwire: without findings " +
				"it says that no known-bad pattern was found, not more.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error { return runScan(ctx, e, lib, args) }),
		},
		section: authors,
		args:    []arg{{name: "PATH|REF", kind: onDisk, optional: true, many: true}},
		examples: []example{
			{"pinion scan", "every package under the working directory"},
			{"pinion scan plugins/text-tools", "one package"},
			{"pinion scan mail-reader@2.0.1", "what is installed"},
			{"pinion scan --report scan.sarif", "a file for code scanning as well"},
		},
		exits:   []int{exitProblems},
		reports: true,
	}
}

func runScan(ctx context.Context, e *env, lib *pinion.Client, args []string) error {
	e.manyFiles = true
	begun := e.now()
	r, err := lib.Scan(ctx, args)
	if err != nil {
		return err
	}
	err = e.report(&ui.Report{
		Command: "scan", Problems: r.Findings(), Checked: ui.Count(len(r.Packages), "package"),
		Elapsed: e.now().Sub(begun), Document: r,
	}, r.OK)
	for _, p := range r.Packages {
		if len(r.Packages) == 1 || len(p.Reasons) > 0 {
			e.Note("%s: %s", p.Path, p.Summary)
		}
	}
	return err
}
