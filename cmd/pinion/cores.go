package main

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

// manyPackages is from how many on [env.useAllCores] pays.
const manyPackages = 64

// useAllCores lets file work wait for the disk in parallel. Go hands a
// processor on too late while a system call waits, so there are more of them
// than cores; on cold data this halves the time. The heap holds names and
// digests, which cost the collector little to look at, so it may look often and
// memory stays near what is in use. For a few packages both cost more than they
// bring.
func (e *env) useAllCores(packages int) {
	if !e.manyFiles || packages < manyPackages {
		return
	}
	e.manyFiles = false
	runtime.GOMAXPROCS(max(8, 4*runtime.NumCPU()))
	debug.SetGCPercent(50)
	if e.memory > 0 {
		// Freed memory goes back to the system near the limit.
		debug.SetMemoryLimit(e.memory + int64(max(0, packages-100_000))*200)
	}
}

// buildMemory is what building the catalog of a repository should need for up
// to 100,000 packages, in bytes: more where there is a catalog already, which is
// then read twice, as it is and as it was released. A limit below what is in use
// would keep the collector busy.
func buildMemory(repo string) int64 {
	const fresh, each = 20 << 20, 8
	limit := int64(fresh)
	for _, name := range []string{"marketplace.json", "shinbot-marketplace.json"} {
		if info, err := os.Stat(filepath.Join(repo, name)); err == nil {
			limit += each * info.Size()
		}
	}
	return limit
}
