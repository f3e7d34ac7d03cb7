package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// installOptions are the flags and arguments of `pinion install`.
type installOptions struct {
	from     string
	activate bool
	version  string
	allow    []string
}

func newInstallCmd(e *env) *command {
	o := &installOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "install",
			Usage: "fetch, verify and place plugins",
			Description: "REF is ID, ID@MARKET, ID@VERSION or ID@MARKET@VERSION, or a path, which is installed as a " +
				"draft. The newest release is taken when no version is given. Installing places the files; " +
				"nothing runs until you activate.",
			Flags: []cli.Flag{
				stringFlag(&o.from, "from", "add the marketplace `SPEC` first"),
				boolFlag(&o.activate, "activate", "activate as well"),
				versionFlag(&o.version),
				allowFlag(&o.allow),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runInstall(ctx, e, lib, *o, args)
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: offered, many: true}},
		examples: []example{
			{"pinion install text-tools", "the newest version"},
			{"pinion install text-tools@acme@1.0.0 --activate", "an exact one, and use it"},
			{"pinion install text-tools --from acme/agent-plugins", "from a marketplace that is not added yet"},
			{"pinion install ./plugins/text-tools", "a draft, to try it"},
		},
		exits:   []int{exitProblems, exitRefused, exitConsent},
		scope:   true,
		changes: true,
		result:  true,
	}
}

func runInstall(ctx context.Context, e *env, lib *pinion.Client, o installOptions, args []string) error {
	refs, err := e.refs(args, o.version)
	if err != nil {
		return err
	}
	allow, err := grants(o.allow)
	if err != nil {
		return err
	}
	r, err := lib.Install(ctx, refs, pinion.InstallOptions{
		From: o.from, Activate: o.activate, Project: e.opts.project, Allow: allow, DryRun: e.opts.dryRun,
	})
	if r == nil {
		return err
	}
	return errors.Join(e.show(r, func() error {
		if err := e.sayInstalled(r, o.activate); err != nil {
			return err
		}
		if len(r.Activated) > 0 {
			e.nextHost(ctx, lib, r.Hosts)
		}
		return nil
	}), err)
}

func (e *env) sayInstalled(r *pinion.InstallReport, activate bool) error {
	if r.Added != nil {
		if err := e.line("%s %s from %s", e.did("added", "would add"), addedFacts(r.Added), r.Added.Source); err != nil {
			return err
		}
	}
	for _, in := range r.Installed {
		word := e.did("installed", "would install")
		if in.Already {
			word = "already installed"
		}
		if err := e.line("%s: %s from %s%s", word, join(" ", in.ID, in.Version), in.Marketplace, whatIs(in)); err != nil {
			return err
		}
		if !in.Pinned && in.Marketplace != "local" && !in.Already && !e.opts.dryRun {
			e.Note("%s publishes no digest for it; this one is now on record", in.Marketplace)
		}
	}
	var active []string
	for _, a := range r.Activated {
		if err := e.sayActivated(a); err != nil {
			return err
		}
		active = append(active, a.ID)
	}
	e.sayHosts(r.Hosts, active...)
	if !activate && !e.opts.dryRun && len(r.Installed) > 0 {
		in := r.Installed[0]
		e.Next("pinion activate %s%s", in.ID, e.projectFlag())
	}
	return nil
}

// whatIs is kind, size and digest of a plugin, as far as they are known: a dry
// run does not fetch it.
func whatIs(in pinion.Installed) string {
	facts := string(in.Kind)
	if in.Files > 0 {
		facts = join(", ", facts, ui.Count(in.Files, "file"), size(in.Bytes))
	}
	out := ""
	if facts != "" {
		out = " (" + facts + ")"
	}
	if !in.Digest.IsZero() {
		out += "  " + in.Digest.Short()
	}
	return out
}

// projectFlag is what the next command needs to stay in the scope of this one.
func (e *env) projectFlag() string {
	if e.opts.project {
		return " --project"
	}
	return ""
}
