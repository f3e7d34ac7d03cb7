package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newSchemaCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "schema",
			Usage: "print a JSON Schema",
			Description: "Prints the JSON Schema of a document that Pinion reads or writes; without NAME lists the " +
				"names.",
			Action: func(c *cli.Context) error { return runSchema(c.Context, e, c.Args().First()) },
		},
		section: about,
		args:    []arg{{name: "NAME", kind: schemaName, optional: true}},
		examples: []example{
			{"pinion schema", "the names"},
			{"pinion schema plugin", "of pinion-plugin.json"},
		},
		result: true,
	}
}

// schemasDocument is the result of `pinion schema --json`.
type schemasDocument struct {
	Schema string   `json:"schema"`
	Names  []string `json:"names"`
}

func runSchema(_ context.Context, e *env, name string) error {
	if name == "" {
		names := pinion.Schemas()
		return e.show(schemasDocument{"pinion.schemas/v1", names}, func() error {
			for _, n := range names {
				if err := e.line("%s", n); err != nil {
					return err
				}
			}
			return nil
		})
	}
	text, err := pinion.Schema(strings.TrimSuffix(strings.TrimPrefix(name, "pinion."), "/v1"))
	if err != nil {
		return err
	}
	_, err = e.Out.Write(text)
	return err
}
