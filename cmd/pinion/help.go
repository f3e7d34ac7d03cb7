package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion/internal/ui"
)

func newHelpCmd(e *env) *command {
	return &command{
		Command: &cli.Command{
			Name:        "help",
			Usage:       "what a command does, with examples",
			Description: "Without CMD lists every command, the flags all of them take, and the exit codes.",
			Action: func(c *cli.Context) error {
				return runHelp(c.Context, e, c.Args().Slice())
			},
		},
		section:  about,
		args:     []arg{{name: "CMD", kind: commandName, optional: true, many: true}},
		examples: []example{{"pinion help install", ""}, {"pinion install --help", "the same"}},
	}
}

func runHelp(_ context.Context, e *env, words []string) error {
	return showHelp(e, commands(e), words)
}

// helpWidth is where help text is wrapped.
const helpWidth = 80

// showHelp prints the help of the command or noun that words name, or of
// everything.
func showHelp(e *env, list []*command, words []string) error {
	var b bytes.Buffer
	if len(words) == 0 {
		writeOverview(&b, e.Out, list)
	} else if noun := synonym(words[0]); len(words) == 1 && slices.Contains(nouns(list), noun) && lookup(list, noun) == nil {
		writeNoun(&b, e.Out, list, noun)
	} else {
		if len(words) == 1 && words[0] == "update" {
			words = []string{"upgrade"}
		}
		c, _, err := resolve(list, words)
		if err != nil {
			return err
		}
		writeCommand(&b, e.Out, c)
	}
	_, err := e.Out.Write(b.Bytes())
	return err
}

// showUsual prints what `pinion` alone prints: the ten commands people use.
func showUsual(e *env, list []*command) error {
	groups := []struct {
		title string
		names []string
	}{
		{"Find and install", []string{"marketplace add", "search", "install", "activate"}},
		{"Keep", []string{"list", "upgrade", "rollback"}},
		{"Write and publish", []string{"init", "validate", "build-catalog"}},
	}
	var b bytes.Buffer
	b.WriteString("Pinion: plugins for AI agents, pinned and verified.\n")
	for _, g := range groups {
		b.WriteString("\n" + e.Out.Paint(ui.Bold, g.title) + "\n")
		for _, name := range g.names {
			writeLine(&b, e.Out, lookup(list, name))
		}
	}
	b.WriteString("\npinion help lists every command, pinion help CMD teaches one.\n")
	_, err := e.Out.Write(b.Bytes())
	return err
}

// writeLine writes a command's line in a list.
func writeLine(b *bytes.Buffer, s ui.Stream, c *command) {
	fmt.Fprintf(b, "  %s %s\n", s.Paint(ui.Cyan, fmt.Sprintf("%-20s", c.Name)), c.Usage)
}

func writeOverview(b *bytes.Buffer, s ui.Stream, list []*command) {
	b.WriteString("usage: pinion COMMAND [ARGUMENT…] [FLAG…]\n")
	for sec := authors; sec <= about; sec++ {
		b.WriteString("\n" + s.Paint(ui.Bold, sec.title()) + "\n")
		for _, c := range list {
			if c.section == sec && !c.hidden {
				writeLine(b, s, c)
			}
		}
	}
	b.WriteString("\n" + s.Paint(ui.Bold, "Flags of every command") + "\n")
	writeFlags(b, s, globalsOf(list))
	b.WriteString("\nFlags stand before or after arguments; -- ends them. A list repeats its flag.\n")
	b.WriteString("\n" + s.Paint(ui.Bold, "Exit codes") + "\n")
	for _, e := range exitCodes() {
		writeHanging(b, "  ", fmt.Sprintf("%-4d ", e.Code), e.Meaning)
	}
}

