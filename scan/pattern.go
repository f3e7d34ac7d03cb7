package scan

import (
	"regexp"
	"sync"

	ahocorasick "github.com/BobuSumisu/aho-corasick"
)

// Pattern is a finding by regular expression. Literals are looked for first, in
// one pass for all patterns of all checks; only a line that holds one of them
// meets the expression, which makes a scan about as fast as a search for words.
type Pattern struct {
	Rule string
	// Level replaces the rule's level when it is set; Info is a level like any
	// other.
	Level Level
	// Any are literals in lower case; a line without one of them cannot match.
	Any []string
	// Match is the expression, for one line as it stands in the text.
	Match string
	// Unless is an expression that takes the finding back when the same line
	// matches it: a placeholder, a known installer.
	Unless string
	// Valid, when set, decides whether what Match found counts: a key that is
	// only a placeholder does not.
	Valid func(t *Text, found []byte) bool
	// Langs and Roles limit where it is looked for; nil means everywhere.
	Langs []Lang
	Roles []Role
	// Message says what was found here; the rule's title when empty.
	Message string
	// Fact is noted instead of a finding when it is set; other rules combine it.
	Fact Fact
	// Redact hides the matched text in the evidence.
	Redact bool
}

// compiled is a pattern with its expressions, which are compiled at the first
// line that holds one of its literals.
type compiled struct {
	Pattern
	check         *Check
	match, unless func() *regexp.Regexp
}

// matcher finds which literals a text holds.
type matcher struct {
	trie     *ahocorasick.Trie
	patterns [][]*compiled // by literal
	hints    [][]*Check    // by literal
	all      []*compiled   // patterns without literals
}

func newMatcher(checks []*Check) *matcher {
	m := &matcher{}
	index := map[string]int{}
	var words []string
	slot := func(word string) int {
		i, ok := index[word]
		if !ok {
			i = len(words)
			index[word] = i
			words = append(words, word)
			m.patterns = append(m.patterns, nil)
			m.hints = append(m.hints, nil)
		}
		return i
	}
	for _, c := range checks {
		for _, p := range c.Patterns {
			cp := &compiled{Pattern: p, check: c, match: lazily(p.Match), unless: lazily(p.Unless)}
			for _, w := range p.Any {
				i := slot(w)
				m.patterns[i] = append(m.patterns[i], cp)
			}
			if len(p.Any) == 0 {
				m.all = append(m.all, cp)
			}
		}
		for _, w := range c.Hints {
			i := slot(w)
			m.hints[i] = append(m.hints[i], c)
		}
	}
	m.trie = ahocorasick.NewTrieBuilder().AddStrings(words).Build()
	return m
}

func lazily(expr string) func() *regexp.Regexp {
	if expr == "" {
		return func() *regexp.Regexp { return nil }
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
