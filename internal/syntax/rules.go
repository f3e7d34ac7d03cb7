package syntax

import "pinion/problem"

var (
	ruleSyntax = problem.Rule{
		ID: "json/syntax", Severity: problem.Error, Since: "0.1.0",
		Title:   "The file is not valid JSON",
		Help:    "JSON has no comments, no trailing commas, no NaN, double quotes only, and one document a file. Hosts that meet anything else usually ignore the whole file without a word. Nesting deeper than 64 and numbers that no computer number can hold are refused too.",
		Fix:     "correct the JSON at this position",
		Example: "{\"name\": \"a\",}   a comma before the closing brace\n{\"name\": \"a\"}    correct",
	}
	ruleEncoding = problem.Rule{
		ID: "json/encoding", Severity: problem.Error, Since: "0.1.0",
		Title:   "The JSON text is not valid Unicode",
		Help:    "JSON is UTF-8. Bytes that are not, and \\u escapes that are half of a surrogate pair, are replaced by some readers and refused by others, so two tools see two different values.",
		Fix:     "save the file as UTF-8 and write the character itself",
		Example: "\"\\ud83d\"        half of a pair\n\"\\ud83d\\ude80\"  correct",
	}
	ruleBOM = problem.Rule{
		ID: "json/bom", Severity: problem.Error, Since: "0.1.0",
		Title: "The file starts with a byte order mark",
		Help:  "Three invisible bytes (EF BB BF) come before the JSON. Many readers refuse such a file, some without saying so.",
		Fix:   "save the file as UTF-8 without BOM, or run pinion validate --fix",
	}
	ruleDuplicate = problem.Rule{
		ID: "json/duplicate-key", Severity: problem.Error, Since: "0.1.0",
		Title:   "A key appears twice in one object",
		Help:    "Readers differ in which of the two they take, so a reviewer and a host can see different content.",
		Fix:     "keep one of the two",
		Example: "{\"name\": \"a\", \"name\": \"b\"}",
	}
	ruleUnknown = problem.Rule{
		ID: "json/unknown-key", Severity: problem.Error, Since: "0.1.0",
		Title:   "A key that the format does not have",
		Help:    "The key would be ignored. Most often it is a misspelling of a known key; case matters.",
		Fix:     "correct the spelling or remove the key",
		Example: "{\"licence\": \"MIT\"}   unknown\n{\"license\": \"MIT\"}   correct",
	}
	ruleType = problem.Rule{
		ID: "json/type", Severity: problem.Error, Since: "0.1.0",
		Title:   "A value of the wrong type",
		Help:    "The key is known, but its value is of another JSON type than the format says, or a number does not fit.",
		Fix:     "write a value of the wanted type",
		Example: "{\"files\": \"a.md\"}     a string\n{\"files\": [\"a.md\"]}   correct",
	}
	ruleYAMLSyntax = problem.Rule{
		ID: "yaml/syntax", Severity: problem.Warning, Since: "0.1.0",
		Title:   "The frontmatter is not valid YAML",
		Help:    "Some hosts read such frontmatter line by line, others drop the skill. Pinion reads each broken value as the text after \"key:\". The usual cause is a colon and a space inside a value without quotes.",
		Fix:     "put the value in double quotes",
		Example: "description: Use when: asked        not YAML\ndescription: \"Use when: asked\"      correct",
	}
	ruleYAMLDuplicate = problem.Rule{
		ID: "yaml/duplicate-key", Severity: problem.Error, Since: "0.1.0",
		Title: "A key appears twice in the frontmatter",
		Help:  "YAML forbids it. Readers differ in which of the two they take; some refuse the file.",
		Fix:   "keep one of the two",
	}
	ruleYAMLUnsafe = problem.Rule{
		ID: "yaml/unsafe", Severity: problem.Error, Since: "0.1.0",
		Title:   "An anchor, alias, merge key or tag in the frontmatter",
		Help:    "These make the meaning of a line depend on other lines or on the reader's language; they can also make a small file huge in memory. They are never followed.",
		Fix:     "write the value out in plain",
		Example: "a: &x [1]\nb: *x",
	}
	ruleYAMLLimit = problem.Rule{
		ID: "yaml/limit", Severity: problem.Error, Since: "0.1.0",
		Title: "The frontmatter is too large or too deep",
		Help:  "Frontmatter is read up to 256 KiB and a nesting of 64.",
		Fix:   "move long text to the body of the file",
	}
	ruleFrontPlace = problem.Rule{
		ID: "skill/frontmatter", Severity: problem.Warning, Since: "0.1.0",
		Title:   "The frontmatter does not start at the first byte",
		Help:    "The opening --- must be the first line. After a byte order mark, blank lines or a heading many hosts find no frontmatter: the skill then has no name and no description.",
		Fix:     "make --- the first line of the file",
		Example: "(blank line)\n---\nname: a\n---",
	}
	ruleFrontUnclosed = problem.Rule{
		ID: "skill/frontmatter-unclosed", Severity: problem.Error, Since: "0.1.0",
		Title: "The frontmatter is never closed",
		Help:  "The file starts with --- but no later line is ---, so hosts take everything as body: the skill has no name and no description.",
		Fix:   "add a line --- after the last key",
	}
)

// Rules returns the definition of everything this package reports.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleSyntax, ruleEncoding, ruleBOM, ruleDuplicate, ruleUnknown, ruleType,
		ruleYAMLSyntax, ruleYAMLDuplicate, ruleYAMLUnsafe, ruleYAMLLimit,
		ruleFrontPlace, ruleFrontUnclosed, ruleTOMLSyntax, ruleTOMLUnknown,
	}
}
