package claude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pinion/host"
)

// maxLeftovers bounds what is reported; a host that never cleans up can have
// thousands.
const maxLeftovers = 200

// Leftovers returns what Claude Code keeps without using it: versions in its cache
// that it marked with .orphaned_at, and directories of fetches that were cut off
// (temp_git_*, temp_local_*).
func (Adapter) Leftovers(ctx context.Context, p host.Place) ([]host.Leftover, error) {
	cache := filepath.Join(pluginsDir(p), "cache")
	var out []host.Leftover
	add := func(path, reason string) error {
		if len(out) >= maxLeftovers {
			return nil
		}
		size, err := treeSize(ctx, path)
		out = append(out, host.Leftover{Path: path, Reason: reason, Bytes: size})
		return err
	}
	markets, err := dirs(cache)
	if err != nil {
		return nil, err
	}
	for _, m := range markets {
		if strings.HasPrefix(m, "temp_") {
			if err := add(filepath.Join(cache, m), "is what a cut-off fetch of Claude Code left"); err != nil {
				return nil, err
			}
			continue
		}
		plugins, err := dirs(filepath.Join(cache, m))
		if err != nil {
			return nil, err
		}
		for _, pl := range plugins {
			versions, err := dirs(filepath.Join(cache, m, pl))
			if err != nil {
				return nil, err
			}
			for _, v := range versions {
				path := filepath.Join(cache, m, pl, v)
				if _, err := os.Lstat(filepath.Join(path, ".orphaned_at")); err != nil {
					continue
				}
				if err := add(path, fmt.Sprintf("is a version of %s@%s that Claude Code no longer uses", pl, m)); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// dirs lists the directories in a directory, not links; a missing one has none.
func dirs(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func treeSize(ctx context.Context, path string) (n int64, err error) {
	err = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n, err
}
