package catalog

import "pinion/problem"

// claudeProfile is Claude Code's .claude-plugin/marketplace.json. Observed with
// 2.1.332: an entry that cannot be read is left out and the others load; a byte
// order mark and duplicate keys are accepted; a catalog without owner is
// refused; of two entries with one name the catalog loads, although its own
// validator complains.
func claudeProfile() *profile {
	return &profile{
		flavour:       Claude,
		host:          "Claude Code",
		paths:         []string{".claude-plugin/marketplace.json"},
		bom:           problem.Warning,
		duplicateKey:  problem.Warning,
		owner:         required,
		duplicateName: problem.Warning,
		kinds:         []string{"github", "url", "git-subdir", "npm", "archive", "command"},
		otherKind:     problem.Error,
	}
}
