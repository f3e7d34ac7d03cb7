package catalog

import "pinion/problem"

// cursorProfile is Cursor's .cursor-plugin/marketplace.json. Its schema is
// closed and knows only text as a source, but published catalogs add keys and
// the program cannot be run offline, so nothing beyond the reading itself is an
// error.
func cursorProfile() *profile {
	return &profile{
		flavour:       Cursor,
		host:          "Cursor",
		paths:         []string{".cursor-plugin/marketplace.json"},
		bom:           problem.Warning,
		duplicateKey:  problem.Warning,
		owner:         wanted,
		duplicateName: problem.Warning,
		otherKind:     problem.Warning,
		plainDirs:     true,
	}
}
