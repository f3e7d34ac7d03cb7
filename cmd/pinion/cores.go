package main

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

const (
	// manyPackages is from how many on [env.useAllCores] pays.
	manyPackages = 64
	// coldWaits is how often the process waits for each package from which on
	// the disk is what it waits for. Packages in the system's cache cost less
	// than one, others one for most of their files.
	coldWaits = 4
)

// useAllCores lets file work wait for the disk in parallel. Go hands a
// processor on too late while a system call waits, so there are more of them
// than cores; on cold data this halves the time. Where the system has the data
// already they would only be in each other's way, so they are added once the
// process turns out to wait, or at once where that cannot be known. Memory
// stays near what is in use: freed memory goes back to the system at a limit.
// For a few packages none of it pays.
func (e *env) useAllCores(done, packages int) {
	if !e.manyFiles || packages < manyPackages {
		return
	}
	now, known := waits()
	if done == 0 {
		e.waited = now
		if e.memory > 0 {
			debug.SetMemoryLimit(e.memory + int64(max(0, packages-100_000))*200)
		}
	}
	if !known || done >= manyPackages && now-e.waited > int64(done)*coldWaits {
		e.manyFiles = false
		runtime.GOMAXPROCS(max(8, 4*runtime.NumCPU()))
	}
}

// collectLate lets memory grow to five times what is in use before it is
// collected, as long as it stays small: a refresh ends sooner than what it reads
// would have to be collected again. That takes a fifth off its processor time.
// Somebody who has set GOGC is left alone.
func (e *env) collectLate() {
	if e.getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(lateMemory)
	}
}

// lateMemory is the bytes above which [env.collectLate] has no effect.
const lateMemory = 192 << 20

// buildMemory is what building the catalog of a repository should need for up
// to 100,000 packages, in bytes: more where there is a catalog already, which is
// then read twice, as it is and as it was released. A limit below what is in use
// would keep the collector busy.
func buildMemory(repo string) int64 {
	const fresh, each = 26 << 20, 8
	limit := int64(fresh)
	for _, name := range []string{"marketplace.json", "shinbot-marketplace.json"} {
		if info, err := os.Stat(filepath.Join(repo, name)); err == nil {
			limit += each * info.Size()
		}
	}
	return limit
}
