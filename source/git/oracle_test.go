package git

import "github.com/go-git/go-git/v5/plumbing/format/packfile"

// oraclePatch is go-git's way of applying a delta.
func oraclePatch(base, delta []byte) ([]byte, error) { return packfile.PatchDelta(base, delta) }
