package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
)

// hashOptions are the flags and arguments of `pinion hash`.
type hashOptions struct {
	files bool
}

func newHashCmd(e *env) *command {
	o := &hashOptions{}
	return &command{
		Command: &cli.Command{
			Name:  "hash",
			Usage: "print the digest of a package",
			Description: "Prints the package digest and nothing else. It is the h1: algorithm of Go and Terraform over " +
				"the exact files of the package, so anyone can recompute it.",
			Flags: []cli.Flag{
				boolFlag(&o.files, "files", "print a line for each file, as sha256sum does"),
			},
			Action: e.with(func(ctx context.Context, lib *pinion.Client, args []string) error {
				return runHash(ctx, e, lib, *o, args[0])
			}),
		},
		section: authors,
		args:    []arg{{name: "PATH", kind: onDisk}},
		examples: []example{
			{"pinion hash plugins/text-tools", "h1:…"},
			{"pinion hash --files . | sha256sum --check", "prove the lines with another program"},
		},
		exits:  []int{exitProblems},
		result: true,
	}
}

func runHash(ctx context.Context, e *env, lib *pinion.Client, o hashOptions, path string) error {
	r, err := lib.Hash(ctx, path)
	if err != nil {
		return err
	}
	return e.show(r, func() error {
		if !o.files {
			return e.line("%s", r.Digest)
		}
		var b bytes.Buffer
		for _, f := range r.Files {
			b.WriteString(sumLine(f))
		}
		_, err := e.Out.Write(b.Bytes())
		return err
	})
}

// sumLine is one line as sha256sum writes it: a name with a backslash or a line
// break is escaped, which a backslash before the line says.
func sumLine(f pinion.HashLine) string {
	sum, _ := f.Sum.MarshalText() // never fails
	name := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(f.Path)
	mark := ""
	if name != f.Path {
		mark = `\`
	}
	return fmt.Sprintf("%s%s  %s\n", mark, sum, name)
}
