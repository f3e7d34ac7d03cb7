package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// The value of a flag is named in its usage text between backquotes, which help
// shows after the flag: "write to `FILE`".

func boolFlag(dest *bool, name, usage string, aliases ...string) cli.Flag {
	return &cli.BoolFlag{Name: name, Aliases: aliases, Usage: usage, Destination: dest}
}

func stringFlag(dest *string, name, usage string, aliases ...string) cli.Flag {
	return &cli.StringFlag{Name: name, Aliases: aliases, Usage: usage, Destination: dest}
}

// listFlag is a flag that is repeated for more values.
func listFlag(dest *[]string, name, usage string) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: (*list)(dest)}
}

// list collects the values of a repeated flag.
type list []string

// Set adds a value.
func (l *list) Set(v string) error {
	*l = append(*l, v)
	return nil
}

// String joins the values, for messages.
func (l *list) String() string { return strings.Join(*l, " ") }

// splitsOnCommas reports whether a list flag also takes several values at once.
func splitsOnCommas(name string) bool { return name == "host" || name == "for" }

// globalFlags returns the flags of "Everywhere" that c takes.
func globalFlags(e *env, c *command) []cli.Flag {
	o := &e.opts
	flags := []cli.Flag{
		stringFlag(&o.home, "home", "Pinion's own directory is `DIR` (PINION_HOME)"),
		stringFlag(&o.dir, "C", "run as if started in `DIR`"),
		boolFlag(&o.offline, "offline", "make no request to another machine"),
		boolFlag(&o.quiet, "quiet", "only the result and errors", "q"),
		boolFlag(&o.verbose, "verbose", "say more on stderr", "v"),
		boolFlag(&o.noColor, "no-color", "no colour (NO_COLOR)"),
		boolFlag(&o.noProgress, "no-progress", "no progress display"),
		boolFlag(&o.yes, "yes", "go on without asking; grants nothing", "y"),
		boolFlag(&o.dryRun, "dry-run", "print what would change, write nothing", "n"),
		boolFlag(new(bool), "help", "what the command does, with examples", "h"),
	}
	if c.scope {
		flags = append(flags, boolFlag(&o.project, "project", "this project instead of this user"))
	}
	if c.result || c.reports {
		flags = append(flags,
			boolFlag(&o.json, "json", "the result as one JSON document (= --format json)"),
			stringFlag(&o.format, "format", "the result as `FORMAT`: "+strings.Join(c.formats(), ", ")))
	}
	if c.reports {
		flags = append(flags, listFlag(&o.reports, "report", "also write the result to `FILE`: .sarif, .xml (JUnit), .json, .md"))
	}
	return flags
}

// isGlobal reports whether help lists a flag once for all commands.
func isGlobal(name string) bool {
	switch name {
	case "home", "C", "offline", "quiet", "verbose", "no-color", "no-progress", "yes", "help", "dry-run":
		return true
	}
	return false
}

// Flags that several commands share.

func versionFlag(dest *string) cli.Flag {
	return stringFlag(dest, "version", "the version `V` of the plugin")
}

func allowFlag(dest *[]string) cli.Flag {
	return listFlag(dest, "allow", "consent to `GRANT`: extension (adds hooks, tools or UI to the agent), computer (runs programs with your files and network), new-capability (more than you consented to before), rewritten (other bytes under a known version)")
}
