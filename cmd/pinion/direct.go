package main

import (
	"slices"
	"strings"
)

// direct reads the usual line, in which a command's name comes before its
// flags, without making the other commands: that is most of what starting costs beside the
// libraries. ok is false for every other line, for a question (--help), and for
// one with a mistake; these are read the long way, which knows all commands.
func direct(e *env, args []string) (c *command, line parsed, ok bool) {
	before := globalsBefore(args)
	m, used := leading(args[before:])
	if used == 0 {
		return nil, parsed{}, false
	}
	c = m.command(e)
	set := flagsOf(c)
	line, err := split(slices.Concat(args[:before], args[before+used:]), set, false)
	if err != nil || line.wants("help", "h") || set["version"] == nil && line.wants("version") {
		return nil, parsed{}, false
	}
	return c, line, true
}

// globalsBefore returns how many of the words are flags that every command
// takes, and their values, before anything else.
func globalsBefore(args []string) int {
	for i := 0; i < len(args); i++ {
		switch name, _, value := strings.Cut(args[i], "="); {
		case name == "--home" && !value, name == "-C" && !value:
			i++
		case name == "--home", name == "--offline", name == "--quiet", name == "-q", name == "--yes", name == "-y":
		default:
			return i
		}
	}
	return len(args)
}

// leading returns what makes the command that the first words name exactly, and
// how many words its name has, 0 when there is none. A noun needs its verb.
func leading(args []string) (m maker, words int) {
	if len(args) == 0 {
		return maker{}, 0
	}
	noun := false
	for _, candidate := range makers() {
		first, verb, two := strings.Cut(candidate.name, " ")
		switch {
		case first != args[0]:
		case !two:
			m, words = candidate, 1
		case len(args) > 1 && verb == args[1]:
			return candidate, 2
		default:
			noun = true
		}
	}
	if noun {
		return maker{}, 0 // the verb may come later, or be another word for it
	}
	return m, words
}
