//go:build race

package catalog

// raced is true when the race detector runs, which drops pooled memory at
// random and so allocates more.
const raced = true
