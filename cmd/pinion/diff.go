package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newDiffCmd(e *env) *command {
	var failOn string
	return &command{
		Command: &cli.Command{
			Name:  "diff",
			Usage: "say what is different between two versions",
			Description: "Compares two contents of a plugin: which files changed, and what the new one may do that the old one could not. " +
				"A name is a directory, an archive, an installed or listed version (ID@VERSION), or REV:DIR of the git repository you are in. " +
				"One name alone compares what is active with the newest version in its catalog.",
			Flags: []cli.Flag{stringFlag(&failOn, "fail-on", "end with exit code 3 on `WHAT`: new-capability")},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runDiff(ctx, e, lib, failOn, args)
			}),
		},
		section: authors,
		args:    []arg{{name: "OLD", kind: installed}, {name: "NEW", kind: onDisk, optional: true}},
		examples: []example{
			{"pinion diff workflow-hooks", "what an upgrade would bring"},
			{"pinion diff workflow-hooks@1.0.0 workflow-hooks@1.1.0", "two versions"},
			{"pinion diff HEAD:plugins/text-tools plugins/text-tools", "what is not committed yet"},
		},
		exits:  []int{exitProblems},
		result: true,
	}
}

func runDiff(ctx context.Context, e *env, lib *pinion.Client, failOn string, args []string) error {
	if failOn != "" && failOn != "new-capability" {
		return usagef("the one word is new-capability", "--fail-on %s is not known", failOn)
	}
	r, err := lib.Diff(ctx, args...)
	if err != nil {
		return err
	}
	if e.asJSON() {
		if err := e.printJSON(r); err != nil {
			return err
		}
	} else if err := e.sayDifference(r); err != nil {
		return err
	}
	if r.Widens && failOn != "" {
		return codeError(exitProblems)
	}
	return nil
}

func (e *env) sayDifference(r *pinion.DiffReport) error {
	if r.Same {
		e.Note("the same files: %s", r.New.Digest)
		return nil
	}
	if err := e.line("%s %s → %s", r.New.ID, r.Old.Version, r.New.Version); err != nil {
		return err
	}
	if err := e.sayWhatChanged(r.Capabilities, r.Files); err != nil {
		return err
	}
	if len(r.Capabilities) == 0 {
		e.Note("it may do what it could do before")
	}
	return nil
}
