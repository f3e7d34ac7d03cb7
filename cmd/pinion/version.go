package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newVersionCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "version",
			Usage:       "print the version",
			Description: "Prints the version; with --json also commit, Go version and platform.",
			Action:      func(c *cli.Context) error { return runVersion(c.Context, e) },
		},
		section:  about,
		examples: []example{{"pinion --version", "the same, for scripts"}},
		result:   true,
	}
}

// versionDocument is the result of `pinion version --json`.
type versionDocument struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func runVersion(_ context.Context, e *env) error {
	if !e.asJSON() {
		return printVersion(e)
	}
	d := versionDocument{
		Schema: "pinion.version/v1", Version: pinion.Version,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				d.Commit = s.Value
			}
		}
	}
	return e.printJSON(d)
}

// printVersion prints the line of --version. It touches no file.
func printVersion(e *env) error {
	_, err := fmt.Fprintln(e.Out, "pinion "+pinion.Version)
	return err
}
