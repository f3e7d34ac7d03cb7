// Package source names the places content comes from and turns them into
// bytes: a spec as typed, resolved to a pin, opened as a [Snapshot].
//
// It moves bytes and never interprets them. What a manifest or a catalog means
// is decided elsewhere, and nothing is placed in the store from here. The
// sub-folders are the kinds of sources: dir, git, github.
package source

import (
	"context"
	"errors"

	"pinion/tree"
)

// Pin is one exact state of a source.
type Pin struct {
	// Commit is what names exactly these bytes: 40 (or 64) hex digits of a git
	// commit; of an npm package its version and integrity ("1.2.0@sha512-…", in the
	// form of Subresource Integrity); of an archive "sha256:" and 64 hex digits; ""
	// for a plain directory, whose content is what is there now.
	Commit string `json:"commit"`
	Ref    string `json:"ref"` // the full name it was found under ("refs/heads/main"), "" for a commit
}

// Source is one place, able to say what is there now and to fetch it.
// Implementations are safe for use by one goroutine at a time.
type Source interface {
	// Resolve returns the commit that the spec names now. It costs one small
	// request where the protocol allows it. known is what was seen last (zero
	// when nothing was) and may be used for a conditional request.
	Resolve(ctx context.Context, known Pin) (Pin, error)

	// Open makes the commit's files readable. It fetches only what cache, a
	// directory that belongs to this source and may be empty or missing, does
	// not hold yet. Plain directories ignore cache.
	Open(ctx context.Context, pin Pin, cache string) (Snapshot, error)
}

// Lister is a [Source] that can tell which branches and tags there are.
type Lister interface {
	// Refs returns those whose full names ("refs/tags/v1.0") begin with one of
	// the prefixes, each with the commit it leads to, in no particular order. It
	// is one request.
	Refs(ctx context.Context, prefixes ...string) ([]Pin, error)
}

// Request asks a [Snapshot] for one directory.
type Request struct {
	Dir     string // slash-separated, "." for the whole
	Options tree.Options
}

// Snapshot is the content of one pin. It is safe for one goroutine at a time
// and must be closed.
type Snapshot interface {
	Pin() Pin

	// ReadFile returns one file. It errors with fs.ErrNotExist, with
	// [ErrTooLarge] above limit bytes, and with [ErrNotRegular] for anything
	// but a regular file.
	ReadFile(ctx context.Context, path string, limit int64) ([]byte, error)

	// Paths returns every file path below dir with its kind, at most
	// tree.MaxEntries, in byte order.
	Paths(ctx context.Context, dir string) ([]tree.Entry, error)

	// TreeIDs returns for each direct child directory of dir an id that is
	// equal when its content is equal, or nil when the source has none.
	TreeIDs(ctx context.Context, dir string) (map[string]string, error)

	// Trees reads the requested directories and calls fn for each, in order,
	// with the index of the request. A directory that does not exist is
	// reported to fn as err == fs.ErrNotExist. The tree's data is valid only
	// during the call. An error of fn ends the run and is returned.
	Trees(ctx context.Context, reqs []Request, fn func(i int, t *tree.Tree, err error) error) error

	// Descends says whether the pin has older among its ancestors.
	Descends(ctx context.Context, older string) (Ancestry, error)

	Close() error
}

// Ancestry is the answer to "does this commit descend from that one".
type Ancestry uint8

// Unchecked is an honest "could not find out".
const (
	Unchecked Ancestry = iota
	Descendant
	Rewritten
)

// Errors a caller branches on.
var (
	ErrTooLarge   = errors.New("larger than the limit")
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotFound is a repository, ref or commit that is not there, or that
	// the given credentials cannot see.
	ErrNotFound = errors.New("not found")
	// ErrOffline is any failure to reach the source.
	ErrOffline = errors.New("cannot reach the source")
)

// IntegrityError is a source that sends other bytes than its pin names. It is a
// security refusal.
type IntegrityError struct {
	What      string // the file, as the user knows it
	Want, Got string // each with its algorithm
}

// Error names both.
func (e *IntegrityError) Error() string {
	return e.What + ": expected " + e.Want + ", got " + e.Got
}

// ExitCode is 4, verification refused.
func (e *IntegrityError) ExitCode() int { return 4 }

// MovedError is a source that now answers under another identity: another
// owner or repository. It is a security refusal (source/moved).
type MovedError struct{ From, To string }

// Error names both.
func (e *MovedError) Error() string { return e.From + " now redirects to " + e.To }
