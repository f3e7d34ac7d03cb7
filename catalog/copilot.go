package catalog

import "pinion/problem"

// copilotProfile is the catalog of GitHub Copilot CLI and VS Code. Observed
// with Copilot 1.0.102: one source of a kind it does not know, one entry
// without a name, a duplicate name, a missing owner or a byte order mark makes
// it refuse the file; duplicate keys are accepted; directories need no "./". VS
// Code also has npm and pip sources (pluginMarketplaceService.ts).
func copilotProfile() *profile {
	return &profile{
		flavour:       Copilot,
		host:          "Copilot",
		paths:         []string{nativePath, ".plugin/marketplace.json", ".github/plugin/marketplace.json"},
		bom:           problem.Error,
		duplicateKey:  problem.Warning,
		owner:         required,
		duplicateName: problem.Error,
		kinds:         []string{"github", "url", "git-subdir"},
		otherKind:     problem.Error,
		alsoKinds:     []string{"npm", "pip"},
		alsoHost:      "VS Code",
		kindKills:     true,
		namelessKills: true,
		plainDirs:     true,
	}
}
