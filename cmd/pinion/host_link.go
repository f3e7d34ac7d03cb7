package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/host"
	"pinion/internal/ui"
)

// hostLinkOptions are the flags of `pinion host link`.
type hostLinkOptions struct {
	copy, replace bool
}

func newHostLinkCmd(e *env) *command {
	o := &hostLinkOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "host link",
			Usage: "let a host see what is active, from now on",
			Description: "Makes every active plugin visible to a program that loads plugins, through the door that it " +
				"documents. From then on activate, disable, rollback, upgrade and uninstall change the host too, and it " +
				"sees that at its next start. Other people's keys and comments in its files stay. Doing it again changes " +
				"nothing, or puts right what was changed since. A plugin that the host has by itself is refused: " +
				"--replace switches that one off, and host unlink switches it on again. pinion host list names " +
				"the hosts.",
			Flags: []cli.Flag{
				boolFlag(&o.copy, "copy", "copy the files where links would do"),
				boolFlag(&o.replace, "replace", "switch off what the host has by itself, until it is unlinked"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				r, err := lib.HostLink(ctx, args[0], pinion.HostOptions{
					Project: e.opts.project, Copy: o.copy, Replace: o.replace, DryRun: e.opts.dryRun,
				})
				if err != nil {
					return err
				}
				return e.show(r, func() error { return e.sayLinked(r) })
			}),
		},
		section: users,
		args:    []arg{{name: "HOST", kind: hostName}},
		examples: []example{
			{"pinion host link claude -n", "what would be written, and where"},
			{"pinion host link claude", ""},
			{"pinion host link codex --project", "for this project alone"},
		},
		scope:   true,
		changes: true,
		result:  true,
	}
}

func (e *env) sayLinked(r *pinion.HostReport) error {
	if err := e.saySteps(r.Steps); err != nil {
		return err
	}
	word := e.did("linked", "would link")
	if !r.Changed {
		word = "already linked"
	}
	what := ui.Count(len(r.Shown), "plugin")
	if len(r.Shown)+len(r.LeftOut) == 0 {
		what = "nothing is active yet"
	}
	if err := e.line("%s: %s%s, %s", word, r.Title, inScope(r.Scope), what); err != nil {
		return err
	}
	for _, s := range r.Shown {
		if err := e.line("  %s %s as %s", s.ID, s.Version, s.Name); err != nil {
			return err
		}
	}
	for _, l := range r.LeftOut {
		e.warn("%s is left out: %s", l.ID, l.Reason)
	}
	if len(r.Shown)+len(r.LeftOut) == 0 && !r.DryRun {
		e.Next("pinion install PLUGIN --activate; %s shows it from then on", r.Title)
	}
	e.sayAside(r.Steps)
	if r.Restart != "" && !r.DryRun {
		e.Next("%s to load it", r.Restart)
	}
	return nil
}

// saySteps prints what is done to the host's files: all of it in a dry run and
// with --verbose.
func (e *env) saySteps(steps []host.Step) error {
	if !e.opts.dryRun && !e.opts.verbose {
		return nil
	}
	for _, s := range steps {
		what := s.Path
		if s.Key != "" {
			what += ": " + s.Key
		}
		tail := ""
		if s.Do != host.Create && (s.Do != host.Remove || s.Why != "") { // what is ours and goes needs no words
			tail = ", was " + s.Was
		}
		if s.Why != "" {
			tail += "; " + s.Why
		}
		if s.Aside != "" {
			tail += "; kept at " + s.Aside
		}
		if err := e.line("%s %s %s%s", s.Do, s.Kind, what, tail); err != nil {
			return err
		}
	}
	return nil
}

// sayAside says what had to make room, and where it is now.
func (e *env) sayAside(steps []host.Step) {
	for _, s := range steps {
		if s.Aside != "" {
			e.Note("%s; it is kept at %s", join(" ", s.Path, s.Why), s.Aside)
		}
	}
}

// sayHosts says which linked hosts see a change of the plugins with the ids, and
// what to restart. What a host cannot load of other plugins was said when those
// changed, and host status says it again.
func (e *env) sayHosts(hosts []pinion.HostChange, ids ...string) {
	var seen, restart []string
	for _, h := range hosts {
		if h.Error != "" {
			e.warn("%s was not changed: %s", h.Title, h.Error)
			e.Note("  %s", h.Fix)
			continue
		}
		for _, l := range h.LeftOut {
			if slices.Contains(ids, l.ID) {
				e.warn("%s does not see %s: %s", h.Title, l.ID, l.Reason)
			}
		}
		for _, s := range h.Blocked {
			what := s.Path
			if s.Key != "" {
				what += ": " + s.Key
			}
			e.warn("%s: %s %s", h.Title, what, s.Why)
		}
		if h.Fix != "" {
			e.Note("  it stays so; %s takes it back", h.Fix)
		}
		// One host may be linked for the user and for projects.
		if (h.Changed || h.Restart != "") && !slices.Contains(seen, h.Title) {
			seen = append(seen, h.Title)
			restart = append(restart, h.Restart)
		}
	}
	if len(seen) == 0 {
		return
	}
	e.Note("%s %s it at the next start", host.Words(seen), map[bool]string{true: "sees", false: "see"}[len(seen) == 1])
	e.Next("%s to load it", strings.Join(restart, ", "))
}
