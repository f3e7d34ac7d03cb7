package main

import (
	"context"

	"pinion"
)

// flipper is one of the library's switches: disable, enable, hold, unhold.
type flipper func(context.Context, pinion.Ref, pinion.SwitchOptions) (*pinion.SwitchReport, error)

// flip carries out a switch and says what became of the plugin, in the words
// for done, a dry run, and nothing to do.
func (e *env) flip(ctx context.Context, text string, do flipper, done, would, already string) error {
	ref, err := e.ref(text)
	if err != nil {
		return err
	}
	r, err := do(ctx, ref, pinion.SwitchOptions{Project: e.opts.project, DryRun: e.opts.dryRun})
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		word := e.did(done, would)
		if !r.Changed {
			word = already
		}
		if err := e.line("%s: %s%s", word, join(" ", r.ID, r.Version), inScope(r.Scope)); err != nil {
			return err
		}
		e.sayHosts(r.Hosts, r.ID)
		return nil
	})
}
