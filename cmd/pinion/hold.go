package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newHoldCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "hold",
			Usage:       "keep a plugin at its version",
			Description: "An upgrade passes over a held plugin unless you name it.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return e.flip(ctx, args[0], lib.Hold, "held", "would hold", "already held")
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}},
		examples: []example{
			{"pinion hold workflow-hooks", ""},
		},
		scope:   true,
		changes: true,
		result:  true,
	}
}
