package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"pinion/internal/ui"
)

// run executes one command line and returns its exit code. It touches nothing
// outside its arguments but the file system and the network.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, now: time.Now}
	e.Console = ui.NewConsole(stdout, stderr, ui.Options{}, getenv)
	if asksVersion(args) {
		// Before any command is built: a program asks for this often.
		if err := printVersion(e); err != nil {
			return exitFailed
		}
		return exitDone
	}
	err := e.execute(ctx, args)
	e.Progress().Stop()
	err = errors.Join(err, e.close())
	if err == nil {
		return exitDone
	}
	// Work that failed because it was interrupted was interrupted, whatever
	// error the interruption became on its way.
	if ctx.Err() != nil && exitOf(err) == exitFailed {
		err = context.Cause(ctx)
	}
	printError(e.Console, e.asJSON() || asksJSON(args), err)
	return exitOf(err)
}

// execute finds the command, parses its flags and runs it.
func (e *env) execute(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == completeWord {
		return complete(ctx, e, args[1:])
	}
	if c, line, ok := direct(e, args); ok {
		return e.parse(ctx, c, line)
	}
	list := commands(e)
	all := flagsOf(list...)
	// Alone it asks for Pinion's version; with some commands it takes one.
	delete(all, "version")
	rough, err := split(args, all, true)
	if err != nil {
		return err
	}
	help := rough.wants("help", "h")
	if len(rough.args) == 0 {
		return e.withoutCommand(list, args, rough)
	}
	if help {
		return showHelp(e, list, rough.args)
	}
	c, used, err := resolve(list, rough.args)
	if err != nil {
		if g, ok := rough.unknown(); ok {
			// Its value may be what was taken for a command.
			return unknownFlag(g.typed, all)
		}
		return err
	}
	set := flagsOf(c)
	if set["version"] == nil && rough.wants("version", "V") || rough.wants("V") {
		return printVersion(e)
	}
	line, err := split(args, set, false)
	if err != nil {
		return err
	}
	// A flag takes a value in every command or in none, so the line has the
	// same words as before.
	line.args = line.args[min(used, len(line.args)):]
	return e.parse(ctx, c, line)
}

// parse gives the line to the flag library, which runs the command.
func (e *env) parse(ctx context.Context, c *command, line parsed) error {
	action := c.Action
	c.Action = func(cc *cli.Context) error {
		if err := e.prepare(c); err != nil {
			return err
		}
		if err := c.checkArgs(cc.Args().Slice()); err != nil {
			return err
		}
		return action(cc)
	}
	app := &cli.App{
		Name: "pinion", HideHelp: true, HideVersion: true,
		DisableSliceFlagSeparator: true,
		Writer:                    e.stdout, ErrWriter: e.stderr, Reader: e.stdin,
		Commands:       []*cli.Command{c.Command},
		ExitErrHandler: func(*cli.Context, error) {},
		// Without a time the library looks at the program's file.
		Compiled: time.Unix(0, 0),
	}
	return app.RunContext(ctx, slices.Concat([]string{"pinion", c.Name}, line.ordered()))
}

// withoutCommand handles a line without any word.
func (e *env) withoutCommand(list []*command, args []string, rough parsed) error {
	if rough.wants("help", "h") {
		return showHelp(e, list, nil)
	}
	if rough.wants("version", "V") {
		return printVersion(e)
	}
	line, err := split(args, flagsOf(lookup(list, "help")), false)
	if err != nil {
		return err
	}
	if len(line.flags) > 0 {
		return usagef("pinion help lists every command", "a command is missing after %s", line.flags[len(line.flags)-1].typed)
	}
	return showUsual(e, list)
}

// asksVersion recognises the lines that only ask for the version.
func asksVersion(args []string) bool {
	return len(args) > 0 && (args[0] == "--version" || args[0] == "-V")
}

// asksJSON reports whether a line asks for JSON, for errors in the line itself.
func asksJSON(args []string) bool {
	for i, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--json", a == "--format=json":
			return true
		case a == "--format" && i+1 < len(args) && args[i+1] == "json":
			return true
		case strings.HasPrefix(a, "--json="):
			return a == "--json=true"
		}
	}
	return false
}
