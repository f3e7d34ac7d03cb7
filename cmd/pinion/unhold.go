package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newUnholdCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "unhold",
			Usage:       "let a plugin be upgraded again",
			Description: "Ends `pinion hold`.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return e.flip(ctx, args[0], lib.Unhold, "no longer held", "would no longer be held", "was not held")
			}),
		},
		section: users,
		args:    []arg{{name: "REF", kind: installed}},
		examples: []example{
			{"pinion unhold workflow-hooks", ""},
		},
		scope:   true,
		changes: true,
		result:  true,
	}
}
