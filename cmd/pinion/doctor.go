package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

func newDoctorCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "doctor",
			Usage: "check the installation and say what to do",
			Description: "Checks the home directory, the store, the marketplaces and the tools Pinion uses. With " +
				"--project it also lists every command that this project could run.",
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runDoctor(ctx, e, lib)
			}),
		},
		section: projects,
		examples: []example{
			{"pinion doctor", ""},
			{"pinion doctor --project", "before you trust a checkout"},
		},
		scope:  true,
		result: true,
	}
}

func runDoctor(ctx context.Context, e *env, lib *pinion.Client) error {
	r, err := lib.Doctor(ctx, e.opts.project)
	if err != nil {
		return err
	}
	err = e.show(r, func() error {
		t := ui.NewTable(
			ui.Column{Title: "CHECK", Keep: true},
			ui.Column{Title: "RESULT", Keep: true, Paint: doctorColor},
			ui.Column{Title: "FOUND"}, ui.Column{Title: "WHAT TO DO"})
		for _, c := range r.Checks {
			t.Row(c.Name, c.Result, c.Text, c.Fix)
		}
		return t.Write(e.Out)
	})
	if err != nil {
		return err
	}
	if !r.OK {
		return codeError(exitFailed)
	}
	e.Note("all is well")
	return nil
}

func doctorColor(cell string) ui.Color {
	switch cell {
	case "failed":
		return ui.Red
	case "note":
		return ui.Yellow
	}
	return ui.Green
}
