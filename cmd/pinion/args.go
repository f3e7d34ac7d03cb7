package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"pinion/internal/syntax"
)

// flagSet finds flags by every name they have.
type flagSet map[string]cli.Flag

// flagsOf returns the flags of the given commands by name. A name takes a value
// in every command or in none (a test holds that), except "version".
func flagsOf(list ...*command) flagSet {
	set := flagSet{}
	for _, c := range list {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				set[name] = f
			}
		}
	}
	return set
}

func takesValue(f cli.Flag) bool {
	doc, ok := f.(cli.DocGenerationFlag)
	return ok && doc.TakesValue()
}

// given is one flag of a command line.
type given struct {
	name  string // as typed, without dashes
	typed string // with dashes, for messages
	flag  cli.Flag
	value string
	has   bool // a value was typed with it
}

// parsed is a command line taken apart: flags may stand anywhere, "--" ends
// them.
type parsed struct {
	flags []given
	args  []string
}

// split takes argv apart by the flags of set. With lenient, a flag that is not
// in set is taken as one without a value, and a missing value is none; this is
// for finding the command's name, after which the line is split again.
func split(argv []string, set flagSet, lenient bool) (parsed, error) {
	var p parsed
	for i := 0; i < len(argv); i++ {
		tok := argv[i]
		switch {
		case tok == "--":
			p.args = append(p.args, argv[i+1:]...)
			return p, nil
		case tok == "-" || !strings.HasPrefix(tok, "-"):
			p.args = append(p.args, tok)
			continue
		}
		found, err := expand(tok, set, lenient)
		if err != nil {
			return parsed{}, err
		}
		for _, g := range found {
			if g.flag != nil && takesValue(g.flag) && !g.has {
				if i+1 >= len(argv) || isFlag(argv[i+1], set) {
					if lenient {
						continue
					}
					return parsed{}, usagef("", "%s needs a value: %s %s", g.typed, g.typed, placeholder(g.flag))
				}
				i++
				g.value, g.has = argv[i], true
			}
			p.flags = append(p.flags, g)
		}
	}
	return p, nil
}

// isFlag reports whether a token is a flag of set, and so not the value of the
// flag before it.
func isFlag(tok string, set flagSet) bool {
	name, ok := strings.CutPrefix(tok, "--")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(name, "=")
	return name == "" || set[name] != nil
}

// expand turns one token into the flags it means: "--name", "--name=value",
// "-n", "-ny", "-oFILE".
func expand(tok string, set flagSet, lenient bool) ([]given, error) {
	if long, ok := strings.CutPrefix(tok, "--"); ok {
		name, value, has := strings.Cut(long, "=")
		g := given{name: name, typed: "--" + name, flag: set[name], value: value, has: has}
		if len(name) == 1 {
			g.flag = nil // a single letter has a single dash
		}
		if g.flag == nil && !lenient {
			return nil, unknownFlag(g.typed, set)
		}
		return []given{g}, nil
	}
	var out []given
	for letters := tok[1:]; letters != ""; {
		name := letters[:1]
		g := given{name: name, typed: "-" + name, flag: set[name]}
		if g.flag == nil {
			if lenient {
				return append(out, g), nil
			}
			return nil, unknownFlag(tok, set)
		}
		letters = letters[1:]
		if takesValue(g.flag) && letters != "" {
			g.value, g.has = strings.TrimPrefix(letters, "="), true
			letters = ""
		}
		out = append(out, g)
	}
	return out, nil
}

// unknownFlag is the error for a flag the command does not have.
func unknownFlag(typed string, set flagSet) error {
	word := strings.TrimLeft(typed, "-")
	var names []string
	for name := range set {
		if len(name) > 1 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	hint := "pinion help CMD lists the flags of a command"
	if slices.Contains(names, word) {
		hint = fmt.Sprintf("did you mean %q?", "--"+word)
	} else if near, ok := syntax.Nearest(word, names); ok {
		hint = fmt.Sprintf("did you mean %q?", "--"+near)
	}
	return usagef(hint, "unknown flag %q", typed)
}

// placeholder returns the name that a flag's usage gives its value.
func placeholder(f cli.Flag) string {
	doc, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return "VALUE"
	}
	_, rest, _ := strings.Cut(doc.GetUsage(), "`")
	if name, _, ok := strings.Cut(rest, "`"); ok {
		return name
	}
	return "VALUE"
}

// ordered returns the line as the flag library reads it: flags by their first
// name, then "--", then the arguments.
func (p parsed) ordered() []string {
	var out []string
	for _, g := range p.flags {
		name := "--" + g.flag.Names()[0]
		if len(g.flag.Names()[0]) == 1 {
			name = name[1:]
		}
		switch {
		case !g.has:
			out = append(out, name)
		case splitsOnCommas(g.flag.Names()[0]):
			for v := range strings.SplitSeq(g.value, ",") {
				if v = strings.TrimSpace(v); v != "" {
					out = append(out, name+"="+v)
				}
			}
		default:
			out = append(out, name+"="+g.value)
		}
	}
	out = append(out, "--")
	return append(out, p.args...)
}

// wants reports whether one of the flags was given.
func (p parsed) wants(names ...string) bool {
	return slices.ContainsFunc(p.flags, func(g given) bool { return slices.Contains(names, g.name) })
}

// unknown returns the first flag that no command has.
func (p parsed) unknown() (given, bool) {
	for _, g := range p.flags {
		if g.flag == nil && g.name != "version" && g.name != "V" {
			return g, true
		}
	}
	return given{}, false
}
