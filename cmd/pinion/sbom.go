package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// sbomOptions are the flags and arguments of `pinion sbom`.
type sbomOptions struct {
	installed bool
	catalog   string
	output    string
}

func newSBOMCmd(e *env) *command {
	o := &sbomOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "sbom",
			Usage: "write a bill of materials as SPDX 2.3",
			Description: "Prints an SPDX 2.3 document (JSON) of a package, an archive, the packages of a repository, or an installed plugin: " +
				"every file with its checksums, the licence that is declared and the one whose text was found, the repository and commit " +
				"the bytes come from, and as dependencies what a plugin's configuration fetches when it is started (npm, PyPI, container images). " +
				"With SOURCE_DATE_EPOCH in the environment the same input gives the same bytes.",
			Flags: []cli.Flag{
				boolFlag(&o.installed, "installed", "everything that is installed, every version"),
				stringFlag(&o.catalog, "catalog", "the plugins of the marketplace `MARKET` that are ready to install"),
				stringFlag(&o.output, "output", "write to `FILE` instead of printing", "o"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runSBOM(ctx, e, lib, *o, args)
			}),
		},
		section: authors,
		args:    []arg{{name: "PATH|REF", kind: onDisk, optional: true, many: true}},
		examples: []example{
			{"pinion sbom plugins/text-tools", "one package"},
			{"pinion sbom mail-reader@2.0.1 -o mail-reader.spdx.json", "an installed version, to a file"},
			{"pinion sbom --installed", "everything on this computer"},
			{"SOURCE_DATE_EPOCH=1767225600 pinion sbom --catalog acme", "a marketplace, the same bytes each time"},
		},
		exits:   []int{exitProblems, exitRefused},
		changes: true,
	}
}

func runSBOM(ctx context.Context, e *env, lib *pinion.Client, o sbomOptions, args []string) error {
	switch {
	case o.installed && o.catalog != "":
		return usagef("write two documents", "--installed and --catalog %s are two different sets", o.catalog)
	case (o.installed || o.catalog != "") && len(args) > 0:
		return usagef("leave one of the two out", "%s names a package, and the flag a whole set", args[0])
	}
	e.manyFiles = true
	r, err := lib.SBOM(ctx, args, pinion.SBOMOptions{Installed: o.installed, Market: o.catalog, Output: o.output, DryRun: e.opts.dryRun})
	if err != nil {
		return err
	}
	if n := len(r.Skipped); n > 0 {
		const few = 3
		names := strings.Join(r.Skipped[:min(n, few)], ", ")
		if n > few {
			names += ", …"
		}
		e.Note("not in the document, because the bytes are not here: %s (%s); pinion marketplace info %s says why", ui.Count(n, "plugin"), names, o.catalog)
	}
	if r.Written != "" {
		return e.line("%s%s  %s", e.did("wrote ", "would write "), e.brief(r.Written), ui.Count(r.Packages, "package"))
	}
	_, err = e.Out.Write(r.Document)
	return err
}
