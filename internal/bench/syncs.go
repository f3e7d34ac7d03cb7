package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// syncs are the calls with which a process made its writes durable.
type syncs struct{ fsync, syncfs int }

// countSyncs runs the command under strace.
func (b *bench) countSyncs(ctx context.Context, c command) (syncs, error) {
	if err := available("strace"); err != nil {
		return syncs{}, err
	}
	trace := filepath.Join(b.tmp, "strace.txt")
	c.args = append([]string{"-f", "-qq", "-o", trace, "-e", "trace=fsync,fdatasync,syncfs,sync", c.path}, c.args...)
	c.path = "strace"
	if err := b.run(ctx, c); err != nil {
		return syncs{}, err
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		return syncs{}, err
	}
	return parseSyncs(string(text)), nil
}

// parseSyncs counts in the output of strace. A call that another thread
// interrupts has a second line, "<... fsync resumed>", which is not a call.
func parseSyncs(trace string) syncs {
	var s syncs
	for line := range strings.Lines(trace) {
		switch {
		case strings.Contains(line, " resumed>"):
		case strings.Contains(line, "fsync("), strings.Contains(line, "fdatasync("):
			s.fsync++
		case strings.Contains(line, "syncfs("), strings.Contains(line, "sync("):
			s.syncfs++
		}
	}
	return s
}
