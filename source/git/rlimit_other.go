//go:build !linux

package git

// limitProcess does nothing where the limits of another process cannot be set.
// Packs over HTTP are counted while they are read.
func limitProcess(int, int64) {}
