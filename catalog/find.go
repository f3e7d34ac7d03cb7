package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"pinion/internal/syntax"
)

// ErrNone means that none of [Candidates] is there.
var ErrNone = errors.New("no catalog")

// Candidates returns the paths at which catalogs are looked for, in order. The
// first one is read in its turn only when it is native; the Copilot catalog has
// the same name.
func Candidates() []string {
	var out []string
	for _, p := range profiles() {
		for _, path := range p.paths {
			if !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// Find returns the catalog of a repository: marketplace.json if it is native,
// shinbot-marketplace.json, then those of Claude, Codex, Copilot and Cursor. A
// broken marketplace.json that was meant to be native is returned too, so that
// no other file takes its place unseen.
//
// read returns a file of the repository, with an error that is fs.ErrNotExist
// when it is not there. It should refuse files above [MaxBytes]. A foreign
// catalog that cannot be read is passed over; its error is returned when
// nothing else is found. Without any catalog the error is [ErrNone].
func Find(ctx context.Context, read func(path string) ([]byte, error)) (path string, data []byte, err error) {
	var unread error
	var root []byte // marketplace.json, when it is not native
	for _, p := range profiles() {
		for _, path := range p.paths {
			if err := ctx.Err(); err != nil {
				return "", nil, err
			}
			if p.flavour == Copilot && path == nativePath {
				if root != nil {
					return path, root, nil
				}
				continue
			}
			data, err := read(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil && p.flavour == Native:
				return "", nil, fmt.Errorf("read %s: %w", path, err)
			case err != nil:
				unread = firstError(unread, fmt.Errorf("read %s: %w", path, err))
				continue
			}
			if path == nativePath && !looksNative(data) {
				root = data
				continue
			}
			return path, data, nil
		}
	}
	return "", nil, firstError(unread, ErrNone)
}

// firstError returns the first error that is one.
func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// looksNative reports whether marketplace.json is, or is meant to be, a native
// catalog.
func looksNative(data []byte) bool {
	if !bytes.Contains(data, []byte(`"schema_version"`)) {
		return false
	}
	hashed := true
	faults, err := syntax.DecodeArray(data, "/plugins", func(_ int, raw syntax.Raw, _ int) error {
		if raw[0] != '{' && raw[0] != 'n' {
			return errUnusual
		}
		_, ok := member(raw, 0, "hash")
		hashed = hashed && ok
		return nil
	})
	if err != nil || len(faults) > 0 {
		return true // broken: the parser says how
	}
	_, versioned := member(data, documentStart(data), "schema_version")
	return versioned && hashed
}
