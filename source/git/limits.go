package git

import (
	"time"

	"pinion/tree"
)

// Limits bound what a server can make this side do. A zero field takes the
// value of [DefaultLimits].
type Limits struct {
	Pack    int64         // bytes of one pack as transferred
	Objects uint32        // objects in one pack, by its header
	Entries int           // names in one listing
	Refs    int64         // bytes of a list of refs
	History int64         // bytes of history fetched beside a commit
	Blob    int64         // bytes of one blob read
	Connect time.Duration // until the first byte of an answer
	Stall   time.Duration // during which data must keep coming, see [web.Steady]
	Total   time.Duration // for one request or one run of git
}

// DefaultLimits are the limits of a zero [Options].
func DefaultLimits() Limits {
	return Limits{
		Pack: 1 << 30, Objects: 4_000_000, Entries: tree.MaxEntries, Refs: 4 << 20, History: 32 << 20, Blob: 256 << 20,
		Connect: 60 * time.Second, Stall: 20 * time.Second, Total: 15 * time.Minute,
	}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	or64 := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	orTime := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	or64(&l.Pack, d.Pack)
	or64(&l.Refs, d.Refs)
	or64(&l.History, d.History)
	or64(&l.Blob, d.Blob)
	orTime(&l.Connect, d.Connect)
	orTime(&l.Stall, d.Stall)
	orTime(&l.Total, d.Total)
	if l.Entries == 0 {
		l.Entries = d.Entries
	}
	if l.Objects == 0 {
		l.Objects = d.Objects
	}
	return l
}

const (
	idle        = 10 * time.Second // until an unused connection is closed
	maxStderr   = 16 << 10         // bytes of git's messages that are kept
	maxTreeObj  = 64 << 20         // bytes of one tree object
	maxMemory   = 2 << 30          // bytes of memory of one run of git, on Linux
	maxUnpacked = 8 << 30          // bytes of all objects of a pack, for go-git, and of a chain of deltas
	maxListing  = 512 << 20        // bytes of one listing by git
	manyWants   = 10_000           // missing blobs above which the whole commit is fetched
	fewFiles    = 1_000            // files up to which all blobs are fetched at once
	wholeCount  = 500_000          // objects of a commit, and
	wholeBytes  = 128 << 20        // bytes of its pack, above which WithWhole has no effect
	maxCommit   = 1 << 20          // bytes of one commit object
	maxCommits  = 300_000          // commits looked at to check ancestry
	maxHaves    = 16               // commits offered to the server as known
	maxPacks    = 50               // packs in a cache before it is made anew
	maxLineSize = 65_520           // bytes of one pkt-line, by the protocol
)
