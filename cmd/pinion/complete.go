package main

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion"
	"pinion/internal/ui"
)

// completeWord is the hidden command that the shells' scripts run with the
// words typed so far, the last of which is to be completed. It prints one
// candidate on a line, with its description after a tab, or `:files` where a
// file is wanted.
const completeWord = "__complete"

// candidate is one proposal.
type candidate struct{ value, about string }

// wantFiles asks the shell for its own completion of files.
const wantFiles = ":files"

// complete prints the candidates for the last of words. It never fails: a
// completion that cannot be made is none.
func complete(ctx context.Context, e *env, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	var b bytes.Buffer
	for _, c := range candidates(ctx, e, before, current) {
		if c.value == wantFiles {
			b.WriteString(wantFiles + "\n")
			continue
		}
		if strings.HasPrefix(c.value, current) && isInert(c.value) {
			b.WriteString(c.value + "\t" + ui.Escape(c.about) + "\n")
		}
	}
	_, err := e.Out.Write(b.Bytes())
	return err
}

// isInert reports whether a shell takes the value as it is. Ids come from
// strangers' catalogs, and a shell inserts a completion unquoted.
func isInert(value string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9._+@:/=|-]+$`).MatchString(value)
}

func candidates(ctx context.Context, e *env, before []string, current string) []candidate {
	list := commands(e)
	all := flagsOf(list...)
	delete(all, "version")
	rough, err := split(before, all, true)
	if err != nil {
		return nil
	}
	var c *command
	var rest []string
	if len(rough.args) > 0 {
		if found, used, err := resolve(list, rough.args); err == nil {
			c, rest = found, rough.args[used:]
		} else {
			return verbsOf(list, rough.args)
		}
	}
	set := flagsOf(lookup(list, "help"))
	if c != nil {
		set = flagsOf(c)
	}
	if f := awaiting(before, set); f != nil {
		return valuesOf(f, c)
	}
	if strings.HasPrefix(current, "-") {
		return flagCandidates(set)
	}
	if c == nil {
		return firstWords(list)
	}
	var out []candidate
	if len(rest) == 0 {
		out = verbsOf(list, []string{c.Name})
	}
	if a, ok := argAt(c, len(rest)); ok {
		out = append(out, argCandidates(ctx, e, list, a, current)...)
	}
	return out
}

// awaiting returns the flag whose value comes next, or nil.
func awaiting(before []string, set flagSet) cli.Flag {
	if len(before) == 0 || slices.Contains(before, "--") {
		return nil
	}
	last := before[len(before)-1]
	if !strings.HasPrefix(last, "-") || strings.Contains(last, "=") {
		return nil
	}
	if f := set[strings.TrimLeft(last, "-")]; f != nil && takesValue(f) {
		return f
	}
	return nil
}

// valuesOf returns the values that a flag may have.
func valuesOf(f cli.Flag, c *command) []candidate {
	switch f.Names()[0] {
	case "format":
		return plain(c.formats()...)
	case "allow":
		return []candidate{
			{"extension", "adds hooks, tools or UI to the agent"},
			{"computer", "runs programs with your files and network"},
			{"new-capability", "more than you consented to before"},
			{"rewritten", "other bytes under a known version"},
		}
	case "fail-on":
		return plain("any")
	case "accept":
		return plain("history/rewritten", "source/moved", "source/tag-moved", "catalog/digests-dropped")
	case "home", "C", "report", "output", "base":
		return plain(wantFiles)
	}
	return nil
}

func plain(values ...string) []candidate {
	out := make([]candidate, len(values))
	for i, v := range values {
		out[i].value = v
	}
	return out
}

func flagCandidates(set flagSet) []candidate {
	var out []candidate
	for name, f := range set {
		if len(name) > 1 {
			out = append(out, candidate{"--" + name, flagText(f)})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return strings.Compare(a.value, b.value) })
	return out
}

// firstWords returns the commands and nouns a line may begin with.
func firstWords(list []*command) []candidate {
	var out []candidate
	for _, c := range list {
		noun, _, ok := strings.Cut(c.Name, " ")
		if c.hidden {
			continue
		}
		if !ok {
			out = append(out, candidate{c.Name, c.Usage})
		} else if lookup(list, noun) == nil && !slices.ContainsFunc(out, func(c candidate) bool { return c.value == noun }) {
			out = append(out, candidate{noun, "add, refresh, list and remove marketplaces"})
		}
	}
	return out
}

// verbsOf returns the verbs of a noun.
func verbsOf(list []*command, words []string) []candidate {
	if len(words) != 1 {
		return nil
	}
	var out []candidate
	for _, c := range list {
		if verb, ok := strings.CutPrefix(c.Name, synonym(words[0])+" "); ok {
			out = append(out, candidate{verb, c.Usage})
		}
	}
	return out
}

// argAt returns the argument that the n-th word of a command is.
func argAt(c *command, n int) (arg, bool) {
	if n < len(c.args) {
		return c.args[n], true
	}
	if last := len(c.args) - 1; last >= 0 && c.args[last].many {
		return c.args[last], true
	}
	return arg{}, false
}

func argCandidates(ctx context.Context, e *env, list []*command, a arg, current string) []candidate {
	switch a.kind {
	case onDisk:
		return plain(wantFiles)
	case packageKind:
		return plain("skill", "mcp", "extension")
	case level:
		return plain("patch", "minor", "major")
	case shell:
		return plain(shellNames()...)
	case commandName:
		return firstWords(list)
	case schemaName:
		return plain(pinion.Schemas()...)
	case ruleID:
		return ruleCandidates()
	case hostName:
		var names []string
		for _, a := range pinion.Hosts() {
			names = append(names, a.Info().Name)
		}
		return plain(names...)
	case installed, offered, marketplace:
		return e.stateCandidates(ctx, a.kind, current)
	}
	return nil
}
