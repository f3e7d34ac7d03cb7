// Package checks has the rules of the scanner, one file for each family. A new
// family is one file and one line in [All]; what several families know, such as
// which hosts take stolen data, is in a file of its own.
package checks

import (
	"pinion/problem"
	"pinion/scan"
)

// All returns every family, in the order they look at a text.
func All() []scan.Check {
	return []scan.Check{
		unicodeChecks(), promptChecks(), toolChecks(), encodedText(),
		binaries(), archives(),
		launching(), installScripts(), licences(),
		shellCommands(), shellQuotes(), prerequisites(),
		code(), exfiltration(), committed(),
	}
}

// Rules returns the rules of the scanner as those of the whole tool.
func Rules() []problem.Rule {
	var out []problem.Rule
	for _, r := range scan.OwnRules() {
		out = append(out, r.Problem())
	}
	for _, c := range All() {
		for _, r := range c.Rules {
			out = append(out, r.Problem())
		}
	}
	return out
}
