package catalog

import (
	"slices"
	"strings"
)

// reservedNames are Anthropic's own marketplaces (formats 1.1.1).
func reservedNames() []string {
	return []string{
		"claude-code-marketplace", "claude-code-plugins", "claude-plugins-official", "claude-plugins-community",
		"claude-community", "anthropic-marketplace", "anthropic-plugins", "agent-skills", "anthropic-agent-skills",
		"knowledge-work-plugins", "life-sciences", "claude-for-legal", "claude-for-financial-services",
		"financial-services-plugins", "first-party-plugins", "healthcare",
	}
}

// hostWords are names that a host or Pinion uses for something else.
func hostWords() []string {
	return []string{"inline", "org", "org-provisioned", "unknown", "local", "direct", "import", "builtin"}
}

// reservedWhy returns why a marketplace of this name may be refused, or "".
func reservedWhy(name string) string {
	switch {
	case slices.Contains(reservedNames(), name):
		return "is one of Anthropic's own marketplaces; Claude Code refuses it from any other repository"
	case slices.Contains(hostWords(), name):
		return "is a word that hosts and Pinion use for something else"
	}
	for _, r := range reservedNames() {
		if skeleton(name) == skeleton(r) {
			return "looks like " + r + ", one of Anthropic's own marketplaces"
		}
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	if slices.Contains(words, "anthropic") || slices.Contains(words, "anthropics") ||
		slices.Contains(words, "claude") && slices.Contains(words, "official") {
		return "looks like a marketplace of Anthropic; Claude Code refuses such names from others"
	}
	return ""
}

// skeleton is what remains of a name for an eye that reads over it: no case, no
// separators, no version at the end, digits as the letters they stand for.
func skeleton(name string) string {
	s := strings.ToLower(name)
	if i := strings.LastIndexAny(s, "-_."); i > 0 && strings.Trim(s[i+1:], "v0123456789") == "" {
		s = s[:i]
	}
	return strings.NewReplacer("-", "", "_", "", ".", "", "0", "o", "1", "l", "3", "e", "5", "s").Replace(s)
}
