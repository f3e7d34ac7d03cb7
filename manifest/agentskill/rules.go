package agentskill

import (
	"pinion/internal/syntax"
	"pinion/problem"
)

// Rules of this package. The ids are permanent.
var (
	ruleMissing = problem.Rule{
		ID: "skill/missing", Severity: problem.Error, Since: "0.1.0",
		Title: "There is no SKILL.md",
		Help:  "An Agent Skill is a directory with a file SKILL.md at its top. Without it no host loads anything.",
		Fix:   "add SKILL.md with a name and a description",
	}
	ruleFileName = problem.Rule{
		ID: "skill/file-name", Severity: problem.Warning, Since: "0.1.0",
		Title: "A skill file that is not named SKILL.md",
		Help:  "The specification accepts skill.md, but Claude Code and others only look for SKILL.md in capitals; on a file system that ignores case the difference is not even seen.",
		Fix:   "rename it to SKILL.md",
	}
	ruleFrontmatter = problem.Rule{
		ID: "skill/no-frontmatter", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A file without frontmatter",
		Help:    "Hosts take the name and the description from the YAML block between two --- lines at the top. Claude Code loads a file without one under the name of its directory; the skills installer, Codex and Copilot skip it.",
		Fix:     "put a block with name and description between --- lines at the top of the file",
		Example: "---\nname: pdf-forms\ndescription: Fills PDF forms. Use when the user has a form to fill.\n---",
	}
	ruleName = problem.Rule{
		ID: "skill/name", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A skill name outside the specification",
		Help:    "A name has 1 to 64 lower case letters, digits and single dashes, none at the ends. Claude Code takes the directory's name instead; other hosts skip the skill.",
		Fix:     "choose a name like pdf-forms",
		Example: "name: PDF Forms  →  name: pdf-forms",
	}
	ruleDirectory = problem.Rule{
		ID: "skill/directory", Severity: problem.Warning, Since: "0.1.0",
		Title: "The skill is not named like its directory",
		Help:  "The specification wants both to be equal. Some hosts call the skill by the one, some by the other, and some refuse it.",
		Fix:   "rename the directory or the skill",
	}
	ruleDescription = problem.Rule{
		ID: "skill/description", Severity: problem.Warning, Since: "0.1.0",
		Title: "No description, or one that is too long",
		Help:  "The description is how an agent decides when to use the skill. Without one Claude Code shows the first lines, and other hosts skip the skill. Above 1,024 characters hosts cut it or refuse it.",
		Fix:   "say in one or two sentences what it does and when to use it",
	}
	ruleType = problem.Rule{
		ID: "skill/type", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A frontmatter value of another type",
		Help:    "name, description, license and allowed-tools are text, metadata has keys with text. Hosts drop or refuse other types; YAML makes numbers of 1.10 and bools of no when they are not quoted.",
		Fix:     "put the value in quotes",
		Example: "metadata:\n  version: 1.0      a number\n  version: \"1.0\"    correct",
	}
	ruleKey = problem.Rule{
		ID: "skill/unknown-key", Severity: problem.Note, Since: "0.1.0",
		Title: "A frontmatter key that no specification has",
		Help:  "Hosts ignore it. The reference validator of the Agent Skills specification refuses the file; more than half of all public skills have such keys.",
		Fix:   "move it into metadata, which is free-form",
	}
	ruleLicense = problem.Rule{
		ID: "license/missing", Severity: problem.Note, Since: "0.1.0",
		Title: "No licence is stated",
		Help:  "Without a licence nobody may copy the package, strictly taken. The formats of other hosts do not ask for one.",
		Fix:   "add \"license\" with an SPDX identifier, such as MIT or Apache-2.0",
	}
)

// LicenseMissing reports a package that states no licence, at its manifest.
func LicenseMissing(file string) problem.Problem {
	return ruleLicense.Report("no licence is stated").At(file, 1, 1)
}

// NoFrontmatter reports a Markdown file that hosts load without a description.
// what names it: "agent" or "command".
func NoFrontmatter(file, what string) problem.Problem {
	return ruleFrontmatter.Report("the %s has no frontmatter", what).At(file, 1, 1).
		WithFix("put a block with a description between --- lines at the top of the file")
}

// NoDescription reports a command or agent file without a description.
func NoDescription(file, what string) problem.Problem {
	return ruleDescription.Report("the %s has no description", what).At(file, 1, 1)
}

// WrongType reports a frontmatter field that is not what hosts want.
func WrongType(file string, f syntax.Field, want string) problem.Problem {
	return ruleType.Report("%q is a %s, want %s", clip(f.Key), f.Kind, want).At(file, f.ValueLine, f.ValueColumn)
}

// LowerCase reports a skill file that is not named SKILL.md.
func LowerCase(file string) problem.Problem {
	return ruleFileName.Report("%q is not found by every host", file).At(file, 1, 1)
}

// Rules lists every rule this package reports.
func (*Format) Rules() []problem.Rule { return Rules() }

// Rules lists every rule this package reports.
func Rules() []problem.Rule {
	return []problem.Rule{
		ruleMissing, ruleFileName, ruleFrontmatter, ruleName, ruleDirectory,
		ruleDescription, ruleType, ruleKey, ruleLicense,
	}
}
