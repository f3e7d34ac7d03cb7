package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pinion"
	"pinion/internal/syntax"
	"pinion/internal/ui"
)

// globals are the options that every command takes.
type globals struct {
	home       string // --home, "" for the default
	dir        string // -C as typed, "" for the working directory
	offline    bool
	quiet      bool
	verbose    bool
	noColor    bool
	noProgress bool
	yes        bool
	dryRun     bool
	project    bool
	json       bool
	format     string // --format as typed
	reports    []string
}

// env is what a command runs in. Everything a command needs from outside comes
// through it, so that commands run in a test's process as well.
type env struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	now    func() time.Time

	opts   globals
	format string // the chosen format, never ""
	cwd    string // absolute; where relative paths start
	*ui.Console
	prompt *ui.Prompter
	lib    *pinion.Client // made by client

	manyFiles bool  // the command reads packages from disk: see useAllCores
	memory    int64 // what it should need for that, in bytes; 0 is not known
	waited    int64 // what waits said when the reading began
}

// prepare checks the global options and sets up what depends on them.
func (e *env) prepare(c *command) error {
	if err := e.chooseFormat(c); err != nil {
		return err
	}
	for _, name := range e.opts.reports {
		if _, ok := ui.FileReporter(name); !ok {
			return usagef("the format follows from the ending: "+strings.Join(ui.FileEndings(), ", "),
				"--report %q: unknown ending", name)
		}
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	e.cwd = e.at(cwd, e.opts.dir)
	if e.opts.dir != "" {
		if info, err := os.Stat(e.cwd); err != nil || !info.IsDir() {
			return usagef("", "-C %s: no such directory", e.opts.dir)
		}
	}
	e.Console = ui.NewConsole(e.stdout, e.stderr, e.look(), e.getenv)
	e.prompt = ui.NewPrompter(e.Console)
	return nil
}

func (e *env) look() ui.Options {
	return ui.Options{
		NoColor: e.opts.noColor, NoProgress: e.opts.noProgress,
		Quiet: e.opts.quiet, Plain: e.format != ui.FormatText, Document: e.asJSON(),
	}
}

// chooseFormat settles --json and --format for a command.
func (e *env) chooseFormat(c *command) error {
	e.format = ui.FormatText
	switch {
	case e.opts.json && e.opts.format != "" && e.opts.format != ui.FormatJSON:
		return usagef("--json is --format json; give one of them", "--json and --format %s contradict each other", e.opts.format)
	case e.opts.json:
		e.format = ui.FormatJSON
	case e.opts.format != "":
		e.format = e.opts.format
	}
	allowed := c.formats()
	if !slices.Contains(allowed, e.format) {
		hint := "one of " + strings.Join(allowed, ", ")
		if near, ok := syntax.Nearest(e.format, allowed); ok {
			hint = fmt.Sprintf("did you mean %q? %s", near, hint)
		}
		return usagef(hint, "--format %q is not a format of %s", e.format, c.Name)
	}
	return nil
}

// at returns the absolute form of path, as seen from dir.
func (*env) at(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// path returns the absolute form of a path the user typed.
func (e *env) path(typed string) string { return e.at(e.cwd, typed) }

// asJSON reports whether the result is one JSON document.
func (e *env) asJSON() bool { return e.format == ui.FormatJSON }

// printJSON writes the result document.
func (e *env) printJSON(v any) error { return ui.WriteJSON(e.Out, v) }

// errDeclined is a question that was answered with no.
var errDeclined error = declined{errors.New("stopped: you said no")}

// declined gives the answer no its exit code.
type declined struct{ error }

// ExitCode is that of missing consent.
func (declined) ExitCode() int { return exitConsent }
