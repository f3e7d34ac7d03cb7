package agentskill

import (
	"strings"

	"pinion/tree"
)

// maxID is the longest name of a package: what the desktop hosts accept.
const maxID = 128

// IsID reports whether name can be the directory of an installed package on
// every system: ASCII letters, digits, ".", "_" and "-", beginning with a letter
// or digit (security 3.1 row 14; upper case, "_" and "." are what hosts accept
// beyond it).
func IsID(name string) bool {
	if name == "" || len(name) > maxID || !isAlnum(name[0]) {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return tree.CheckPath(name) == "" && tree.CheckPortable(name) == ""
}

// nameFault returns why name is not one of the Agent Skills specification, or "".
func nameFault(name string) string {
	switch {
	case len(name) > 64:
		return "is longer than 64 characters"
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-"):
		return `begins or ends with "-"`
	case strings.Contains(name, "--"):
		return `contains "--"`
	}
	for i := range len(name) {
		if c := name[i]; c != '-' && !('a' <= c && c <= 'z' || '0' <= c && c <= '9') {
			return `has characters other than lower case letters, digits and "-"`
		}
	}
	return ""
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
