package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"pinion/hashes"
	"pinion/internal/syntax"
	"pinion/manifest"
	"pinion/pkgfmt"
)

const receiptSchema = "pinion.receipt/v1"

// Origin is where an installed build came from.
type Origin struct {
	Source      string           `json:"source"`               // canonical: identity
	Marketplace string           `json:"marketplace"`          // the alias at the time, for people
	Repository  string           `json:"repository,omitempty"` // where the bytes are, when not in the source itself
	Commit      string           `json:"commit,omitempty"`     // exact commit, "" for plain directories
	Path        string           `json:"path,omitempty"`       // directory inside the repository
	Catalog     string           `json:"catalog,omitempty"`    // catalog file inside the repository
	Select      pkgfmt.Selection `json:"select,omitzero"`      // part of the directory
	Entry       syntax.Raw       `json:"entry,omitempty"`      // the catalog's entry as it was written
	Draft       bool             `json:"draft,omitzero"`       // from a path or an uncommitted catalog
	Pinned      bool             `json:"pinned,omitzero"`      // the digest was known before the bytes
}

// Receipt is what was installed: the proof for later comparisons. It is written
// once, after its tree, and never changed.
type Receipt struct {
	Schema      string               `json:"schema"`
	Key         string               `json:"key"`
	ID          string               `json:"id"`
	Version     string               `json:"version"`
	Digest      hashes.Digest        `json:"digest"`
	Format      string               `json:"format"`
	Kind        manifest.Kind        `json:"kind"`
	Name        string               `json:"name,omitempty"`
	License     string               `json:"license,omitempty"`
	Description string               `json:"description,omitempty"`
	Origin      Origin               `json:"origin"`
	InstalledAt time.Time            `json:"installed_at"`
	Tool        string               `json:"tool"` // version of Pinion
	Components  []manifest.Component `json:"components"`
	Files       []pkgfmt.Record      `json:"files"` // sorted by path
}

// Build returns the identity of the installed content.
func (r Receipt) Build() Build {
	return Build{Key: r.Key, ID: r.ID, Version: r.Version, Digest: r.Digest}
}

// Bytes returns the size of the files in bytes.
func (r Receipt) Bytes() int64 {
	var n int64
	for _, f := range r.Files {
		n += f.Size
	}
	return n
}

// List returns every receipt, sorted by id, then newest version first, and the
// receipts that cannot be used.
func (s *Store) List(ctx context.Context) ([]Receipt, []Damage, error) { return s.list(ctx, "") }

// Find is [Store.List] for one id: every version of it, from every source.
func (s *Store) Find(ctx context.Context, id string) ([]Receipt, []Damage, error) {
	if id == "" {
		return nil, nil, nil
	}
	return s.list(ctx, id)
}

// Builds returns where the builds of an id are, from every source, in the order
// of their names. It reads names only, however many and large they are; a name
// tells nothing about its receipt being whole.
func (s *Store) Builds(ctx context.Context, id string) ([]Location, error) {
	if id == "" {
		return nil, nil
	}
	var out []Location
	err := s.walk(ctx, receiptsDir, id, func(file string, e fs.DirEntry) error {
		// What is no receipt's name is reported by List.
		if l, err := ParseDir(file); err == nil && l.receiptPath() == file {
			out = append(out, l)
		}
		return nil
	})
	return out, err
}

func (s *Store) list(ctx context.Context, id string) ([]Receipt, []Damage, error) {
	var receipts []Receipt
	var damaged []Damage
	err := s.walk(ctx, receiptsDir, id, func(file string, e fs.DirEntry) error {
		r, damage, err := s.readReceipt(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // uninstalled since it was listed
		case err != nil:
			return fmt.Errorf("read receipt: %w", err)
		case damage != nil:
			damaged = append(damaged, *damage)
		default:
			receipts = append(receipts, r)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(receipts, func(a, b Receipt) int { return compareBuilds(a.Build(), b.Build()) })
	return receipts, damaged, nil
}

// compareBuilds orders by id, then newest version first, then source and digest.
func compareBuilds(a, b Build) int {
	return cmp.Or(
		strings.Compare(a.ID, b.ID),
		semver.Compare("v"+b.Version, "v"+a.Version),
		strings.Compare(b.Version, a.Version),
		strings.Compare(a.Key, b.Key),
		strings.Compare(a.Digest.Hex(64), b.Digest.Hex(64)),
	)
}

// walk calls fn for each entry at the third level of packages or receipts, in
// order of their names, and also for anything that is not a directory above it.
// Links are not followed. A missing directory is empty. id "" is every id.
func (s *Store) walk(ctx context.Context, top, id string, fn func(name string, e fs.DirEntry) error) error {
	if s.home == nil {
		return nil
	}
	keys, err := s.readDir(top)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir := path.Join(top, key.Name())
		if !key.IsDir() {
			if id == "" {
				if err := fn(dir, key); err != nil {
					return err
				}
			}
			continue
		}
		ids, err := s.readDir(dir)
		if err != nil {
			return err
		}
		for _, e := range ids {
			if id != "" && e.Name() != escape(id) {
				continue
			}
			if err := s.walkID(path.Join(dir, e.Name()), e, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) walkID(dir string, e fs.DirEntry, fn func(name string, e fs.DirEntry) error) error {
	if !e.IsDir() {
		return fn(dir, e)
	}
	versions, err := s.readDir(dir)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if err := fn(path.Join(dir, v.Name()), v); err != nil {
			return err
		}
	}
	return nil
}

// readDir lists everything in a directory of the home; a missing one is empty.
func (s *Store) readDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.home.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the store: %w", err)
	}
	return entries, nil
}
