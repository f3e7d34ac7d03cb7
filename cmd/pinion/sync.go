package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"pinion"
)

// syncOptions are the flags and arguments of `pinion sync`.
type syncOptions struct {
	check          bool
	allow          []string
	locked         bool
	frozen         bool
	frozenLockfile bool
}

func newSyncCmd(e *env) *command {
	o := &syncOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "sync",
			Usage: "install exactly what the lock file says",
			Description: "Fetches, verifies and activates what pinion.lock names, for this project only, after consent " +
				"to one summary. Needs no marketplace to be added, works offline from the store, and never " +
				"writes the lock.",
			Flags: []cli.Flag{
				boolFlag(&o.check, "check", "change nothing; exit 3 on a difference"),
				allowFlag(&o.allow),
				boolFlag(&o.locked, "locked", "accepted: this is what sync always does"),
				boolFlag(&o.frozen, "frozen", "accepted: this is what sync always does"),
				boolFlag(&o.frozenLockfile, "frozen-lockfile", "accepted: this is what sync always does"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runSync(ctx, e, lib, *o)
			}),
		},
		section: projects,
		examples: []example{
			{"pinion sync", "after a checkout"},
			{"pinion sync --check", "is everything as the lock says?"},
			{"pinion sync -n", "what would it do?"},
		},
		exits:   []int{exitProblems, exitRefused, exitConsent},
		changes: true,
		result:  true,
	}
}

func runSync(ctx context.Context, e *env, lib *pinion.Client, o syncOptions) error {
	allow, err := grants(o.allow)
	if err != nil {
		return err
	}
	r, err := lib.Sync(ctx, pinion.SyncOptions{Check: o.check, DryRun: e.opts.dryRun, Allow: allow})
	if r == nil {
		return err
	}
	if err = errors.Join(e.show(r, func() error { return e.saySynced(r, o.check) }), err); err != nil {
		return err
	}
	if o.check && len(r.Differences) > 0 {
		return codeError(exitProblems)
	}
	return nil
}

func (e *env) saySynced(r *pinion.SyncReport, check bool) error {
	var lines []string
	for _, in := range r.Installed {
		lines = append(lines, e.did("installed", "would install")+": "+in.ID+" "+in.Version)
	}
	for _, s := range r.Activated {
		if s.From != "" && s.From != s.To {
			s.ID += " " + s.From + " →"
		}
		lines = append(lines, e.did("active", "would activate")+": "+s.ID+" "+s.To)
	}
	for _, s := range r.Deactivated {
		lines = append(lines, e.did("no longer active", "would deactivate")+": "+s.ID+" "+s.From)
	}
	lines = append(lines, r.Differences...)
	for _, l := range lines {
		if err := e.line("%s", l); err != nil {
			return err
		}
	}
	switch {
	case len(lines) == 0:
		e.Note("the project is as %s says", pinion.LockFile)
	case check:
		e.Note("%d not as %s says", len(r.Differences), pinion.LockFile)
		e.Next("pinion sync")
	}
	e.sayHosts(r.Hosts)
	return nil
}
