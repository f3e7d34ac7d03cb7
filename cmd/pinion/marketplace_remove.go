package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

// marketplaceRemoveOptions are the flags and arguments of `pinion marketplace remove`.
type marketplaceRemoveOptions struct {
	uninstall bool
}

func newMarketplaceRemoveCmd(e *env) *command {
	o := &marketplaceRemoveOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "marketplace remove",
			Usage: "forget a marketplace",
			Description: "Refuses while plugins from it are installed, and names them. What was seen of its releases " +
				"is kept, so that a release cannot be rewritten by removing and adding.",
			Flags: []cli.Flag{
				boolFlag(&o.uninstall, "uninstall", "uninstall its plugins as well"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runMarketplaceRemove(ctx, e, lib, *o, args[0])
			}),
		},
		section: markets,
		args:    []arg{{name: "NAME", kind: marketplace}},
		examples: []example{
			{"pinion marketplace remove tools", ""},
			{"pinion marketplace remove tools --uninstall", "with everything installed from it"},
		},
		changes: true,
		result:  true,
	}
}

func runMarketplaceRemove(ctx context.Context, e *env, lib *pinion.Client, o marketplaceRemoveOptions, name string) error {
	r, err := lib.MarketplaceRemove(ctx, name, o.uninstall, e.opts.dryRun)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		for _, ref := range r.Uninstalled {
			if err := e.line("%s %s", e.did("uninstalled", "would uninstall"), ref); err != nil {
				return err
			}
		}
		e.sayHosts(r.Hosts)
		return e.line("%s %s (%s)", e.did("removed", "would remove"), r.Name, r.Source)
	})
}
