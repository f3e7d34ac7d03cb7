package scan

import "pinion/problem"

// Rule is one kind of finding. Its id is permanent and in the group of its
// family, such as "unicode/tag-characters". Rules are data: `pinion rules`,
// `pinion explain` and the digest of the rule set are made from them.
type Rule struct {
	ID      string
	Level   Level  // the usual weight; a finding may carry another
	Title   string // what was found, one line
	Help    string // what it means, why it matters, what near it is not reported
	Fix     string // what an author does about it
	Example string // content that shows it, defanged; may be empty
	Since   string // the version of Pinion that first reported it
	// Covers are rules whose findings on the same line say less of the same
	// thing. They are left out when they are not graver.
	Covers []string
}

// Problem returns the rule as one of the whole tool.
func (r Rule) Problem() problem.Rule {
	return problem.Rule{
		ID: r.ID, Severity: r.Level.Severity(), Title: r.Title, Help: r.Help, Fix: r.Fix, Example: r.Example, Since: r.Since,
	}
}

// Check is one family: its rules and the code that finds them. The functions
// are called by one goroutine at a time for one package, and keep nothing
// between packages; what they need to share lies in the [Pass].
type Check struct {
	Name  string // "unicode"
	Rules []Rule
	// Form is for families that say how something is written, packed or declared
	// and not what it does. What they find in decoded content is no reason to call
	// the encoding a disguise.
	Form bool

	// Patterns are looked for in every text of the languages they name.
	Patterns []Pattern

	// Hints are lower-case literals. With hints, Text is called only for a text
	// that contains one of them; without, for every text.
	Hints []string
	// Langs limits Text to these languages; nil means all.
	Langs []Lang
	// Text looks at one text, after the patterns did.
	Text func(p *Pass, t *Text)

	// File looks at the bytes of one file, text or not, before its texts.
	File func(p *Pass, f *File)
	// FileEnd looks at the facts that all checks noted for one file.
	FileEnd func(p *Pass, f *File)
	// Package looks at the whole package, after all files.
	Package func(p *Pass)
}
