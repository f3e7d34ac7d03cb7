package catalog

import "pinion/problem"

// codexProfile is OpenAI Codex's .agents/plugins/marketplace.json. Observed
// with 0.171.0: a byte order mark or a duplicate key makes it refuse the file,
// as does one entry without a name; sources it does not know are skipped; no
// owner is needed.
func codexProfile() *profile {
	return &profile{
		flavour:       Codex,
		host:          "Codex",
		paths:         []string{".agents/plugins/marketplace.json"},
		bom:           problem.Error,
		duplicateKey:  problem.Error,
		owner:         ignored,
		duplicateName: problem.Warning,
		kinds:         []string{"local", "url", "git-subdir", "npm"},
		otherKind:     problem.Warning,
		namelessKills: true,
	}
}
