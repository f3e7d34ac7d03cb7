package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newDisableCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "disable",
			Usage:       "stop using a plugin, keep it installed",
			Description: "A disabled plugin stays disabled, through upgrades too, until it is enabled.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return e.flip(ctx, args[0], lib.Disable, "disabled", "would disable", "already disabled")
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}},
		examples: []example{
			{"pinion disable text-tools", ""},
		},
		scope:   true,
		changes: true,
		result:  true,
	}
}
