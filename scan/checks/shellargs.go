package checks

import (
	"strings"

	"pinion/internal/syntax"
)

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// baseName returns a program's name as systems that ignore case see it.
func baseName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		path = path[i+1:]
	}
	return strings.TrimSuffix(strings.ToLower(path), ".exe")
}

// wrapped returns at which argument the command begins that a wrapper such as
// sudo runs, 0 when the program is no wrapper.
func wrapped(name string, args []shellArg) int {
	valued := "" // options of one letter that take the next word
	skip := 0    // words before the command that are no options
	switch name {
	case "sudo":
		valued = "ughpCDRTU"
	case "doas":
		valued = "uC"
	case "env":
		valued = "uC"
	case "nice":
		valued = "n"
	case "ionice":
		valued = "cnp"
	case "timeout", "gtimeout":
		valued, skip = "ks", 1
	case "chroot":
		skip = 1
	case "exec":
		valued = "a"
	case "xargs", "gxargs":
		valued = "IiLnPsdEa"
	case "stdbuf":
		valued = "ioe"
	case "time":
		valued = "fo"
	case "nohup", "setsid", "builtin", "unbuffer", "caffeinate", "busybox", "toybox", "then", "do", "else", "command", "arch", "chronic":
	default:
		return 0
	}
	if name == "command" && len(args) > 1 && (args[1].text == "-v" || args[1].text == "-V") {
		return 0
	}
	i := 1
	for i < len(args) {
		a := args[i].text
		switch {
		case a == "--":
			i++
		case len(a) > 1 && a[0] == '-':
			i++
			if len(a) == 2 && strings.Contains(valued, a[1:]) {
				i++
			}
			if name == "env" && (a == "-S" || a == "--split-string") { // the rest is one string
				return i
			}
			continue
		case skip > 0:
			skip--
			i++
			continue
		}
		break
	}
	return i
}

// texts returns the arguments as they are after expansion.
func (c *shellCall) texts() []string {
	out := make([]string, len(c.args))
	for i, a := range c.args {
		out[i] = a.text
	}
	return out
}

// has reports whether one of the arguments is one of the words.
func (c *shellCall) has(words ...string) bool {
	for _, a := range c.args {
		for _, w := range words {
			if a.text == w {
				return true
			}
		}
	}
	return false
}

// flag reports whether an option of one letter is set, alone or among others as
// in "-rf".
func (c *shellCall) flag(letters string) bool {
	for _, a := range c.args {
		if len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text[1:], letters) {
			return true
		}
		if a.text == "--" {
			break
		}
	}
	return false
}

// value returns the argument behind the first of some options, also of
// "--option=value" and "-ovalue".
func (c *shellCall) value(options ...string) (string, int) {
	for i, a := range c.args {
		for _, o := range options {
			switch {
			case a.text == o && i+1 < len(c.args):
				return c.args[i+1].text, i + 1
			case strings.HasPrefix(o, "--") && strings.HasPrefix(a.text, o+"="):
				return a.text[len(o)+1:], i
			case len(o) == 2 && o[0] == '-' && o[1] != '-' && len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-':
				// The last of joined letters takes the next word: -fsSLo FILE.
				if a.text[len(a.text)-1] == o[1] && i+1 < len(c.args) {
					return c.args[i+1].text, i + 1
				}
			}
		}
	}
	return "", -1
}

// short returns the value of an option of one letter, alone ("-o FILE"), joined
// ("-oFILE") or behind others ("-sSo FILE"). valued are the letters that take a
// value, so that the "o" of "-Hfoo" is none.
func (c *shellCall) short(letter byte, valued string) (string, bool) {
	for i, a := range c.args {
		if len(a.text) < 2 || a.text[0] != '-' || a.text[1] == '-' {
			continue
		}
		for k := 1; k < len(a.text); k++ {
			takes := strings.IndexByte(valued, a.text[k]) >= 0
			switch {
			case a.text[k] != letter:
			case !takes:
				return "", true
			case k+1 < len(a.text):
				return a.text[k+1:], true
			case i+1 < len(c.args):
				return c.args[i+1].text, true
			default:
				return "", true
			}
			if takes {
				break
			}
		}
	}
	return "", false
}

// operands returns the arguments that are no options. Values of options are
// among them unless they are joined to theirs.
func (c *shellCall) operands() []shellArg {
	var out []shellArg
	for i, a := range c.args {
		if a.text == "--" {
			return append(out, c.args[i+1:]...)
		}
		if len(a.text) > 0 && a.text[0] == '-' && a.text != "-" {
			continue
		}
		out = append(out, a)
	}
	return out
}

func (c *shellCall) wrappedBy(names ...string) bool {
	for _, u := range c.under {
		for _, n := range names {
			if u == n {
				return true
			}
		}
	}
	return false
}

// word returns the word of the script that an argument comes from.
func (c *shellCall) word(a shellArg) syntax.Word { return c.Words[min(a.word, len(c.Words)-1)] }
