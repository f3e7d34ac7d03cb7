package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
)

// hostImportOptions are the flags and arguments of `pinion host import`.
type hostImportOptions struct {
	activate bool
	allow    []string
}

func newHostImportCmd(e *env) *command {
	o := &hostImportOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "host import",
			Usage: "take over what a host has installed",
			Description: "Adds the host's marketplaces at the commits it has, and installs its plugins at the commits it " +
				"recorded, pinned by digest. Its own copies are compared with those bytes and never used. What " +
				"cannot be taken over is listed with the reason. Nothing of the host changes.",
			Flags: []cli.Flag{
				boolFlag(&o.activate, "activate", "activate what is enabled in the host as well"),
				allowFlag(&o.allow),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runHostImport(ctx, e, lib, *o, args[0])
			}),
		},
		section: users,
		args:    []arg{{name: "HOST", kind: hostName}},
		examples: []example{
			{"pinion host import claude -n", "what would be taken over"},
			{"pinion host import claude", ""},
			{"pinion host import skills --activate", "and use it from here"},
		},
		scope:   true,
		changes: true,
		result:  true,
	}
}

func runHostImport(ctx context.Context, e *env, lib *pinion.Client, o hostImportOptions, name string) error {
	allow, err := grants(o.allow)
	if err != nil {
		return err
	}
	r, err := lib.HostImport(ctx, name, pinion.ImportOptions{
		Project: e.opts.project, Activate: o.activate, Allow: allow, DryRun: e.opts.dryRun,
	})
	if r == nil {
		return err
	}
	return errors.Join(e.show(r, func() error { return e.sayImported(r, o.activate) }), err)
}

func (e *env) sayImported(r *pinion.ImportReport, activate bool) error {
	if len(r.Marketplaces)+len(r.Plugins) == 0 {
		e.Note("nothing was found in %s that can be taken over", r.Host)
		return nil
	}
	for _, m := range r.Marketplaces {
		var err error
		switch {
		case m.Why != "":
			err = e.line("left out: marketplace %s (%s): %s", m.Shown, m.Source, m.Why)
		case m.Already:
			err = e.line("already added: marketplace %s (%s) at %s", m.Name, m.Source, shortCommit(m.Commit))
		default:
			err = e.line("%s marketplace %s (%s) at %s", e.did("added", "would add"), m.Name, m.Source, shortCommit(m.Commit))
		}
		if err != nil {
			return err
		}
	}
	taken, active := 0, 0
	var ids, waiting []string
	for _, p := range r.Plugins {
		if err := e.sayImportedPlugin(p); err != nil {
			return err
		}
		if p.ID == "" {
			continue
		}
		ids = append(ids, p.ID)
		taken++
		switch {
		case p.Active:
			active++
		case p.Enabled:
			waiting = append(waiting, p.Next)
		}
	}
	e.Note("%s of %d plugins %s, %d active", strconv.Itoa(taken), len(r.Plugins), e.did("taken over", "can be taken over"), active)
	e.sayHosts(r.Hosts, ids...)
	e.nextImport(r, taken, waiting, activate)
	return nil
}

// nextImport names what follows: take over, activate, and let the host see that in
// the place of its own.
func (e *env) nextImport(r *pinion.ImportReport, taken int, waiting []string, activate bool) {
	again := "pinion host import " + r.Host + e.projectFlag()
	switch {
	case taken == 0:
	case r.DryRun:
		e.Next("%s", again)
	case len(waiting) > 1 && !activate:
		e.Next("%s --activate", again)
	case len(waiting) > 0:
		e.Next("%s", waiting[0])
	case len(r.Hosts) == 0:
		e.Next("pinion host link %s%s --replace shows it these in the place of its own", r.Host, e.projectFlag())
	}
}

func (e *env) sayImportedPlugin(p pinion.ImportedPlugin) error {
	if p.ID == "" {
		if err := e.line("left out: %s: %s", join(" ", p.Shown, p.Version), p.Why); err != nil {
			return err
		}
		if p.Next != "" {
			e.Note("  %s", p.Next)
		}
	} else {
		word := e.did("installed", "would install")
		if p.Already {
			word = "already installed"
		}
		if err := e.line("%s: %s from %s at %s, %s", word, join(" ", p.ID, p.Version), p.Marketplace, shortCommit(p.Commit), p.Digest.Short()); err != nil {
			return err
		}
		if p.Why != "" {
			e.warn("%s: %s", p.Shown, p.Why)
		}
	}
	if len(p.Differences) == 0 || p.ID == "" { // of what is left out, the reason is enough
		return nil
	}
	var names []string
	for i, d := range p.Differences {
		if i == 5 {
			names = append(names, strconv.Itoa(len(p.Differences)-i)+" more")
			break
		}
		names = append(names, d.Path+" "+d.What)
	}
	e.warn("%s: the host's copy is not what the commit has: %s", p.Shown, strings.Join(names, ", "))
	return nil
}
