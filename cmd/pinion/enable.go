package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newEnableCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "enable",
			Usage: "use a disabled plugin again",
			Description: "Puts back the version that was active. A plugin that never was active needs `pinion " +
				"activate`.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return e.flip(ctx, args[0], lib.Enable, "enabled", "would enable", "already enabled")
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}},
		examples: []example{
			{"pinion enable text-tools", ""},
		},
		exits:   []int{exitConsent},
		scope:   true,
		changes: true,
		result:  true,
	}
}
