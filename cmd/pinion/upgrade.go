package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"pinion"
)

// upgradeOptions are the flags and arguments of `pinion upgrade`.
type upgradeOptions struct {
	version string
	allow   []string
}

func newUpgradeCmd(e *env) *command {
	o := &upgradeOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "upgrade",
			Usage: "install and activate newer versions",
			Description: "Refreshes the catalogs first, except with --offline, then installs and activates the newest " +
				"version of each plugin. Asks only for a new capability or rewritten bytes, one plugin at a " +
				"time. Held plugins, and a version you rolled back from or skipped, are passed over " +
				"unless you name them.",
			Flags: []cli.Flag{
				versionFlag(&o.version),
				allowFlag(&o.allow),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runUpgrade(ctx, e, lib, *o, args)
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed, optional: true, many: true}},
		examples: []example{
			{"pinion upgrade", "everything"},
			{"pinion upgrade workflow-hooks", "one plugin"},
			{"pinion upgrade --dry-run", "what would change"},
		},
		exits:   []int{exitProblems, exitRefused, exitConsent},
		scope:   true,
		changes: true,
		result:  true,
	}
}

func runUpgrade(ctx context.Context, e *env, lib *pinion.Client, o upgradeOptions, args []string) error {
	refs, err := e.refs(args, o.version)
	if err != nil {
		return err
	}
	allow, err := grants(o.allow)
	if err != nil {
		return err
	}
	r, err := lib.Upgrade(ctx, refs, pinion.UpgradeOptions{Project: e.opts.project, Allow: allow, DryRun: e.opts.dryRun})
	if r == nil {
		return err
	}
	if e.asJSON() {
		if err == nil {
			err = worst(r.Failed)
		}
		return errors.Join(e.printJSON(r), err)
	}
	if werr := e.sayUpgraded(r, err); werr != nil {
		return werr
	}
	return e.upgradeFailures(r, err)
}

func (e *env) sayUpgraded(r *pinion.UpgradeReport, err error) error {
	var ids []string
	for _, u := range r.Upgraded {
		ids = append(ids, u.ID)
		back := ""
		if !e.opts.dryRun {
			back = "  Back: pinion rollback " + u.ID + e.projectFlag()
		}
		if err := e.line("%s: %s %s → %s.%s", e.did("active", "would upgrade"), u.ID, u.From, u.To, back); err != nil {
			return err
		}
	}
	e.sayHosts(r.Hosts, ids...)
	for _, p := range r.Passed {
		e.Note("%s stays at %s: %s is %s", p.ID, p.Active, p.Newest, passedWord(p.Passed))
	}
	if e.opts.dryRun {
		e.Note("compared with the catalogs as they are; pinion marketplace refresh asks for news")
	}
	if len(r.Upgraded)+len(r.Passed)+len(r.Stopped)+len(r.Failed) == 0 && err == nil {
		e.Note("everything that is active is the newest")
	}
	for _, p := range r.Passed {
		if p.Passed == "held" || p.Passed == "rolled back" || p.Passed == "skipped" || p.Passed == "rewritten" {
			e.Next("pinion upgrade %s%s takes it all the same", p.ID, e.projectFlag())
			break
		}
	}
	return nil
}

// passedWord is why an upgrade left a version alone, as a part of a sentence.
func passedWord(why string) string {
	switch why {
	case "held":
		return "there, and the plugin is held"
	case "rolled back":
		return "what you rolled back from"
	case "skipped":
		return "there, and you skipped it"
	case "rewritten":
		return "other bytes under a known version"
	case "disabled":
		return "there, and the plugin is disabled"
	}
	return why
}

// upgradeFailures prints each plugin that stopped and each marketplace that
// could not be refreshed; err, or else the worst of the latter, decides the
// exit code.
func (e *env) upgradeFailures(r *pinion.UpgradeReport, err error) error {
	for _, s := range r.Stopped {
		e.warn("%s was not upgraded to %s", s.ID, s.To)
		printError(e.Console, false, s.Err)
	}
	code := err
	if code == nil {
		code = worst(r.Failed)
	}
	ferr := e.failures(r.Failed, code)
	if err != nil && len(r.Stopped) == 0 && len(r.Failed) == 0 {
		return err
	}
	if ferr == nil || len(r.Stopped)+len(r.Failed) == 0 {
		return ferr
	}
	return codeError(exitOf(code))
}
