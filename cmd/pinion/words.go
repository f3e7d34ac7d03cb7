package main

import (
	"fmt"
	"slices"
	"strings"

	"pinion/internal/syntax"
)

// synonym returns the command that a word other tools use stands for.
func synonym(word string) string {
	switch word {
	case "ls":
		return "list"
	case "rm", "remove":
		return "uninstall"
	case "add":
		return "install"
	case "update":
		return "upgrade"
	case "refresh":
		return "marketplace refresh"
	case "market":
		return "marketplace"
	case "deactivate":
		return "disable"
	case "ci":
		return "sync"
	}
	return word
}

// nounSynonym is synonym for the word after a noun.
func nounSynonym(noun, verb string) string {
	switch {
	case verb == "ls":
		return "list"
	case verb == "rm":
		return "remove"
	case noun == "marketplace" && (verb == "update" || verb == "upgrade"):
		return "refresh"
	}
	return verb
}

// isLocalVerb reports whether `plugin VERB` is about local command-line
// plugins, which are not marketplace plugins.
func isLocalVerb(verb string) bool {
	return slices.Contains([]string{"init", "list", "ls", "path", "remove", "rm", "run"}, verb)
}

// bareTip says what a verb without arguments may have been meant for.
func bareTip(name string) string {
	if name != "install" && name != "upgrade" {
		return ""
	}
	return "new catalogs: pinion marketplace refresh\n" +
		"newest versions of what is installed: pinion upgrade\n" +
		"what pinion.lock says: pinion sync"
}

// resolve finds the command that the leading words name, and how many of the
// words are its name. words are all positional arguments, of which there is at
// least one.
func resolve(list []*command, words []string) (c *command, used int, err error) {
	used = 1
	word := words[0]
	if word == "plugin" || word == "plugins" {
		if len(words) == 1 {
			return nil, 0, usagef("installed plugins: pinion list", "%s needs a verb", word)
		}
		if word == "plugin" && isLocalVerb(words[1]) {
			return nil, 0, usagef("for plugins of marketplaces: pinion plugins "+words[1],
				"plugin %s is about local command-line plugins, which this version does not have", words[1])
		}
		word, used = words[1], 2
	}
	if word == "update" && len(words) == used {
		return nil, 0, usagef(bareTip("upgrade"), "update alone could mean several things")
	}
	name := synonym(word)
	if slices.Contains(nouns(list), name) {
		if len(words) > used {
			verb := nounSynonym(name, words[used])
			if c := lookup(list, name+" "+verb); c != nil {
				return c, used + 1, nil
			}
		}
		if c := lookup(list, name); c != nil {
			return c, used, nil
		}
		return nil, 0, unknownVerb(list, name, words[used:])
	}
	if c := lookup(list, name); c != nil {
		return c, used, nil
	}
	return nil, 0, unknownCommand(list, word)
}

// unknownVerb is the error for a noun without a verb it has.
func unknownVerb(list []*command, noun string, rest []string) error {
	var verbs []string
	for _, c := range list {
		if verb, ok := strings.CutPrefix(c.Name, noun+" "); ok {
			verbs = append(verbs, verb)
		}
	}
	hint := fmt.Sprintf("pinion %s %s", noun, strings.Join(verbs, "|"))
	if len(rest) == 0 {
		return usagef(hint, "%s needs a verb", noun)
	}
	if near, ok := syntax.Nearest(rest[0], verbs); ok {
		hint = fmt.Sprintf("did you mean %q? %s", noun+" "+near, hint)
	}
	return usagef(hint, "unknown command %q", noun+" "+rest[0])
}

// unknownCommand is the error for a word that is no command; it names the
// nearest one.
func unknownCommand(list []*command, word string) error {
	hint := "pinion help lists every command"
	if near, ok := nearestCommand(list, word); ok {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return usagef(hint, "unknown command %q", word)
}

// nearestCommand guesses what a word was meant to be: a misspelling, the last
// word of a command ("refersh"), or a part of one ("catalog").
func nearestCommand(list []*command, word string) (string, bool) {
	names := []string{}
	full := map[string]string{}
	for _, c := range list {
		if c.hidden {
			continue
		}
		names = append(names, c.Name)
		full[c.Name] = c.Name
	}
	for _, w := range []string{"refresh", "remove", "update", "deactivate"} {
		names = append(names, w)
		full[w] = synonym(w)
	}
	for _, noun := range nouns(list) {
		names = append(names, noun)
		full[noun] = noun
	}
	if near, ok := syntax.Nearest(word, names); ok {
		return full[near], true
	}
	if len(word) < 3 {
		return "", false
	}
	for _, n := range names {
		if strings.Contains(n, word) {
			return full[n], true
		}
	}
	return "", false
}
