package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion/internal/ui"
)

// section is where help lists a command.
type section uint8

// The sections, in the order of the help.
const (
	authors section = iota
	markets
	users
	projects
	about
)

// title returns the heading of a section.
func (s section) title() string {
	switch s {
	case authors:
		return "Write and publish plugins"
	case markets:
		return "Marketplaces"
	case users:
		return "Install and use plugins"
	case projects:
		return "Projects and upkeep"
	}
	return "About Pinion"
}

// kind says what an argument names, for completion.
type kind uint8

// The kinds of arguments.
const (
	anything    kind = iota
	onDisk           // a file or directory
	offered          // a plugin of a marketplace
	installed        // an installed plugin
	marketplace      // a marketplace's alias
	hostName         // a program that plugins can be given to
	packageKind      // skill, mcp, extension
	ruleID
	level // patch, minor, major
	shell
	commandName
	schemaName
)

// arg is one positional argument.
type arg struct {
	name     string // as help shows it: "REF"
	kind     kind
	optional bool
	many     bool
}

// String returns the argument as usage shows it: "REF…", "[DIR]".
func (a arg) String() string {
	s := a.name
	if a.many {
		s += "…"
	}
	if a.optional {
		s = "[" + s + "]"
	}
	return s
}

// example is a command line and what it is for.
type example struct{ line, about string }

// command is a command line's verb with everything that help, completion and
// the man page say about it. Name has a space when the verb belongs to a noun:
// "marketplace add".
type command struct {
	*cli.Command
	section  section
	args     []arg
	examples []example
	exits    []int // the codes it may return beside 0, 1 and 2

	scope   bool // takes --project
	changes bool // changes state: --dry-run and --yes have an effect
	result  bool // prints a result: takes --json
	reports bool // reports problems: takes every --format, and --report
	hidden  bool // not in help: for the project itself
}

// usage returns the command line's form, without the flags.
func (c *command) usage() string {
	parts := []string{"pinion", c.Name}
	for _, a := range c.args {
		parts = append(parts, a.String())
	}
	return strings.Join(parts, " ")
}

// formats returns the words that --format takes here.
func (c *command) formats() []string {
	if c.reports {
		return ui.Formats()
	}
	return []string{ui.FormatText, ui.FormatJSON}
}

// count returns how many arguments are needed and allowed; most is -1 for any
// number.
func (c *command) count() (least, most int) {
	for _, a := range c.args {
		if !a.optional {
			least++
		}
		if a.many {
			most = -1
		} else if most >= 0 {
			most++
		}
	}
	return least, most
}

// checkArgs returns a usage error when the number of arguments is wrong.
func (c *command) checkArgs(args []string) error {
	least, most := c.count()
	hint := "usage: " + c.usage()
	switch {
	case len(args) < least:
		if tip := bareTip(c.Name); tip != "" && len(args) == 0 {
			hint += "\n" + tip
		}
		return usagef(hint, "%s needs %s", c.Name, c.args[len(args)].name)
	case most >= 0 && len(args) > most:
		return usagef(hint, "%s takes no argument %q", c.Name, args[most])
	}
	return nil
}

// maker makes the command with the name.
type maker struct {
	name string
	make func(e *env) *command
}

// makers returns what makes every command, in the order of the help. A command
// is one file and one line here.
func makers() []maker {
	return []maker{
		{"init", newInitCmd},
		{"validate", newValidateCmd},
		{"bump", newBumpCmd},
		{"hash", newHashCmd},
		{"pack", newPackCmd},
		{"build-catalog", newBuildCatalogCmd},
		{"scan", newScanCmd},
		{"check-pr", newCheckPRCmd},
		{"diff", newDiffCmd},
		{"sbom", newSBOMCmd},
		{"rules", newRulesCmd},
		{"explain", newExplainCmd},

		{"marketplace add", newMarketplaceAddCmd},
		{"marketplace list", newMarketplaceListCmd},
		{"marketplace info", newMarketplaceInfoCmd},
		{"marketplace refresh", newMarketplaceRefreshCmd},
		{"marketplace remove", newMarketplaceRemoveCmd},
		{"search", newSearchCmd},
		{"info", newInfoCmd},

		{"install", newInstallCmd},
		{"activate", newActivateCmd},
		{"disable", newDisableCmd},
		{"enable", newEnableCmd},
		{"rollback", newRollbackCmd},
		{"list", newListCmd},
		{"history", newHistoryCmd},
		{"path", newPathCmd},
		{"status", newStatusCmd},
		{"outdated", newOutdatedCmd},
		{"upgrade", newUpgradeCmd},
		{"hold", newHoldCmd},
		{"unhold", newUnholdCmd},
		{"uninstall", newUninstallCmd},

		{"host list", newHostListCmd},
		{"host link", newHostLinkCmd},
		{"host unlink", newHostUnlinkCmd},
		{"host status", newHostStatusCmd},
		{"host import", newHostImportCmd},

		{"lock", newLockCmd},
		{"lock import", newLockImportCmd},
		{"sync", newSyncCmd},
		{"verify", newVerifyCmd},
		{"gc", newGCCmd},
		{"doctor", newDoctorCmd},

		{"schema", newSchemaCmd},
		{"completion", newCompletionCmd},
		{"man", newManCmd},
		{"help", newHelpCmd},
		{"version", newVersionCmd},
		{"docs", newDocsCmd},
		{scanWorker, newScanWorkerCmd},
	}
}

// commands returns every command, in the order of the help.
func commands(e *env) []*command {
	var list []*command
	for _, m := range makers() {
		list = append(list, m.command(e))
	}
	return list
}

// command makes the command with all of its flags.
func (m maker) command(e *env) *command {
	c := m.make(e)
	c.Flags = slices.Concat(c.Flags, globalFlags(e, c))
	c.HideHelp = true
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error {
		text := strings.Replace(err.Error(), "for flag -", "for --", 1)
		// Only numbers and switches can be unreadable, and both read badly.
		text = strings.TrimSuffix(text, ": parse error")
		return usagef("usage: "+c.usage(), "%s", text)
	}
	return c
}

// nouns returns the words that verbs belong to.
func nouns(list []*command) []string {
	var out []string
	for _, c := range list {
		if noun, _, ok := strings.Cut(c.Name, " "); ok && !slices.Contains(out, noun) {
			out = append(out, noun)
		}
	}
	return out
}

// lookup returns the command of that name, or nil.
func lookup(list []*command, name string) *command {
	for _, c := range list {
		if c.Name == name {
			return c
		}
	}
	return nil
}
