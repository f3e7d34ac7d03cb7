package catalog

import "pinion/problem"

// The two names of a native catalog, at the root of the repository. The second
// is used when every package has a shinbot-plugin.json (SB-077).
const (
	nativePath  = "marketplace.json"
	shinbotPath = "shinbot-marketplace.json"

	// shinbotManifest is the manifest name that selects shinbotPath.
	shinbotManifest = "shinbot-plugin.json"

	// schemaVersion is the only version of the native format.
	schemaVersion = 1
)

// nativeProfile is Pinion's own format. Unknown keys are tolerated: owners may
// add keys, and later versions may too (D-small).
func nativeProfile() *profile {
	return &profile{
		flavour:       Native,
		host:          "Pinion",
		paths:         []string{nativePath, shinbotPath},
		bom:           problem.Error,
		duplicateKey:  problem.Error,
		owner:         required,
		duplicateName: problem.Error,
		otherKind:     problem.Error,
	}
}
