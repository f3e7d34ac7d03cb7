package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
)

func newManCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "man",
			Usage:       "print the manual page",
			Description: "Prints the manual page of every command in the format of man.",
			Action:      func(c *cli.Context) error { return runMan(c.Context, e) },
		},
		section: about,
		examples: []example{
			{"pinion man | man -l -", "read it"},
			{"pinion man > /usr/local/share/man/man1/pinion.1", "install it"},
		},
	}
}

// runMan writes the page in the man macros of roff (man 7), made from the same
// table as help.
func runMan(_ context.Context, e *env) error {
	list := commands(e)
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH PINION 1 \"\" \"pinion %s\" \"User Commands\"\n", roff(pinion.Version))
	b.WriteString(".SH NAME\npinion \\- plugins for AI agents, pinned and verified\n")
	b.WriteString(".SH SYNOPSIS\n.B pinion\n.I COMMAND\n[\\fIARGUMENT\\fR...] [\\fIFLAG\\fR...]\n")
	b.WriteString(".SH DESCRIPTION\n")
	b.WriteString("Authors validate, hash and catalog plugins; users add marketplaces, install pinned versions, activate them and roll them back.\n")
	b.WriteString("Flags stand before or after arguments; \\-\\- ends them.\n")
	for sec := authors; sec <= about; sec++ {
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(sec.title())))
		for _, c := range list {
			if c.section == sec && !c.hidden {
				manCommand(&b, c)
			}
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, f := range globalsOf(list) {
		manFlag(&b, f)
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, code := range exitCodes() {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", code.Code, roff(code.Meaning))
	}
	b.WriteString(".SH ENVIRONMENT\n")
	for _, v := range environment() {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(v[0]), roff(v[1]))
	}
	_, err := e.Out.Write(b.Bytes())
	return err
}

// environment returns the variables that change what Pinion does.
func environment() [][2]string {
	return [][2]string{
		{"PINION_HOME", "Pinion's own directory; default $XDG_DATA_HOME/pinion or ~/.local/share/pinion"},
		{"PINION_PROJECT", "the root of the project that --project means"},
		{"GITHUB_TOKEN, GH_TOKEN", "a token for GitHub: private repositories and a higher rate limit"},
		{"PINION_GITHUB_API, PINION_GITHUB_CLONE", "the bases of the API and of clone URLs, for GitHub Enterprise"},
		{"NO_COLOR", "no colour"},
	}
}

func manCommand(b *bytes.Buffer, c *command) {
	fmt.Fprintf(b, ".SS %s\n%s.\n.PP\n", roff(c.usage()), roff(upperFirst(c.Usage)))
	b.WriteString(roff(c.Description) + "\n")
	for _, f := range ownFlags(c) {
		manFlag(b, f)
	}
	if len(c.examples) > 0 {
		b.WriteString(".PP\nExamples:\n.nf\n")
		for _, x := range c.examples {
			b.WriteString("    " + roff(x.line))
			if x.about != "" {
				b.WriteString("\n        " + roff(x.about))
			}
			b.WriteString("\n")
		}
		b.WriteString(".fi\n")
	}
}

func manFlag(b *bytes.Buffer, f cli.Flag) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(flagHead(f)), roff(flagText(f)))
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// roff escapes text so that none of it is a request or an escape of roff.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