// globalsOf returns the flags that every command has.
func globalsOf(list []*command) []cli.Flag {
	var out []cli.Flag
	for _, f := range lookup(list, "help").Flags {
		if isGlobal(f.Names()[0]) {
			out = append(out, f)
		}
	}
	return append(out, &cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print Pinion's version"})
}

func writeNoun(b *bytes.Buffer, s ui.Stream, list []*command, noun string) {
	fmt.Fprintf(b, "usage: pinion %s VERB\n\n", noun)
	for _, c := range list {
		if strings.HasPrefix(c.Name, noun+" ") {
			writeLine(b, s, c)
		}
	}
	fmt.Fprintf(b, "\npinion help %s VERB teaches one.\n", noun)
}

func writeCommand(b *bytes.Buffer, s ui.Stream, c *command) {
	fmt.Fprintf(b, "%s: %s\n\n", s.Paint(ui.Bold, "pinion "+c.Name), c.Usage)
	b.WriteString("usage: " + c.usage() + "\n\n")
	writeHanging(b, "", "", c.Description)
	if own := ownFlags(c); len(own) > 0 {
		b.WriteString("\n" + s.Paint(ui.Bold, "Flags") + "\n")
		writeFlags(b, s, own)
	}
	b.WriteString("\n" + s.Paint(ui.Bold, "Examples") + "\n")
	for _, x := range c.examples {
		b.WriteString("  " + x.line + "\n")
		if x.about != "" {
			b.WriteString("      " + x.about + "\n")
		}
	}
	b.WriteString("\n" + s.Paint(ui.Bold, "Exit codes") + "\n")
	for _, e := range exitsOf(c) {
		writeHanging(b, "  ", fmt.Sprintf("%-4d ", e.Code), e.Meaning)
	}
	b.WriteString("\npinion help lists the flags of every command.\n")
}

// ownFlags returns the flags that help lists with c: its own, and those of the
// global ones that matter only to some commands.
func ownFlags(c *command) []cli.Flag {
	var out []cli.Flag
	for _, f := range c.Flags {
		name := f.Names()[0]
		if !isGlobal(name) || c.changes && (name == "dry-run" || name == "yes") {
			out = append(out, f)
		}
	}
	return out
}

// exitsOf returns the lines of the exit code table that concern c.
func exitsOf(c *command) []exitCode {
	var out []exitCode
	for _, e := range exitCodes() {
		if e.Code <= exitUsage || slices.Contains(c.exits, e.Code) {
			out = append(out, e)
		}
	}
	return out
}

func writeFlags(b *bytes.Buffer, s ui.Stream, flags []cli.Flag) {
	const column = 24
	for _, f := range flags {
		head := flagHead(f)
		text := flagText(f)
		if len(head) > column-4 {
			b.WriteString("  " + s.Paint(ui.Cyan, head) + "\n")
			writeHanging(b, strings.Repeat(" ", column), "", text)
			continue
		}
		var lines bytes.Buffer
		writeHanging(&lines, strings.Repeat(" ", column), "", text)
		b.WriteString("  " + s.Paint(ui.Cyan, head) + strings.TrimPrefix(lines.String(), strings.Repeat(" ", len(head)+2)))
	}
}

// flagHead returns a flag's names and the name of its value: "-o, --output FILE".
func flagHead(f cli.Flag) string {
	var short, long []string
	for _, name := range f.Names() {
		if len(name) == 1 {
			short = append(short, "-"+name)
		} else {
			long = append(long, "--"+name)
		}
	}
	head := strings.Join(append(short, long...), ", ")
	if takesValue(f) {
		head += " " + placeholder(f)
	}
	return head
}

// flagText returns the usage of a flag as prose.
func flagText(f cli.Flag) string {
	doc, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	return strings.ReplaceAll(doc.GetUsage(), "`", "")
}

// writeHanging writes text wrapped to the help's width; head stands before the
// first line, after indent, and later lines begin below the text.
func writeHanging(b *bytes.Buffer, indent, head, text string) {
	prefix, next := indent+head, indent+strings.Repeat(" ", len(head))
	line := prefix
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > helpWidth {
			b.WriteString(line + "\n")
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
