package store

import (
	"runtime"

	"pinion/internal/fsx"
)

const isLinux = runtime.GOOS == "linux"

// counter is a hook that counts.
type counter struct{ all, fsync, syncfs int }

func (c *counter) hook(op fsx.Op, _ string) error {
	c.all++
	switch op {
	case fsx.OpSync:
		c.fsync++
	case fsx.OpSyncFS:
		c.syncfs++
	}
	return nil
}
