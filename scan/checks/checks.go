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
		binaries(),
	}
}

// Rules returns the rules of all families as those of the whole tool.
func Rules() []problem.Rule {
	var out []problem.Rule
	for _, r := range scan.New("", All()).Rules() {
		out = append(out, r.Problem())
	}
	return out
}
