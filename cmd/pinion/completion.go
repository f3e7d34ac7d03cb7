package main

import (
	"context"
	"embed"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion/internal/syntax"
)

// shells are the scripts that make a shell ask [completeWord].
//
//go:embed completions/pinion.*
var shells embed.FS

// shellNames returns the shells that have a script.
func shellNames() []string { return []string{"bash", "zsh", "fish"} }

func newCompletionCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:  "completion",
			Usage: "print the completion script of a shell",
			Description: "Prints a script that completes commands, flags, installed plugins, marketplaces and the " +
				"plugins of the local catalogs.",
			Action: func(c *cli.Context) error { return runCompletion(c.Context, e, c.Args().First()) },
		},
		section: about,
		args:    []arg{{name: "bash|zsh|fish", kind: shell}},
		examples: []example{
			{"source <(pinion completion bash)", "for this shell; put it into ~/.bashrc"},
			{`pinion completion zsh > "${fpath[1]}/_pinion"`, "for zsh"},
			{"pinion completion fish > ~/.config/fish/completions/pinion.fish", "for fish"},
		},
	}
}

func runCompletion(_ context.Context, e *env, name string) error {
	script, err := shells.ReadFile("completions/pinion." + name)
	if err != nil {
		hint := "one of " + strings.Join(shellNames(), ", ")
		if near, ok := syntax.Nearest(name, shellNames()); ok {
			hint = "did you mean \"" + near + "\"? " + hint
		}
		return usagef(hint, "no completion for %q", name)
	}
	_, err = e.Out.Write(script)
	return err
}
