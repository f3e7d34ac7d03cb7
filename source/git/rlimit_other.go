//go:build !linux

package git

// limitFiles does nothing where the limit of another process cannot be set.
// Packs over HTTP are counted while they are read.
func limitFiles(int, int64) {}
